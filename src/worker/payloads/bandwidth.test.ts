import { expect, test } from 'vitest';
import { Bandwidth } from './bandwidth.ts';

const mebibyte = 1024 * 1024;

test('is unknown until a payload has travelled that is large enough', () => {
  const bandwidth = new Bandwidth();
  bandwidth.note(1000, 1);
  bandwidth.note(mebibyte, 0);
  expect(bandwidth.mbps).toBeNull();
  // 8 388 608 bits in 83.886 08 ms
  bandwidth.note(mebibyte, 83.88608);
  expect(bandwidth.mbps).toBe(100);
});

test('follows what comes, a third at a time and never by a leap', () => {
  const bandwidth = new Bandwidth();
  bandwidth.note(mebibyte, 83.88608);
  bandwidth.note(mebibyte, 83.88608 / 2);
  expect(bandwidth.mbps).toBe(130);
  // Standing still for a minute counts as a quarter of what was, not as nothing: 130 − 0.3 · 97.5
  bandwidth.note(mebibyte, 60_000);
  expect(bandwidth.mbps).toBe(101);
  for (let i = 0; i < 100; i++) bandwidth.note(mebibyte, 838.8608);
  expect(bandwidth.mbps).toBe(10);
});
