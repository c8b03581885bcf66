// What the specification says about scheduling and evaluation, seen from outside: which worker gets
// which task, and what the numbers say afterwards.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HandWorker } from './support/hand-worker.ts';
import { type LiveServer, type Loose, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer();
});
afterAll(() => live.close());
beforeEach(async () => {
  await live.call('DELETE', '/api/database/clear');
  await configure({ algorithm: 'fifo', weights: equal });
});

const equal = { cpu: 0.2, memory: 0.2, throughput: 0.2, failure_rate: 0.2, latency: 0.2 };
const none = { cpu: 0, memory: 0, throughput: 0, failure_rate: 0, latency: 0 };
const strong = { cpu_load_percent: 5, ram_available_mb: 16_000, network_latency_ms: 2 };
const medium = { cpu_load_percent: 40, ram_available_mb: 8_000, network_latency_ms: 20 };
const weak = { cpu_load_percent: 95, ram_available_mb: 500, network_latency_ms: 300 };

const get = async (path: string): Promise<Loose> => (await live.call('GET', path)).body;
const info = () => get('/api/scheduling-info');
const register = (device: object = {}) => HandWorker.register(live, device);
const range = (count: number) => ({ range: { start: 0, count } });

async function configure(json: object): Promise<void> {
  expect((await live.call('PUT', '/api/scheduler/config', { json })).status).toBe(200);
}

/** The worker of each task, null while it waits. */
async function placed(job: string): Promise<(string | null)[]> {
  return (await get(`/api/jobs/${job}`)).tasks.map((task: Loose) => task.worker_id);
}

const countOf = (workers: (string | null)[], { id }: HandWorker) =>
  workers.filter((each) => each === id).length;

describe('"Scheduling data flow"', () => {
  test('"The coordinator stores these values, so the scheduler always sees the latest cluster snapshot."', async () => {
    await configure({ algorithm: 'edas' });
    const one = await register({ telemetry: strong });
    const two = await register({ telemetry: weak });
    expect(await placed(await live.submit([1]))).toEqual([one.id]);
    await one.heartbeat(weak);
    await two.heartbeat(strong);
    expect(await placed(await live.submit([1]))).toEqual([two.id]);
  });

  test('"When a client submits a job, a scheduler of the configured algorithm is instantiated."', async () => {
    await register();
    for (const algorithm of await get('/api/scheduler/algorithms')) {
      await configure({ algorithm });
      const job = await live.submit([1]);
      expect((await info()).last_decision).toMatchObject({ algorithm, job_id: job });
    }
  });

  test('"scheduler state: active algorithm, per-worker criteria scores of the last decision, pending task queue depth"', async () => {
    await configure({ algorithm: 'aras' });
    const one = await register({ telemetry: strong, slots: 1 });
    const two = await register({ telemetry: weak, slots: 1 });
    const job = await live.submit(range(5));
    const told = await info();
    expect(told).toMatchObject({ algorithm: 'aras', pending_tasks: 3, active_tasks: 2 });
    expect(told.decisions_total).toBeGreaterThanOrEqual(2);
    expect(told.last_decision).toMatchObject({ job_id: job, reason: expect.any(String) });
    expect(told.workers.map((each: Loose) => each.worker_id).sort()).toEqual(
      [one.id, two.id].sort(),
    );
    for (const each of told.workers) {
      expect(Object.keys(each.criteria)).toHaveLength(9);
      expect(each.score).toBeGreaterThan(0);
    }
  });
});

