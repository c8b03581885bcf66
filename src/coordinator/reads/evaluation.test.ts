// The four evaluations, of a small cluster in virtual time that begins at 1970-01-01T00:00:00Z.

import { describe, expect, test } from 'vitest';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import { Evaluation } from './evaluation.ts';

// Job `a`, 0 to 2.5 s: w1 completes two tasks of 1 s each for 20 J; on w2 one task fails after 0.5 s
// and is completed by the next attempt, in 2 s. Job `b`, 600 to 604 s: w1 completes its only task in
// 4 s; w2 has long been silent.
async function makeCluster() {
  // What failed on w2 goes back to it although w1 is there.
  const cluster = await VirtualCluster.start({ settings: { otherWorkerMs: 0 } });
  const w1 = await cluster.join('w1');
  const w2 = await cluster.join('w2', { type: 'android_kotlin', platform: 'android' });
  await cluster.submit('a', [1, 2, 3], { retryDelayMs: 0 });
  w1.start('a.0');
  w2.start('a.1');
  await cluster.advance(500);
  w2.fail('a.1');
  await cluster.settle();
  w2.start('a.1');
  await cluster.advance(500);
  w1.complete('a.0', 1, { energy_joules: 15 });
  await cluster.settle();
  w1.start('a.2');
  await cluster.advance(1_000);
  w1.complete('a.2', 3, { energy_joules: 5 });
  await cluster.advance(500);
  w2.complete('a.1', 2);
  await cluster.advance(597_500);
  w1.connect(cluster.coordinator);
  await cluster.settle();
  await cluster.submit('b', [1]);
  w1.start('b.0');
  await cluster.advance(4_000);
  w1.complete('b.0', 1);
  await cluster.settle();
  return cluster;
}

function evaluationOf(
  { coordinator, gate, runtime }: VirtualCluster,
  told: (step: string) => void = () => undefined,
): Evaluation {
  const store = new Proxy(gate.store, {
    get: (target, name) => (told(String(name)), Reflect.get(target, name) as unknown),
  });
  return new Evaluation({
    state: coordinator.state,
    store,
    loop: { settled: async () => undefined },
    attempts: { find: (asked) => coordinator.evaluation.attempts(asked) },
    attemptExport: { find: (asked) => coordinator.evaluation.exportAttempts(asked) },
    now: runtime.now,
    turn: async () => told('turn'),
    meanDecisionMicroseconds: () => 12.5,
  });
}

