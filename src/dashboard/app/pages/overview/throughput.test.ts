import { expect, test } from 'vitest';
import {
  endedWithin,
  fromHistory,
  rateOfLastMinute,
  ratesOf,
  type Throughput,
  withCounters,
} from './throughput.ts';
import { countersOf } from './testing/cluster-facts.ts';

const zero = Date.parse('2026-05-04T12:00:00.000Z');
const at = (seconds: number): string => new Date(zero + 1000 * seconds).toISOString();
const told = (seconds: number, completed: number, failed = 0) =>
  countersOf({ at: at(seconds), completed_since: completed, failed_since: failed });
const history = fromHistory({
  bucket_seconds: 10,
  points: [
    { at: at(0), tasks_completed: 200, tasks_failed: 1, throughput: 20 },
    { at: at(10), tasks_completed: 100, tasks_failed: 0, throughput: 10 },
  ],
});

test('what ends goes into the bucket in which it ended', () => {
  let { buckets } = withCounters(withCounters(history, told(15, 7, 2)), told(20.4, 5));
  expect(buckets.at(-1)).toEqual({ beginMs: zero + 10_000, completed: 112, failed: 2 });
  ({ buckets } = withCounters({ ...history, buckets }, told(21, 5)));
  expect(buckets.at(-1)).toEqual({ beginMs: zero + 20_000, completed: 5, failed: 0 });
});

test('the history that was read is not changed', () => {
  withCounters(history, told(15, 7));
  expect(history.buckets.at(-1)!.completed).toBe(100);
});

test('buckets in which nothing ended are there, with nothing in them', () => {
  const { buckets } = withCounters(history, told(45, 3));
  expect(buckets.map(({ completed }) => completed)).toEqual([200, 100, 0, 0, 3]);
});

test('however long it goes on, only so many buckets are kept', () => {
  const { buckets } = withCounters(history, told(1_000_000, 3), 50);
  expect(buckets).toHaveLength(50);
  expect(buckets.at(-1)!.completed).toBe(3);
});

test('without a history it begins with the first counters', () => {
  const { buckets } = withCounters({ bucketMs: 10_000, buckets: [] }, told(15, 3));
  expect(buckets).toEqual([{ beginMs: zero + 10_000, completed: 3, failed: 0 }]);
});

test('the rate of the present bucket is over what has passed of it', () => {
  expect(ratesOf(history, zero + 14_000)).toEqual([20, 25]);
  expect(ratesOf(history, zero + 60_000)).toEqual([20, 10]);
});

test('of a bucket that has just begun no rate can be told', () => {
  expect(ratesOf(history, zero + 10_500)).toEqual([20, null]);
});

test('what ended within some minutes is added up', () => {
  expect(endedWithin(history, zero + 20_000, 300_000)).toEqual({ completed: 300, failed: 1 });
  expect(endedWithin(history, zero + 20_000, 10_000)).toEqual({ completed: 100, failed: 0 });
});

const steady: Throughput = {
  bucketMs: 10_000,
  buckets: Array.from({ length: 20 }, (_, place) => ({
    beginMs: zero + place * 10_000,
    completed: 50,
    failed: 0,
  })),
};

test('a steady rate is told as it is at the end of each bucket', () => {
  expect(rateOfLastMinute(steady, zero + 200_000)).toBe(5);
});

test('of a cluster that began just now the rate is over the time that it has', () => {
  const young = { ...steady, buckets: steady.buckets.slice(0, 2) };
  expect(rateOfLastMinute(young, zero + 20_000)).toBe(5);
});

test('without any bucket of the last minute it is not known', () => {
  expect(rateOfLastMinute(steady, zero + 500_000)).toBeNull();
});
