import type { NetworkInterfaceInfo } from 'node:os';
import { expect, test } from 'vitest';
import type { Caller } from './callers.ts';
import { addressToShow, type Door, findJoinAddress } from './join-address.ts';

const pinned = { kind: 'self-signed', cert: '', pin: 'P' } as const;
const here: Caller = {
  address: '127.0.0.1',
  scheme: 'https',
  host: 'localhost:8443',
  isProxied: false,
  isPassedOn: false,
};
const everywhere: Door = {
  address: 'https://0.0.0.0:8443',
  credentials: pinned,
  isBehindProxy: false,
};

function card(
  address: string,
  family: 'IPv4' | 'IPv6',
  internal = false,
): Pick<NetworkInterfaceInfo, 'address' | 'family' | 'internal'> {
  return { address, family, internal };
}
const cards = {
  lo: [card('127.0.0.1', 'IPv4', true)],
  docker0: [card('172.17.0.1', 'IPv4')],
  wlan0: [card('fe80::1', 'IPv6'), card('2001:db8::7', 'IPv6'), card('192.168.1.10', 'IPv4')],
};
const find = (door: Partial<Door>, caller: Partial<Caller> = {}, named?: string) =>
  findJoinAddress({ ...everywhere, ...door }, { ...here, ...caller }, named, cards);

test('asked on this machine, it takes the address in the network of the house, and names the others', () => {
  expect(find({})).toEqual({
    url: 'https://192.168.1.10:8443',
    others: ['https://[2001:db8::7]:8443', 'https://172.17.0.1:8443', 'https://127.0.0.1:8443'],
    pin: 'P',
    isOnlyHere: false,
  });
  expect(find({}, { host: '0.0.0.0:8443' })?.url).toBe('https://192.168.1.10:8443');
  expect(find({}, { host: '[::]:8443' })?.url).toBe('https://192.168.1.10:8443');
});

test('asked from elsewhere, it takes the address that was asked', () => {
  const found = find({}, { host: 'study:8443' });
  expect(found?.url).toBe('https://study:8443');
  expect(found?.others).toContain('https://192.168.1.10:8443');
});

test('takes the one address on which it listens', () => {
  expect(find({ address: 'https://10.0.0.4:8443' })).toMatchObject({
    url: 'https://10.0.0.4:8443',
    others: [],
  });
  expect(find({ address: 'https://127.0.0.1:8443' })).toMatchObject({
    url: 'https://127.0.0.1:8443',
    isOnlyHere: true,
  });
});

test.each([
  ['muster.lan', 'https://muster.lan:8443'],
  ['muster.lan:9000', 'https://muster.lan:9000'],
  ['2001:db8::9', 'https://[2001:db8::9]:8443'],
  ['https://muster.example.org', 'https://muster.example.org'],
  ['https://muster.example.org:444/', 'https://muster.example.org:444'],
])('takes the address that was named: %s', (named, url) => {
  expect(find({}, {}, named)).toMatchObject({ url, isOnlyHere: false, pin: 'P' });
});

test.each([
  '',
  'a b',
  'ftp://x',
  'user@host',
  'host/path',
  'host#t=1',
  'host?x',
  'a\nb',
  'https://',
])('refuses what is no address: %j', (named) => {
  expect(find({}, {}, named)).toBeUndefined();
});

test('behind a proxy the link names the proxy, whose certificate is another', () => {
  const caller = { host: 'muster.example.org', isProxied: true, isPassedOn: false };
  const door = { address: 'http://127.0.0.1:8000', credentials: undefined, isBehindProxy: true };
  const url = 'https://muster.example.org';
  expect(find(door, caller)).toEqual({ url, others: [], pin: undefined, isOnlyHere: false });
  expect(find(door, { host: '127.0.0.1:8000' }, 'muster.example.org')?.url).toBe(url);
});

test.each([
  ['https://0.0.0.0:8443', 'https://192.168.1.10:8443'],
  ['http://[::]:8000', 'http://192.168.1.10:8000'],
  ['http://127.0.0.1:8000', 'http://127.0.0.1:8000'],
  ['https://10.0.0.4:8443', 'https://10.0.0.4:8443'],
])('nobody is sent to every address of a machine: %s', (listening, shown) => {
  expect(addressToShow(listening, undefined, cards)).toBe(shown);
});

test('a machine without a network is shown as itself', () => {
  expect(addressToShow('http://0.0.0.0:8000', undefined, {})).toBe('http://127.0.0.1:8000');
});

test('plain HTTP is not named where devices are to use HTTPS', () => {
  expect(find({}, {}, 'http://foo')).toBeUndefined();
  expect(find({ credentials: undefined, isBehindProxy: true }, {}, 'http://foo')).toBeUndefined();
  const plain = { credentials: undefined, address: 'http://0.0.0.0:8000' };
  expect(find(plain, { scheme: 'http' }, 'http://foo')?.url).toBe('http://foo');
});