describe('metrics', () => {
  test('are of all jobs and workers', async () => {
    const evaluation = evaluationOf(await makeCluster());
    expect(await evaluation.metrics({})).toEqual({
      jobs: { total: 2, completed: 2, failed: 0, cancelled: 0, running: 0 },
      tasks: { total: 4, completed: 4, failed: 0, retried: 1, recovered: 0 },
      job_execution_time_seconds: { mean: 3.25, median: 3.25, p95: 4, max: 4 },
      average_task_time_seconds: 2,
      // 4 tasks within 2.5 + 4 seconds
      throughput_tasks_per_second: expect.closeTo(0.615384615, 9) as number,
      // (3 + 1)² / (2 · (9 + 1))
      jains_fairness_index: 0.8,
      // 15 + 5 as told; 4 s of a desktop at 10 W, 2 s of a phone at 2 W.
      energy_joules: 64,
      checkpoints: { count: 0, bytes: 0 },
      recovery: {
        events: 0,
        mean_seconds_to_resume: null,
        work_saved_seconds: 0,
        wasted_seconds: 0,
      },
      scheduler: {
        algorithm: 'fifo',
        decisions: 5,
        decisions_by_algorithm: { fifo: 5 },
        mean_decision_microseconds: 12.5,
      },
    });
  });

  test('give others a turn between what they read', async () => {
    const steps: string[] = [];
    await evaluationOf(await makeCluster(), (step) => steps.push(step)).metrics({});
    expect(steps).toEqual(
      [
        'listEndedJobs',
        'listDepartedWorkers',
        'sumWork',
        'sumRecoveries',
        'sumCheckpoints',
      ].flatMap((step) => [step, 'turn']),
    );
  });

  test('of one job leave the others out', async () => {
    const evaluation = evaluationOf(await makeCluster());
    expect(await evaluation.metrics({ jobId: 'a' })).toMatchObject({
      jobs: { total: 1, completed: 1 },
      tasks: { total: 3, completed: 3, retried: 1 },
      job_execution_time_seconds: { mean: 2.5, median: 2.5, p95: 2.5, max: 2.5 },
      average_task_time_seconds: expect.closeTo(4 / 3, 9) as number,
      throughput_tasks_per_second: 1.2,
      jains_fairness_index: 0.9,
    });
    expect(await evaluation.metrics({ jobId: 'c' })).toBeUndefined();
  });

  test('of a period leave out what was before it, in steps of ten seconds', async () => {
    const evaluation = evaluationOf(await makeCluster());
    const ofB = {
      jobs: { total: 1, completed: 1 },
      tasks: { total: 1, completed: 1, retried: 0 },
      throughput_tasks_per_second: 0.25,
      // w2 was not online any more.
      jains_fairness_index: 1,
    };
    expect(await evaluation.metrics({ since: 600_000 })).toMatchObject(ofB);
    expect(await evaluation.metrics({ since: 603_999 })).toMatchObject(ofB);
    expect(await evaluation.metrics({ jobId: 'a', since: 600_000 })).toMatchObject({
      jobs: { total: 0 },
      tasks: { total: 0, completed: 0 },
      throughput_tasks_per_second: 0,
      jains_fairness_index: null,
    });
  });

  test('of a period that is over leave out what came behind it', async () => {
    const evaluation = evaluationOf(await makeCluster());
    const before = { until: 600_000 };
    expect(await evaluation.metrics(before)).toMatchObject({
      jobs: { total: 1, completed: 1, running: 0 },
      tasks: { total: 3, completed: 3, retried: 1 },
    });
    // Two periods that adjoin are the whole.
    const [one, two, all] = await Promise.all(
      [before, { since: 600_000 }, {}].map(async (period) =>
        (await evaluation.workerPerformance(period))!.reduce(
          (sum, { tasks_completed: count }) => sum + count,
          0,
        ),
      ),
    );
    expect([one! + two!, one! > 0, two! > 0]).toEqual([all, true, true]);
    const history = await evaluation.throughputHistory({ since: 0, until: 20_000 });
    expect(history?.points.map((point) => point.tasks_completed)).toEqual([3, 0]);
  });

  test('count a job that is open until now', async () => {
    const cluster = await makeCluster();
    await cluster.submit('c', [1, 2]);
    await cluster.advance(1_500);
    expect(await evaluationOf(cluster).metrics({ jobId: 'c' })).toMatchObject({
      jobs: { total: 1, running: 1 },
      tasks: { total: 2, completed: 0 },
      job_execution_time_seconds: { mean: null },
      throughput_tasks_per_second: 0,
    });
    const all = await evaluationOf(cluster).metrics({});
    expect(all?.throughput_tasks_per_second).toBeCloseTo(4 / 8, 9);
  });

  test('are the same after a crash', async () => {
    const cluster = await makeCluster();
    const { scheduler: _, ...before } = (await evaluationOf(cluster).metrics({}))!;
    await cluster.crash();
    expect(await evaluationOf(cluster).metrics({})).toMatchObject(before);
  });

  test('of an empty database are zeros and nulls', async () => {
    const cluster = await makeCluster();
    await cluster.answer(cluster.coordinator.clear());
    const evaluation = evaluationOf(cluster);
    expect(await evaluation.metrics({})).toMatchObject({
      jobs: { total: 0 },
      tasks: { total: 0, completed: 0 },
      average_task_time_seconds: null,
      throughput_tasks_per_second: 0,
      jains_fairness_index: null,
    });
    expect(await evaluation.loadDistribution({})).toEqual({
      jains_fairness_index: null,
      coefficient_of_variation: null,
      workers: [],
    });
    expect(await evaluation.workerPerformance({})).toEqual([]);
    expect(await evaluation.metrics({ jobId: 'a' })).toBeUndefined();
  });
});

