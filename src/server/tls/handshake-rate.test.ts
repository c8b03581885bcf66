import { expect, test } from 'vitest';
import { HandshakeRate } from './handshake-rate.ts';

let now = 0;

function taken(rate: HandshakeRate, address: string, times: number): number {
  return Array.from({ length: times }, () => rate.take(address)).filter(Boolean).length;
}

test('an address may begin as many in a moment as in ten seconds, and then so many a second', () => {
  const rate = new HandshakeRate(2, () => now);
  expect(taken(rate, 'a', 30)).toBe(20);
  now += 1_500;
  expect(taken(rate, 'a', 30)).toBe(3);
  now += 3_600_000;
  expect(taken(rate, 'a', 30)).toBe(20);
});

test('each address has its own', () => {
  const rate = new HandshakeRate(1, () => now);
  expect(taken(rate, 'a', 11)).toBe(10);
  expect(rate.take('b')).toBe(true);
});

test('of many addresses those that came first are forgotten', () => {
  const rate = new HandshakeRate(1, () => now);
  expect(taken(rate, 'first', 11)).toBe(10);
  for (let i = 0; i < 10_000; i++) rate.take(`${i}`);
  expect(rate.take('first')).toBe(true);
});
