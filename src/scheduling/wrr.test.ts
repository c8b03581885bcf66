import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MadeCluster, makeConfig, makeWorker, rankNow, takeTurns } from './testing/made-cluster.ts';
import { WrrScheduler } from './wrr.ts';

// One criterion: the score of a worker is its RAM relative to the largest.
const byMemory = makeConfig('wrr', { memory: 1 });

test('gives three tasks to a worker of weight 3 for each one to a worker of weight 1', () => {
  const cluster = memories(3_000, 1_000);
  const rows = turns(new WrrScheduler(byMemory), cluster, 40);
  for (let from = 0; from < 40; from += 4) {
    expect(rows.slice(from, from + 4).filter((row) => row === 0)).toHaveLength(3);
  }
});

test('scores by weighted shares of the best value', () => {
  const cluster = new MadeCluster(
    makeWorker('a', { ramAvailableMb: 8_000, networkLatencyMs: 10, cpuLoadPercent: 20 }),
    makeWorker('b', { ramAvailableMb: 4_000, networkLatencyMs: 5, cpuLoadPercent: 80 }),
  );
  const scheduler = new WrrScheduler(makeConfig('wrr', { memory: 0.5, latency: 0.3, load: 0.2 }));
  const [first, second] = rankNow(scheduler, cluster).workers;
  // a: 0.5·1 + 0.3·(5/10) + 0.2·1; b: 0.5·(4/8) + 0.3·1 + 0.2·(20/80)
  expect(first).toMatchObject({ workerId: 'a' });
  expect(first!.score).toBeCloseTo(0.85, 12);
  expect(second!.score).toBeCloseTo(0.6, 12);
  expect(first!.details['share']).toBeCloseTo(0.85 / 1.45, 12);
});

test('holds the shares exactly in every full cycle of whole numbers', () => {
  const memory = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(memory, (weights) => {
      // Fractions of a largest weight that is a power of two lose nothing on the way.
      const rest = weights.map((weight) => weight / 16);
      const cluster = memories(...rest.map((weight) => 1_000 * weight), 1_000);
      const cycle = weights.reduce((sum, weight) => sum + weight, 16);
      const rows = turns(new WrrScheduler(byMemory), cluster, 3 * cycle);
      for (let from = 0; from < rows.length; from += cycle) {
        const counts = [...weights, 16].map(
          (_, row) => rows.slice(from, from + cycle).filter((each) => each === row).length,
        );
        expect(counts).toEqual([...weights, 16]);
      }
    }),
  );
});

test('skips a saturated worker, which earns no credit meanwhile', () => {
  const cluster = memories(3_000, 1_000, 1_000);
  const scheduler = new WrrScheduler(byMemory);
  turns(scheduler, cluster, 5);
  cluster.barred.add('w0');
  expect(turns(scheduler, cluster, 6).filter((row) => row === 1)).toHaveLength(3);
  cluster.barred.clear();
  const after = turns(scheduler, cluster, 5);
  expect(after.filter((row) => row === 0)).toHaveLength(3);
});

test('lets a worker that is full earn nothing, whatever the others are given meanwhile', () => {
  const cluster = memories(3_000, 1_000, 1_000);
  const scheduler = new WrrScheduler(byMemory);
  const creditOf = (id: string) =>
    rankNow(scheduler, cluster).workers.find(({ workerId }) => workerId === id)?.details['credit'];
  turns(scheduler, cluster, 2);
  const before = creditOf('w0');
  cluster.barred.add('w0');
  turns(scheduler, cluster, 50);
  expect(creditOf('w0')).toBe(before);

  scheduler.begin(cluster);
  const contest = scheduler.contest(Uint8Array.of(1, 1, 1));
  contest.drop(0);
  for (let task = 0; task < 50; task++) contest.take(contest.best());
  expect(creditOf('w0')).toBe(before);
});