describe('load distribution', () => {
  const w1 = {
    worker_id: 'w1',
    name: 'w1',
    registered: true,
    type: 'pc',
    tasks_completed: 3,
    tasks_failed: 0,
    active_tasks: 0,
    busy_seconds: 6,
    share: 0.75,
  };
  const w2 = {
    worker_id: 'w2',
    name: 'w2',
    registered: true,
    type: 'android_kotlin',
    tasks_completed: 1,
    tasks_failed: 1,
    active_tasks: 0,
    busy_seconds: 2.5,
    share: 0.25,
  };

  test('has a line for every worker, and for those that were removed if they did something', async () => {
    const cluster = await makeCluster();
    const distribution = {
      jains_fairness_index: 0.8,
      coefficient_of_variation: 0.5,
      workers: [w1, w2],
    };
    expect(await evaluationOf(cluster).loadDistribution({})).toEqual(distribution);
    await cluster.join('idle');
    for (const name of ['w2', 'idle']) {
      await cluster.answer(cluster.coordinator.workers.deregister(name));
    }
    const workers = [w1, { ...w2, registered: false }];
    expect(await evaluationOf(cluster).loadDistribution({})).toEqual({ ...distribution, workers });
  });

  test('has an idle worker that was online, and none that came later', async () => {
    const cluster = await makeCluster();
    await cluster.join('w3');
    const idsOf = async (jobId?: string) => {
      const asked = jobId === undefined ? {} : { jobId };
      const answer = await evaluationOf(cluster).loadDistribution(asked);
      return answer?.workers.map((worker) => worker.worker_id);
    };
    expect(await idsOf()).toEqual(['w1', 'w2', 'w3']);
    expect(await idsOf('a')).toEqual(['w1', 'w2']);
    await cluster.advance(1_000);
    await cluster.submit('c', [1, 2, 3]);
    expect(await idsOf('c')).toEqual(['w1', 'w3']);
    expect((await evaluationOf(cluster).loadDistribution({}))?.workers[2]?.active_tasks).toBe(1);
  });
});

test('worker performance divides by busy time, by tasks and by attempts', async () => {
  const evaluation = evaluationOf(await makeCluster());
  expect(await evaluation.workerPerformance({})).toEqual([
    {
      worker_id: 'w1',
      name: 'w1',
      registered: true,
      type: 'pc',
      platform: 'linux',
      tasks_completed: 3,
      tasks_failed: 0,
      average_task_time_seconds: 2,
      throughput: 0.5,
      energy_joules: 60,
      energy_joules_per_task: 20,
      failure_rate: 0,
    },
    {
      worker_id: 'w2',
      name: 'w2',
      registered: true,
      type: 'android_kotlin',
      platform: 'android',
      tasks_completed: 1,
      tasks_failed: 1,
      average_task_time_seconds: 2,
      throughput: 0.4,
      energy_joules: 4,
      energy_joules_per_task: 4,
      failure_rate: 0.5,
    },
  ]);
  expect(await evaluation.workerPerformance({ jobId: 'c' })).toBeUndefined();
});

describe('throughput history', () => {
  test('has every second if asked for, and what ended in it', async () => {
    const evaluation = evaluationOf(await makeCluster());
    const history = await evaluation.throughputHistory({ since: 0, bucketSeconds: 1 });
    expect(history?.bucket_seconds).toBe(1);
    expect(history?.points).toHaveLength(605);
    const busy = history?.points.filter((point) => point.tasks_completed + point.tasks_failed > 0);
    const point = (at: string, completed: number, failed = 0) => ({
      at: `1970-01-01T00:${at}.000Z`,
      tasks_completed: completed,
      tasks_failed: failed,
      throughput: completed,
    });
    expect(busy).toEqual([
      point('00:00', 0, 1),
      point('00:01', 1),
      point('00:02', 2),
      point('10:04', 1),
    ]);
  });

  test('is of the last hour in buckets of ten seconds, of one job if asked', async () => {
    const evaluation = evaluationOf(await makeCluster());
    const history = await evaluation.throughputHistory({ jobId: 'b' });
    expect(history?.points).toHaveLength(360);
    expect(history?.points.at(-1)).toEqual({
      at: '1970-01-01T00:10:00.000Z',
      tasks_completed: 1,
      tasks_failed: 0,
      throughput: 0.1,
    });
    expect(history?.points.filter((point) => point.tasks_completed > 0)).toHaveLength(1);
    expect(await evaluation.throughputHistory({ jobId: 'c' })).toBeUndefined();
  });
});
