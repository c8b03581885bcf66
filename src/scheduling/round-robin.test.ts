import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RoundRobinScheduler } from './round-robin.ts';
import { MadeCluster, makeWorker, rankNow, takeTurns } from './testing/made-cluster.ts';

test('goes round in the order of registration and skips who is not free', () => {
  const cluster = cycleOf('a', 'b', 'c');
  const scheduler = new RoundRobinScheduler();
  expect(turns(scheduler, cluster, 5)).toEqual(['a', 'b', 'c', 'a', 'b']);
  cluster.barred.add('c');
  expect(turns(scheduler, cluster, 2)).toEqual(['a', 'b']);
  cluster.barred.clear();
  expect(turns(scheduler, cluster, 2)).toEqual(['c', 'a']);
});

test('goes on behind the worker that had the last turn when that worker leaves', () => {
  const cluster = cycleOf('a', 'b', 'c', 'd');
  const scheduler = new RoundRobinScheduler();
  turns(scheduler, cluster, 2);
  cluster.leave(1);
  expect(turns(scheduler, cluster, 4)).toEqual(['c', 'd', 'a', 'c']);
});

test('goes on with the next cycle when the last worker leaves after its turn', () => {
  const cluster = cycleOf('a', 'b', 'c');
  const scheduler = new RoundRobinScheduler();
  turns(scheduler, cluster, 3);
  cluster.leave(2);
  expect(turns(scheduler, cluster, 3)).toEqual(['a', 'b', 'a']);
});

test('does not restart the cycle when a worker joins or the first one leaves', () => {
  const cluster = cycleOf('a', 'b', 'c');
  const scheduler = new RoundRobinScheduler();
  turns(scheduler, cluster, 2);
  cluster.join(makeWorker('d'));
  cluster.leave(0);
  expect(turns(scheduler, cluster, 4)).toEqual(['c', 'd', 'b', 'c']);
});

test('ranks by turn and names the worker that had the last one', () => {
  const cluster = cycleOf('a', 'b', 'c');
  const scheduler = new RoundRobinScheduler();
  expect(rankNow(scheduler, cluster).reason).toBe('first turn of the cycle');
  turns(scheduler, cluster, 2);
  const ranking = rankNow(scheduler, cluster);
  expect(ranking.workers.map(({ workerId }) => workerId)).toEqual(['c', 'a', 'b']);
  expect(ranking.reason).toBe('next free worker after b');
});

test('gives each steady worker floor or ceiling of its share, whatever joins and leaves', () => {
  const change = fc.constantFrom('turn', 'turn', 'turn', 'join', 'leave');
  fc.assert(
    fc.property(
      fc.array(fc.record({ change, at: fc.nat() }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 5 }),
      (steps, steady) => {
        const ids = Array.from({ length: steady }, (_, index) => `steady-${index}`);
        const cluster = cycleOf(...ids);
        const scheduler = new RoundRobinScheduler();
        const counts = new Map(ids.map((id) => [id, 0]));
        for (const [index, step] of steps.entries()) {
          if (step.change === 'join') {
            // A worker that was here before comes back to its place, not to the end.
            const place = step.at % (cluster.workers.length + 1);
            cluster.join(makeWorker(`guest-${index}`));
            cluster.workers.splice(place, 0, cluster.workers.pop()!);
          } else if (step.change === 'leave') {
            const guests = cluster.workers.filter(({ id }) => id.startsWith('guest'));
            const guest = guests[step.at % Math.max(1, guests.length)];
            if (guest !== undefined) cluster.leave(cluster.workers.indexOf(guest));
          } else {
            const [id = ''] = turns(scheduler, cluster, 1);
            if (counts.has(id)) counts.set(id, counts.get(id)! + 1);
          }
          const each = [...counts.values()];
          expect(Math.max(...each) - Math.min(...each)).toBeLessThanOrEqual(1);
        }
      },
    ),
  );
});

function cycleOf(...ids: string[]): MadeCluster {
  return new MadeCluster(...ids.map((id) => makeWorker(id)));
}

function turns(scheduler: RoundRobinScheduler, cluster: MadeCluster, tasks: number): string[] {
  return takeTurns(scheduler, cluster, tasks, () => {}).map((row) => cluster.workers[row]!.id);
}