test('keeps the scores that a computation from scratch would give', () => {
  const megabytes = fc.option(fc.integer({ min: 0, max: 5 }));
  const step = fc.record({ row: fc.nat({ max: 9 }), megabytes, done: fc.nat({ max: 3 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), fc.boolean(), (steps, isEntropy) => {
      const config = { ...makeConfig('wrr'), weighting: isEntropy ? 'entropy' : 'manual' } as const;
      const cluster = memories(3_000, 1_000, 2_000);
      const scheduler = new WrrScheduler(config);
      steps.forEach(({ row, megabytes: ramAvailableMb, done }, index) => {
        const at = row % Math.max(1, cluster.workers.length);
        if (row === 9) cluster.join(makeWorker(`joined-${index}`, { ramAvailableMb }));
        else if (row === 8 && cluster.workers.length > 1) cluster.leave(at);
        else cluster.heartbeat(at, { ramAvailableMb, completed: 90 + done });
        const kept = rankNow(scheduler, cluster);
        const fresh = rankNow(new WrrScheduler(config), cluster);
        expect(kept.effectiveWeights).toEqual(fresh.effectiveWeights);
        const tableOf = ({ workers }: typeof kept) =>
          workers.map(({ workerId, score, criteria }) => ({ workerId, score, criteria }));
        expect(tableOf(kept)).toEqual(tableOf(fresh));
        turns(scheduler, cluster, 1);
      });
    }),
    { numRuns: 60 },
  );
});

test('ignores tasks assigned since the heartbeat', () => {
  const cluster = memories(1_000, 1_000);
  cluster.place(0);
  const { workers } = rankNow(new WrrScheduler(makeConfig('wrr', { load: 1 })), cluster);
  expect(workers.map(({ criteria }) => criteria.load?.value)).toEqual([40, 40]);
  expect(workers.map(({ criteria }) => criteria.load?.projected)).toEqual([false, false]);
});

test('gives nothing to a worker of score 0 while another is free', () => {
  const cluster = memories(1_000, 0);
  const scheduler = new WrrScheduler(byMemory);
  expect(turns(scheduler, cluster, 3)).toEqual([0, 0, 0]);
  cluster.barred.add('w0');
  expect(turns(scheduler, cluster, 1)).toEqual([1]);
});

test('takes turns when every score is 0', () => {
  const cluster = memories(0, 0, 0);
  expect(turns(new WrrScheduler(byMemory), cluster, 6)).toEqual([0, 1, 2, 0, 1, 2]);
});

test('keeps credits by worker when others join and leave', () => {
  const cluster = memories(1_000, 1_000, 1_000);
  const scheduler = new WrrScheduler(byMemory);
  turns(scheduler, cluster, 2);
  cluster.leave(0);
  cluster.join(makeWorker('new', { ramAvailableMb: 1_000 }));
  // w1 has had its turn, w2 has not; the newcomer stands between them.
  expect(turns(scheduler, cluster, 3).map((row) => cluster.workers[row]!.id)).toEqual([
    'w2',
    'new',
    'w1',
  ]);
});

test('shares the credit of a worker that leaves among those that stay', () => {
  const cluster = memories(1_000, 1_000, 1_000, 1_000);
  const scheduler = new WrrScheduler(byMemory);
  turns(scheduler, cluster, 1);
  cluster.leave(0);
  const { workers } = rankNow(scheduler, cluster);
  expect(workers.map(({ details }) => details['credit'])).toEqual([0, 0, 0]);
});

test('breaks ties between equal credits by fewer active tasks', () => {
  const cluster = memories(1_000, 1_000);
  cluster.place(0);
  expect(turns(new WrrScheduler(byMemory), cluster, 2)).toEqual([1, 0]);
});

test('says whose turn it is and how large the share', () => {
  const cluster = memories(3_000, 1_000);
  const ranking = rankNow(new WrrScheduler(byMemory), cluster);
  expect(ranking.reason).toBe('its turn at a share of 75 %');
  expect(ranking.workers.map(({ details }) => details['share'])).toEqual([0.75, 0.25]);
});

function memories(...megabytes: number[]): MadeCluster {
  const workers = megabytes.map((ramAvailableMb, row) => makeWorker(`w${row}`, { ramAvailableMb }));
  return new MadeCluster(...workers);
}

function turns(scheduler: WrrScheduler, cluster: MadeCluster, tasks: number): number[] {
  return takeTurns(scheduler, cluster, tasks, () => {});
}