describe('"Scheduler algorithms"', () => {
  test('fifo: "Tasks dispatched in submission order; worker state is not evaluated"', async () => {
    const first = await live.submit([1, 2]);
    const second = await live.submit([3, 4], { priority: 1000 });
    const one = await register({ slots: 3, telemetry: weak });
    expect(await placed(first)).toEqual([one.id, one.id]);
    expect(await placed(second)).toEqual([one.id, null]);
    const two = await register({ slots: 1, telemetry: strong });
    expect(await placed(second)).toEqual([one.id, two.id]);
  });

  test('fifo: the overloaded worker that came first is as good as any', async () => {
    const one = await register({ telemetry: weak });
    await register({ telemetry: strong });
    expect(await placed(await live.submit([1]))).toEqual([one.id]);
  });

  test('round_robin: "Cycles evenly across available workers"', async () => {
    await configure({ algorithm: 'round_robin' });
    const workers = [await register(), await register(), await register()];
    const job = await placed(await live.submit(range(9)));
    expect(workers.map((each) => countOf(job, each))).toEqual([3, 3, 3]);
    expect(job.slice(0, 3)).toEqual(job.slice(3, 6));
  });

  test('least_loaded: "Chooses the worker with the fewest active tasks"', async () => {
    const one = await register();
    await live.submit(range(3));
    const two = await register();
    await configure({ algorithm: 'least_loaded' });
    expect(await placed(await live.submit(range(3)))).toEqual([two.id, two.id, two.id]);
    const even = await placed(await live.submit(range(2)));
    expect(new Set(even)).toEqual(new Set([one.id, two.id]));
  });

  test('performance: "Prefers workers with historically faster completion times"', async () => {
    await configure({ algorithm: 'round_robin' });
    const slow = await register();
    const fast = await register();
    for (let i = 0; i < 3; i++) {
      await live.submit(range(2));
      await slow.completeAll({ run_ms: 4000 });
      await fast.completeAll({ run_ms: 10 });
    }
    await configure({ algorithm: 'performance' });
    expect(await placed(await live.submit([1]))).toEqual([fast.id]);
  });

  test('performance: what a report says counts for the next decision, without a heartbeat', async () => {
    await configure({ algorithm: 'performance' });
    const times = [200, 400, 50];
    const workers = await Promise.all(times.map(() => register({ slots: 1 })));
    const took: number[] = [];
    for (let job = 0; job < 12; job++) {
      const [id] = await placed(await live.submit([1]));
      const at = workers.findIndex((worker) => worker.id === id);
      await workers[at]!.completeAll({ run_ms: times[at] });
      took.push(times[at]!);
    }
    expect(took.slice(0, 3).toSorted((a, b) => a - b)).toEqual([50, 200, 400]);
    expect(took.slice(3)).toEqual(Array.from({ length: 9 }, () => 50));
    await live.submit([1]);
    const { last_decision, workers: ranked } = await info();
    expect(last_decision.reason).toBe('shortest completion time 50 ms');
    expect(ranked.map(({ details }: Loose) => details.basis)).toEqual(Array(3).fill('measured'));
  });

  test('edas: a failure and the time of a task count for the next decision too', async () => {
    await configure({ algorithm: 'edas', weights: { ...none, failure_rate: 1 } });
    const failing = await register();
    await live.submit([1], { max_attempts: 1 });
    const [{ task_id, attempt, token }] = (await failing.claim()) as [Loose];
    const sound = await register();
    const error = { error_type: 'Error', error_message: 'no' };
    await failing.report({ failures: [{ task_id, attempt, token, ...error }] });
    expect(await placed(await live.submit([1]))).toEqual([sound.id]);
  });

  test('priority: "Respects the job/task priority score"', async () => {
    await configure({ algorithm: 'priority' });
    const low = await live.submit([1], { priority: -5 });
    const mixed = await live.submit([1, 2, 3], { task_priorities: [0, 9, 3] });
    const high = await live.submit([1], { priority: 5 });
    const order: [string, number][] = [
      [mixed, 1],
      [high, 0],
      [mixed, 2],
      [mixed, 0],
      [low, 0],
    ];
    for (const [job, index] of order) {
      const worker = await register({ slots: 1 });
      expect((await placed(job))[index]).toBe(worker.id);
    }
  });

  test('wrr: "a worker of weight 3 receives 3 tasks for each task given to a worker of weight 1"', async () => {
    await configure({ algorithm: 'wrr', weights: { ...none, memory: 1 } });
    const three = await register({ telemetry: { ram_available_mb: 12_000 } });
    const one = await register({ telemetry: { ram_available_mb: 4_000 } });
    const job = await placed(await live.submit(range(12)));
    expect([countOf(job, three), countOf(job, one)]).toEqual([9, 3]);
  });

  test.each(['edas', 'aras', 'mabac', 'wrr'])(
    '%s: "the worker with the best suitability score (multi-criteria algorithms)"',
    async (algorithm) => {
      await configure({ algorithm });
      await register({ telemetry: weak });
      const best = await register({ telemetry: strong });
      await register({ telemetry: medium });
      expect(await placed(await live.submit([1]))).toEqual([best.id]);
      const { workers } = await info();
      expect(workers.map((each: Loose) => each.rank)).toEqual([1, 2, 3]);
      expect(workers[0]).toMatchObject({ worker_id: best.id, rank: 1, selected: true });
      const scores = workers.map((each: Loose) => each.score);
      expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
    },
  );

  test('edas: "Select the worker with the highest PDA and lowest NDA."', async () => {
    await configure({ algorithm: 'edas' });
    await register({ telemetry: weak });
    await register({ telemetry: strong });
    await live.submit([1]);
    const [first, second] = (await info()).workers;
    expect(first.details.sp).toBeGreaterThan(second.details.sp);
    expect(first.details.sn).toBeLessThan(second.details.sn);
  });

  test('aras: "Utility degree = worker score divided by optimal score."', async () => {
    await configure({ algorithm: 'aras' });
    await register({ telemetry: weak });
    await register({ telemetry: medium });
    await register({ telemetry: strong });
    await live.submit([1]);
    const { workers } = await info();
    const optimum = workers.map(({ details }: Loose) => details.s / details.k);
    for (const each of optimum) expect(each).toBeCloseTo(optimum[0], 9);
    for (const { score, details } of workers) {
      expect(score).toBeCloseTo(details.k, 12);
      expect(details.k).toBeLessThanOrEqual(1);
    }
  });

  test('mabac: "A worker above the border is in the upper area …; below it, in the lower area"', async () => {
    await configure({ algorithm: 'mabac' });
    await register({ telemetry: weak });
    await register({ telemetry: strong });
    await live.submit([1]);
    const [first, second] = (await info()).workers;
    expect(first.score).toBeGreaterThan(0);
    expect(second.score).toBeLessThan(0);
    expect(JSON.stringify(first.details)).toContain('upper');
    expect(JSON.stringify(second.details)).toContain('lower');
  });
});

