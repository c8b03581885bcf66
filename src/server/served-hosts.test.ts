import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { ServedHosts } from './served-hosts.ts';

function isServed(served: ServedHosts, host: string | undefined, localAddress = '192.0.2.7') {
  const caller = {
    address: '192.0.2.1',
    scheme: 'https',
    host,
    isProxied: false,
    isPassedOn: false,
  } as const;
  return served.refusal(caller, localAddress) === null;
}

test.for([
  ['localhost:8000', true],
  ['127.0.0.1', true],
  ['[::1]:8000', true],
  ['192.0.2.7:8000', false],
  ['evil.example', false],
  [undefined, false],
] as const)('on this machine only, %s: %s', ([host, expected]) => {
  expect(isServed(new ServedHosts(false, () => true), host)).toBe(expected);
});

test.for([
  ['localhost:8000', true],
  ['192.0.2.7:8000', true],
  ['192.0.2.7', true],
  [`${hostname().toUpperCase()}:8000`, true],
  ['muster.example:8000', true],
  ['muster.example.', true],
  ['192.0.2.8:8000', false],
  ['evil.example', false],
  ['muster.example.evil.example', false],
  ['', false],
  [undefined, false],
] as const)('beyond this machine, as muster.example, %s: %s', ([host, expected]) => {
  const served = new ServedHosts(false, () => true);
  served.add('muster.example');
  expect(isServed(served, host)).toBe(expected);
});

test('an address of IPv6 is served as the one by which the connection came', () => {
  const served = new ServedHosts(false, () => true);
  served.add('::');
  expect(isServed(served, '[2001:db8::7]:8000', '2001:db8::7')).toBe(true);
  expect(isServed(served, '[2001:db8::8]:8000', '2001:db8::7')).toBe(false);
  expect(isServed(served, '192.0.2.7:8000', '::ffff:192.0.2.7')).toBe(true);
});

test('with --open any name is served', () => {
  expect(isServed(new ServedHosts(true, () => false), 'whatever.example')).toBe(true);
});

test.each([true, false])('a proxy vouches for names where tokens are needed: %s', (areNeeded) => {
  const served = new ServedHosts(false, () => areNeeded);
  const caller = {
    address: '192.0.2.1',
    scheme: 'https',
    host: 'any.example',
    isProxied: true,
    isPassedOn: false,
  } as const;
  expect(served.refusal(caller) === null).toBe(areNeeded);
});
