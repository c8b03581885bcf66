import { expect, test } from 'vitest';
import { InFlight } from './in-flight.ts';

const free = 64 * 1024;

test('gives memory up to its limit, and takes it back', () => {
  const budget = new InFlight(1000);
  const one = budget.hold(true);
  const two = budget.hold(true);
  expect(one.resize(free + 600)).toBe(true);
  expect(two.resize(free + 500)).toBe(false);
  expect(two.resize(free + 400)).toBe(true);
  one.release();
  expect(two.resize(free + 1000)).toBe(true);
  two.release();
  expect(one.resize(free + 1000)).toBe(true);
});

test('keeps a part for workers', () => {
  const budget = new InFlight(1000);
  const job = budget.hold(false);
  const worker = budget.hold(true);
  expect(job.resize(free + 751)).toBe(false);
  expect(job.resize(free + 750)).toBe(true);
  expect(worker.resize(free + 250)).toBe(true);
  expect(worker.resize(free + 251)).toBe(false);
});

test('short bodies are free, however many there are', () => {
  const budget = new InFlight(0);
  for (let i = 0; i < 100; i++) expect(budget.hold(false).resize(free)).toBe(true);
  expect(budget.hold(false).resize(free + 1)).toBe(false);
});

test('calls a sender that waits for memory once, and not one that has given up', () => {
  const budget = new InFlight(1000);
  const one = budget.hold(true);
  one.resize(free + 1000);
  const called: string[] = [];
  budget.onRoom(() => called.push('first'));
  const giveUp = budget.onRoom(() => called.push('second'));
  giveUp();
  one.resize(free + 500);
  one.release();
  expect(called).toEqual(['first']);
});