describe('"Multi-criteria criteria"', () => {
  test('each of the table is a benefit or a cost, as it says there', async () => {
    await configure({ algorithm: 'edas' });
    await register({
      telemetry: {
        ...strong,
        network_bandwidth_mbps: 100,
        battery_level_percent: 80,
        power_watts: 20,
      },
    });
    await register({ telemetry: weak });
    await live.submit([1]);
    const { criteria } = (await info()).workers[0];
    const kinds = Object.entries(criteria).map(([name, each]) => [name, (each as Loose).kind]);
    expect(Object.fromEntries(kinds)).toEqual({
      memory: 'benefit',
      cpu: 'benefit',
      bandwidth: 'benefit',
      latency: 'cost',
      battery: 'benefit',
      load: 'cost',
      throughput: 'benefit',
      failure_rate: 'cost',
      energy: 'cost',
    });
    expect(criteria.cpu.value).toBeCloseTo(95, 9);
    expect(criteria.memory.value).toBe(16_000);
  });

  test('"Criterion weights are configurable": the same workers, another choice', async () => {
    const roomy = await register({
      telemetry: { cpu_load_percent: 50, ram_available_mb: 32_000, network_latency_ms: 200 },
    });
    const near = await register({
      telemetry: { cpu_load_percent: 50, ram_available_mb: 1_000, network_latency_ms: 1 },
    });
    for (const algorithm of ['edas', 'aras', 'mabac']) {
      await configure({ algorithm, weights: { ...none, memory: 1 } });
      expect(await placed(await live.submit([1]))).toEqual([roomy.id]);
      await configure({ weights: { ...none, latency: 1 } });
      expect(await placed(await live.submit([1]))).toEqual([near.id]);
    }
  });

  test('entropy: "criteria that vary more across the cluster get higher weight"', async () => {
    await configure({ algorithm: 'edas', weighting: 'entropy' });
    await register({
      telemetry: { cpu_load_percent: 50, ram_available_mb: 32_000, network_latency_ms: 10 },
    });
    await register({
      telemetry: { cpu_load_percent: 51, ram_available_mb: 500, network_latency_ms: 10 },
    });
    await live.submit([1]);
    const { last_decision: last } = await info();
    const weights = Object.entries(last.effective_weights as Record<string, number>);
    const [heaviest] = weights.toSorted(([, a], [, b]) => b - a)[0]!;
    expect(heaviest).toBe('memory');
    expect(weights.reduce((sum, [, weight]) => sum + weight, 0)).toBeCloseTo(1, 9);
    expect(last.effective_weights.latency).toBeCloseTo(0, 6);
  });
});

