import { expect, test } from 'vitest';
import { isPin, pinnedAddress, withPin } from './pin.ts';

const pin = 'CqXbL1VcxCzh08JWPjUdN25y-6uhYCIPFlGT-OdS1l4';
const other = `x${pin.slice(1)}`;

test('a pin has 43 characters of base64url', () => {
  expect(isPin(pin)).toBe(true);
  expect(isPin(`${pin}=`)).toBe(false);
  expect(isPin(pin.slice(1))).toBe(false);
  expect(isPin(pin.replace('-', '+'))).toBe(false);
});

test('an address gives its pin away, and keeps the rest', () => {
  const url = 'https://pc.lan:8000/prefix';
  expect(pinnedAddress(url)).toEqual({ url, pin: undefined });
  expect(pinnedAddress(withPin(url, pin))).toEqual({ url, pin });
  expect(pinnedAddress(`${url}#t=mst_j_x.k=${pin}`)).toEqual({ url, pin });
  expect(pinnedAddress(`${url}#t=mst_j_x&k=${pin}`)).toEqual({ url, pin });
  expect(pinnedAddress(`${url}#part`)).toEqual({ url, pin: undefined });
  expect(pinnedAddress(url, pin)).toEqual({ url, pin });
  expect(pinnedAddress(withPin(url, pin), pin)).toEqual({ url, pin });
});

test.each([
  ['https://pc.lan#k=short', undefined, /"short" is not a pin: it has 43/],
  ['https://pc.lan#k=', undefined, /"" is not a pin/],
  ['https://pc.lan', 'short', /"short" is not a pin/],
  [`https://pc.lan#k=${pin}`, other, /names the pin Cq.*, and xq.* was given beside it/],
  [`http://pc.lan#k=${pin}`, undefined, /http:\/\/pc\.lan has none: use the address with https/],
  ['http://pc.lan', pin, /http:\/\/pc\.lan has none/],
])('%s with the pin %s is refused', (address, given, sentence) => {
  expect(() => pinnedAddress(address, given)).toThrow(sentence);
});
