import { expect, test } from 'vitest';
import { chartEvents } from './chart-events.ts';
import { before, nowMs, workerOf } from './testing/cluster-facts.ts';

const set = (seconds: number, algorithm: string) => ({ at: before(seconds), algorithm, by: null });

test('an algorithm that came into force is a mark, new weights of the same are none', () => {
  const changes = [set(10, 'edas'), set(20, 'edas'), set(30, 'fifo')];
  const marks = chartEvents({ changes, workers: [], startedAtMs: null });
  expect(marks).toEqual([
    { atMs: nowMs - 20_000, text: 'edas in force', short: 'edas' },
    { atMs: nowMs - 30_000, text: 'fifo in force', short: 'fifo' },
  ]);
});

test('devices that are gone stand where they were heard last, and the coordinator where it began', () => {
  const workers = [
    workerOf({ name: 'lagoon', status: 'offline', last_heartbeat: before(60) }),
    workerOf(),
  ];
  expect(chartEvents({ changes: [], workers, startedAtMs: nowMs - 500 })).toEqual([
    { atMs: nowMs - 60_000, text: 'lagoon gone' },
    { atMs: nowMs - 500, text: 'coordinator started', short: 'started' },
  ]);
});

test('a device that is drained stands where that was said; one that leaves by itself has no such moment', () => {
  const workers = [
    workerOf({ name: 'kestrel', draining: { since: before(40), deadline: null } }),
    workerOf({ name: 'dune', draining: { since: null, deadline: null } }),
  ];
  expect(chartEvents({ changes: [], workers, startedAtMs: null })).toEqual([
    { atMs: nowMs - 40_000, text: 'kestrel drained' },
  ]);
});
