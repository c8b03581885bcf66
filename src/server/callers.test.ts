import { describe, expect, test } from 'vitest';
import { addressAccount } from './connections.ts';
import { type Caller, Callers } from './callers.ts';
import { isNetwork, plainAddress } from './networks.ts';

const believed = ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'];

function callerOf(
  peer: string,
  headers: Readonly<Record<string, string>>,
  proxies: readonly string[] = believed,
): Caller {
  const socket = { remoteAddress: peer };
  return new Callers(proxies).of({ socket, headers: { host: 'inside:8000', ...headers } });
}

describe('without a proxy that was named', () => {
  test('the connection tells who asks, and no header does', () => {
    const headers = {
      'x-forwarded-for': '203.0.113.5',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'muster.example',
      forwarded: 'for=203.0.113.5',
    };
    const direct = {
      address: '127.0.0.1',
      scheme: 'http',
      host: 'inside:8000',
      isProxied: false,
      isPassedOn: false,
    };
    expect(callerOf('127.0.0.1', headers, [])).toEqual(direct);
    expect(callerOf('192.168.1.7', headers)).toEqual({ ...direct, address: '192.168.1.7' });
    // In a network of IPv6 that is not named.
    expect(callerOf('fe00::1', headers).address).toBe('fe00::1');
  });

  test('a connection under TLS is https', () => {
    const socket = { remoteAddress: '127.0.0.1', encrypted: true };
    expect(new Callers().of({ socket, headers: {} })).toEqual({
      address: '127.0.0.1',
      scheme: 'https',
      host: undefined,
      isProxied: false,
      isPassedOn: false,
    });
  });
});

describe('behind a proxy that was named', () => {
  test.each([
    ['one hop', '10.0.0.1', '203.0.113.5', '203.0.113.5'],
    ['a chain of proxies', '10.0.0.1', '203.0.113.5, 10.9.9.9, 10.1.1.1', '203.0.113.5'],
    ['what a client has made up', '10.0.0.1', '1.1.1.1, 127.0.0.1, 203.0.113.5', '203.0.113.5'],
    ['made up addresses of proxies', '10.0.0.1', '10.3.3.3, 203.0.113.5, 10.1.1.1', '203.0.113.5'],
    ['proxies alone', '10.0.0.1', '10.2.2.2, 10.1.1.1', '10.2.2.2'],
    ['no header', '10.0.0.1', '', '10.0.0.1'],
    ['a word', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['a word in the middle', '10.0.0.1', '203.0.113.5, _hidden, 10.1.1.1', '10.1.1.1'],
    ['empty hops', '10.0.0.1', ' , ,', '10.0.0.1'],
    ['numbers beyond an address', '10.0.0.1', '203.0.113.999', '10.0.0.1'],
    ['an address with a port', '10.0.0.1', '203.0.113.5:4711', '203.0.113.5'],
    ['IPv6', 'fd00::1', '2001:DB8:0::5', '2001:db8::5'],
    ['IPv6 with a port', 'fd00::1', '[2001:db8::5]:4711', '2001:db8::5'],
    ['IPv6 with a zone', 'fd00::1', 'fe80::1%eth0', 'fe80::1'],
    ['IPv4 in IPv6', '::ffff:10.0.0.1', '::ffff:203.0.113.5', '203.0.113.5'],
    ['IPv4 in IPv6, in digits', '::ffff:a00:1', '::ffff:cb00:7105', '203.0.113.5'],
    ['a proxy as IPv4 in IPv6', '10.0.0.1', '203.0.113.5, ::ffff:10.1.1.1', '203.0.113.5'],
  ])('the client is found: %s', (_what, peer, forwarded, address) => {
    expect(callerOf(peer, { 'x-forwarded-for': forwarded }).address).toBe(address);
  });

  test('scheme and host are those that it tells, of several the last', () => {
    expect(callerOf('10.0.0.1', { 'x-forwarded-proto': 'HTTPS' }).scheme).toBe('https');
    expect(callerOf('10.0.0.1', { 'x-forwarded-proto': 'http, https' }).scheme).toBe('https');
    expect(callerOf('10.0.0.1', { 'x-forwarded-proto': 'https, http' }).scheme).toBe('http');
    expect(callerOf('10.0.0.1', { 'x-forwarded-host': 'a.example, b.example' }).host).toBe(
      'b.example',
    );
  });

  test('what cannot be read changes nothing', () => {
    const headers = { 'x-forwarded-proto': 'gopher', 'x-forwarded-host': ' ' };
    expect(callerOf('10.0.0.1', headers)).toEqual({
      address: '10.0.0.1',
      scheme: 'http',
      host: 'inside:8000',
      isProxied: true,
      isPassedOn: false,
    });
  });

  test('a header as long as all headers may be is read', () => {
    const long = Array<string>(6_000).fill('10.1.1.1').join(',');
    expect(callerOf('10.0.0.1', { 'x-forwarded-for': `203.0.113.5,${long}` }).address).toBe(
      '203.0.113.5',
    );
  });

  test('clients of one proxy have accounts of their own', () => {
    const account = (client: string) =>
      addressAccount(callerOf('10.0.0.1', { 'x-forwarded-for': client }).address);
    expect(account('203.0.113.5')).not.toBe(account('203.0.113.6'));
    expect(account('2001:db8::1')).toBe(account('2001:db8::2'));
  });
});

describe('a network', () => {
  test.each(['10.1.2.3', '10.0.0.0/8', '0.0.0.0/0', '::1', 'fd00::/8', '::ffff:10.0.0.1'])(
    'can be written as %s',
    (text) => {
      expect(isNetwork(text)).toBe(true);
    },
  );

  test.each(['', 'proxy.lan', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/', '10.0.0.0/-1', '::/129'])(
    'cannot be written as "%s"',
    (text) => {
      expect(isNetwork(text)).toBe(false);
    },
  );

  test('has one spelling for each address', () => {
    expect(plainAddress('2001:0DB8:0:0::1')).toBe('2001:db8::1');
    expect(plainAddress('10.0.0.1 ')).toBeNull();
    expect(plainAddress('localhost')).toBeNull();
  });
});
