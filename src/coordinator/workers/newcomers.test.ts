import { expect, test } from 'vitest';
import type { WorkerDescription } from '../../core/commands.ts';
import type { State } from '../../core/state.ts';
import { defaultLimits } from '../../protocol/limits.ts';
import { Newcomers } from './newcomers.ts';

const plain: WorkerDescription = {
  name: null,
  type: 'pc',
  platform: 'linux',
  slots: 1,
  kinds: ['javascript'],
  runtimes: null,
  hands: [],
  labels: {},
  isolation: 'none',
  version: null,
  leaseMs: null,
  taskMemoryMb: null,
};

/** What counts of a worker: what it says of itself, and what it has done. */
function world(workers: readonly object[], newcomerBytes: number) {
  const byId = new Map(workers.map((worker, i) => [`${i}`, { ...plain, ...worker }]));
  const state = { workers: byId } as unknown as State;
  return { byId, newcomers: new Newcomers(state, { ...defaultLimits, newcomerBytes }) };
}

const fresh = { totalCompleted: 0, totalFailed: 0 };

test('the refusal names the limit that was reached', () => {
  const { byId } = world([fresh], 1);
  const few = { ...defaultLimits, workers: 1 };
  const full = new Newcomers({ workers: byId } as unknown as State, few);
  expect(full.refusal(plain, 0)?.detail).toContain('(limit workers)');
  const heavy = world([fresh], 1).newcomers;
  expect(heavy.refusal(plain, 0)?.detail).toContain('(limit newcomer_bytes)');
});

test('counts those that have not done anything', () => {
  const { newcomers } = world([fresh, fresh, { ...fresh, totalCompleted: 1 }], 3200);
  expect(newcomers.refusal(plain, 0)).toBe(null);
  expect(newcomers.refusal(plain, 1)).toMatchObject({ code: 'overloaded' });
});

test('counts labels by their size', () => {
  const large = { ...plain, labels: { gpu: 'x'.repeat(1000) } };
  expect(world([], 2000).newcomers.refusal(large, 0)).toMatchObject({ code: 'overloaded' });
  expect(world([], 3000).newcomers.refusal(large, 0)).toBe(null);
});

test('finds out within a second that there is room again', () => {
  const { newcomers, byId } = world([fresh, fresh], 2200);
  expect(newcomers.refusal(plain, 0)).toMatchObject({ code: 'overloaded' });
  byId.delete('0');
  expect(newcomers.refusal(plain, 999)).toMatchObject({ code: 'overloaded' });
  expect(newcomers.refusal(plain, 1000)).toBe(null);
});
