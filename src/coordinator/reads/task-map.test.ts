// The map of a job's tasks: whatever happens to them, it says of every index what the list of tasks says.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import type { TaskStatus } from '../../protocol/resources.ts';
import type { TaskMapAsked } from '../port/reads.ts';
import { cellWidth } from './task-map.ts';

const statuses = ['pending', 'assigned', 'running', 'completed', 'failed', 'cancelled'] as const;

async function mapOf(cluster: VirtualCluster, asked: Partial<TaskMapAsked> = {}) {
  const { reads } = cluster.coordinator;
  const map = await cluster.answer(
    reads.findTaskMap('j', { from: 0, to: null, cells: 2_500, ...asked }),
  );
  if (map === undefined) throw new Error('no such job');
  return map;
}

/** The status of each task, as its map with a cell for each says. */
async function mapped(cluster: VirtualCluster): Promise<TaskStatus[]> {
  const { counts, to } = await mapOf(cluster);
  return Array.from({ length: to }, (_, index) => {
    const found = statuses.filter((status) => counts[status][index] === 1);
    expect(found).toHaveLength(1);
    return found[0]!;
  });
}

async function listed(cluster: VirtualCluster): Promise<TaskStatus[]> {
  const asked = { status: null, after: -1, limit: 1_000, inputs: false };
  const page = await cluster.answer(cluster.coordinator.reads.findTasks('j', asked));
  return page!.tasks.map(({ status }) => status);
}

describe('the map of a job', () => {
  test('counts its tasks by status in cells', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 5 });
    const inputs = Array.from({ length: 11 }, (_, i) => i);
    await cluster.submit('j', inputs, { maxAttempts: 1 });
    worker.complete('j.0');
    worker.fail('j.1', { retryable: false });
    worker.start('j.2', 'j.3');
    await cluster.settle();
    const { counts, ...rest } = await mapOf(cluster, { cells: 3 });
    expect(rest).toEqual({ from: 0, to: 11, width: 4 });
    expect(counts.completed).toEqual([1, 0, 0]);
    expect(counts.failed).toEqual([1, 0, 0]);
    expect(counts.running).toEqual([2, 0, 0]);
    for (let cell = 0; cell < 3; cell++) {
      const sum = statuses.reduce((all, status) => all + counts[status][cell]!, 0);
      expect(sum).toBe(cell === 2 ? 3 : 4);
    }
    expect(await mapped(cluster)).toEqual(await listed(cluster));
    const part = await mapOf(cluster, { from: 1, to: 3 });
    expect([part.from, part.to, part.width]).toEqual([1, 3, 1]);
    expect([part.counts.failed, part.counts.running]).toEqual([
      [1, 0],
      [0, 1],
    ]);
    const behind = await mapOf(cluster, { from: 40, to: 50 });
    expect(behind).toMatchObject({ from: 11, to: 11, counts: { pending: [], completed: [] } });
  });

  test('has nothing for a job that is not there', async () => {
    const cluster = await VirtualCluster.start();
    const { reads } = cluster.coordinator;
    const asked = { from: 0, to: null, cells: 9 };
    expect(await cluster.answer(reads.findTaskMap('none', asked))).toBeUndefined();
  });

  test('is made once for all who ask for it at the same time', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.submit('j', [1, 2, 3]);
    const { reads } = cluster.coordinator;
    const asked = [2, 2, 3].map((cells) => reads.findTaskMap('j', { from: 0, to: null, cells }));
    const [one, two, other] = await cluster.answer(Promise.all(asked));
    expect(two).toBe(one);
    expect(other).not.toEqual(one);
    expect(await mapOf(cluster, { cells: 2 })).not.toBe(one);
  });

  test('of many tasks counts wide cells in parts', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 1 });
    await cluster.submit('j', { type: 'range', start: 0, count: 1_000_000 });
    worker.complete('j.0');
    await cluster.settle();
    const { width, counts } = await mapOf(cluster, { cells: 3 });
    expect(width).toBe(400_000);
    expect(counts.completed).toEqual([1, 0, 0]);
    const pending = counts.pending.map((each, cell) => each + counts.assigned[cell]!);
    expect(pending).toEqual([399_999, 400_000, 200_000]);
  });

  test('says of every task what the list says, whatever happens', async () => {
    const step = fc.record({
      kind: fc.constantFrom('start', 'complete', 'fail', 'release', 'wait', 'cancel', 'retry'),
      place: fc.nat(5),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.boolean(), async (steps, isMixed) => {
        const cluster = await VirtualCluster.start();
        const worker = await cluster.join('w', { slots: 4 });
        const inputs = Array.from({ length: 12 }, (_, i) => i);
        const taskPriorities = isMixed ? Int16Array.from(inputs, (i) => (i * 5) % 3) : null;
        await cluster.submit('j', inputs, { maxAttempts: 2, taskPriorities });
        for (const { kind, place } of steps) {
          const live = [...cluster.coordinator.state.workers.values()].flatMap(({ attempts }) =>
            Array.from(attempts, ({ task }) => `j.${task.index}`),
          );
          const task = live[place % Math.max(1, live.length)];
          if (kind === 'cancel') {
            if (place === 0) await cluster.answer(cluster.coordinator.jobs.cancel('j'));
          } else if (kind === 'retry') await cluster.answer(cluster.coordinator.jobs.retry('j'));
          else if (kind === 'wait') await cluster.advance(3_000);
          else if (task !== undefined && kind === 'release') worker.release(task);
          else if (task !== undefined && kind !== 'release') worker[kind](task);
          await cluster.settle();
          expect(await mapped(cluster)).toEqual(await listed(cluster));
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('the width of a cell', () => {
  test('is the smallest round number with which all fit', () => {
    expect([0, 1, 2_500, 2_501, 10_000, 10_001].map((tasks) => cellWidth(tasks, 2_500))).toEqual([
      1, 1, 1, 2, 4, 5,
    ]);
    expect(cellWidth(10_000_000, 2_500)).toBe(4_000);
    expect(cellWidth(10_000_000, 1)).toBe(10_000_000);
    expect(cellWidth(100, 3)).toBe(40);
  });
});