describe('"Evaluation metric definitions"', () => {
  /** Three tasks on one worker, one on the other. */
  async function threeAndOne(): Promise<{ jobs: Loose[]; one: HandWorker; two: HandWorker }> {
    const one = await register({ labels: { circle: 'one' } });
    const two = await register({ labels: { circle: 'two' } });
    const first = await live.submit(range(3), { requirements: { labels: { circle: 'one' } } });
    const second = await live.submit([1], { requirements: { labels: { circle: 'two' } } });
    await new Promise((resolve) => setTimeout(resolve, 120));
    await one.completeAll({ run_ms: 100, energy_joules: 2 });
    await two.completeAll({ run_ms: 100, energy_joules: 4 });
    const jobs = [await get(`/api/jobs/${first}`), await get(`/api/jobs/${second}`)];
    return { jobs, one, two };
  }

  const seconds = (job: Loose) =>
    (Date.parse(job.completed_at) - Date.parse(job.created_at)) / 1000;

  test('"Job execution time: Wall-clock seconds to complete the whole job"', async () => {
    const { jobs } = await threeAndOne();
    const times = jobs.map(seconds);
    const { job_execution_time_seconds: told } = await get('/api/evaluation/metrics');
    expect(told.max).toBeCloseTo(Math.max(...times), 3);
    expect(told.mean).toBeCloseTo((times[0]! + times[1]!) / 2, 3);
    const { job_execution_time_seconds: single } = await get(
      `/api/evaluation/metrics?job_id=${jobs[0].id}`,
    );
    expect(single.mean).toBeCloseTo(times[0]!, 3);
  });

  test('"Throughput: Total tasks divided by execution time (tasks/s)"', async () => {
    const { jobs } = await threeAndOne();
    const { throughput_tasks_per_second: told } = await get(
      `/api/evaluation/metrics?job_id=${jobs[0].id}`,
    );
    expect(told).toBeCloseTo(3 / seconds(jobs[0]), 2);
  });

  test('"Jain\'s fairness index: J = (sum x_i)^2 / (n * sum x_i^2)"', async () => {
    await threeAndOne();
    const jain = (3 + 1) ** 2 / (2 * (3 ** 2 + 1 ** 2));
    expect((await get('/api/evaluation/metrics')).jains_fairness_index).toBeCloseTo(jain, 12);
    const distribution = await get('/api/evaluation/load-distribution');
    expect(distribution.jains_fairness_index).toBeCloseTo(jain, 12);
  });

  test('"Average task time: Mean seconds per task over all workers"', async () => {
    await threeAndOne();
    const { average_task_time_seconds: told } = await get('/api/evaluation/metrics');
    expect(told).toBeGreaterThan(0);
    const rows = await get('/api/evaluation/worker-performance');
    const times = rows.map((row: Loose) => row.average_task_time_seconds);
    expect(told).toBeGreaterThanOrEqual(Math.min(...times));
    expect(told).toBeLessThanOrEqual(Math.max(...times));
  });

  test('"task distribution per worker"', async () => {
    const { one, two } = await threeAndOne();
    const { workers } = await get('/api/evaluation/load-distribution');
    const told = Object.fromEntries(
      workers.map((each: Loose) => [each.worker_id, [each.tasks_completed, each.share]]),
    );
    expect(told).toEqual({ [one.id]: [3, 0.75], [two.id]: [1, 0.25] });
  });

  test('"time series of throughput (tasks/s)"', async () => {
    await threeAndOne();
    const { bucket_seconds, points } = await get('/api/evaluation/throughput-history');
    expect(bucket_seconds).toBe(10);
    expect(points.length).toBeGreaterThanOrEqual(360);
    const total = points.reduce((sum: number, each: Loose) => sum + each.tasks_completed, 0);
    expect(total).toBe(4);
    for (const each of points) expect(each.throughput).toBeCloseTo(each.tasks_completed / 10, 9);
    const minutes = await get('/api/evaluation/throughput-history?bucket_seconds=60');
    expect([minutes.bucket_seconds, minutes.points.length]).toEqual([60, 60]);
  });

  test('"per-worker average task time, throughput, energy, failure rate"', async () => {
    const { one, two } = await threeAndOne();
    const labels = { circle: 'two' };
    await live.submit([1], { requirements: { labels }, max_attempts: 1 });
    const [{ task_id, attempt, token }] = await two.claim();
    const failure = { task_id, attempt, token, error_type: 'E', error_message: 'm' };
    await two.report({ failures: [failure] });
    const rows = await get('/api/evaluation/worker-performance');
    const row = (worker: HandWorker) => rows.find((each: Loose) => each.worker_id === worker.id);
    expect(row(one)).toMatchObject({ tasks_completed: 3, energy_joules: 6, failure_rate: 0 });
    expect(row(one).energy_joules_per_task).toBeCloseTo(2, 9);
    expect(row(two)).toMatchObject({ tasks_completed: 1, tasks_failed: 1, failure_rate: 0.5 });
    expect(row(one).throughput).toBeGreaterThan(0);
  });

  test('"An empty database answers `[]`, zeros and nulls: never NaN, never Infinity, never a 500"', async () => {
    const metrics = await get('/api/evaluation/metrics');
    expect(metrics).toMatchObject({ average_task_time_seconds: null, jains_fairness_index: null });
    expect((await get('/api/evaluation/load-distribution')).workers).toEqual([]);
    expect(await get('/api/evaluation/worker-performance')).toEqual([]);
    const { points } = await get('/api/evaluation/throughput-history');
    expect(points.every((each: Loose) => each.throughput === 0)).toBe(true);
    expect(await info()).toMatchObject({ last_decision: null, workers: [], pending_tasks: 0 });
  });

  test.each([
    'since=yesterday',
    'since=',
    'since=2026-05-04',
    'since=2026-02-31T99:00:00Z',
    'since=2026-05-04T09:30:00',
    'since=0',
    'since=2026-05-04T09:30:00Z&since=2026-05-04T09:30:00Z',
    'job_id=a&job_id=b',
  ])('"A bad query parameter: 422": ?%s', async (query) => {
    for (const name of [
      'metrics',
      'load-distribution',
      'throughput-history',
      'worker-performance',
    ]) {
      expect((await live.call('GET', `/api/evaluation/${name}?${query}`)).status).toBe(422);
    }
  });

  test.each(['0', '-1', 'ten', '', '1.5', 'Infinity', '1e99', '1&bucket_seconds=2'])(
    '"A bad query parameter: 422": ?bucket_seconds=%s',
    async (value) => {
      const path = `/api/evaluation/throughput-history?bucket_seconds=${value}`;
      expect((await live.call('GET', path)).status).toBe(422);
    },
  );

  test('`?since=` leaves out what was before, wherever in time it lies', async () => {
    await threeAndOne();
    for (const since of ['1970-01-01T00:00:00Z', '2020-05-04T09:30:00.5+02:00']) {
      const { tasks } = await get(`/api/evaluation/metrics?since=${encodeURIComponent(since)}`);
      expect(tasks.completed).toBe(4);
    }
    const { tasks } = await get('/api/evaluation/metrics?since=9999-12-31T23:59:59Z');
    expect(tasks.completed).toBe(0);
    for (const since of ['9999-12-31T23:59:59Z', '1970-01-01T00:00:00Z']) {
      const { points } = await get(`/api/evaluation/throughput-history?since=${since}`);
      expect(points.length).toBeGreaterThan(0);
      expect(points.length).toBeLessThanOrEqual(2000);
    }
  });
});
