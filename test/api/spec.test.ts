// The specification of the interface, sentence by sentence: resources, states, endpoints, errors. What
// it says about scheduling and evaluation is in `spec-scheduling.test.ts`.

import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { HandWorker } from './support/hand-worker.ts';
import { type LiveServer, type Loose, program, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
let worker: HandWorker;
let job: string;

const get = async (path: string): Promise<Loose> => (await live.call('GET', path)).body;

/** A worker that has completed one task, failed another, and lost a third to its own removal. */
beforeAll(async () => {
  live = await startLiveServer();
  const labels = { circle: 'first' };
  worker = await HandWorker.register(live, { name: 'desk', labels });
  job = await live.submit([1, 2, 3], { requirements: { labels }, max_attempts: 1, name: 'three' });
  const [one, two] = (await worker.claim()).map(({ task_id, attempt, token }) => ({
    task_id,
    attempt,
    token,
  }));
  await worker.report({
    results: [{ ...one, value: 1 }],
    failures: [{ ...two, error_type: 'TypeError', error_message: 'no number' }],
  });
  const gone = await HandWorker.register(live, { labels: { circle: 'second' } });
  await live.submit([4], { requirements: { labels: { circle: 'second' } } });
  const started = (await gone.claim()).map(({ task_id, attempt, token }) => ({
    task_id,
    attempt,
    token,
  }));
  await gone.report({ started });
  await live.call('DELETE', `/api/workers/${gone.id}`);
});
afterAll(() => live.close());

const isTime = (value: unknown) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(value));

const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  timestamp: isTime,
  'timestamp or null': (value) => value === null || isTime(value),
  'string or null': (value) => value === null || typeof value === 'string',
  array: Array.isArray,
};

function expectFields(value: Loose, fields: Readonly<Record<string, string>>): void {
  for (const [name, kind] of Object.entries(fields)) {
    expect(Object.keys(value)).toContain(name);
    expect(`${name}: ${kinds[kind]!(value[name])}`).toBe(`${name}: true`);
  }
}

describe('"Resources and their fields"', () => {
  test('"System stats (object)": eight integers', async () => {
    const stats = await get('/api/stats');
    expectFields(stats, {
      total_workers: 'integer',
      online_workers: 'integer',
      total_jobs: 'integer',
      completed_jobs: 'integer',
      failed_jobs: 'integer',
      running_jobs: 'integer',
      total_tasks_completed: 'integer',
      uptime_seconds: 'integer',
    });
    expect(stats).toMatchObject({ total_workers: 1, total_jobs: 2, total_tasks_completed: 1 });
  });

  test('"Job summary (element of the job list)"', async () => {
    const jobs = await get('/api/jobs');
    expect(jobs).toHaveLength(2);
    for (const each of jobs) {
      expectFields(each, {
        id: 'string',
        status: 'string',
        task_count: 'integer',
        created_at: 'timestamp',
        completed_at: 'timestamp or null',
        client_id: 'string',
      });
    }
  });

  test('"Job detail": id, status, "array of task entries"', async () => {
    const detail = await get(`/api/jobs/${job}`);
    expectFields(detail, { id: 'string', status: 'string', tasks: 'array' });
    for (const [position, entry] of detail.tasks.entries()) {
      expectFields(entry, {
        id: 'string',
        index: 'integer',
        status: 'string',
        worker_id: 'string',
        attempt: 'integer',
        result_available: 'boolean',
      });
      expect(entry.index).toBe(position);
    }
    expect(detail.tasks.map((each: Loose) => each.result_available)).toEqual([true, false, false]);
    expect(detail.tasks[0]).toMatchObject({
      worker_id: worker.id,
      attempt: 1,
      status: 'completed',
    });
  });

  test('"attempt counter (retries raise it)"', async () => {
    const labels = { circle: 'retries' };
    const id = await live.submit([1], { requirements: { labels }, retry_delay_seconds: 0 });
    const device = await HandWorker.register(live, { labels });
    const [{ task_id, attempt, token }] = await device.claim();
    const failure = { task_id, attempt, token, error_type: 'E', error_message: 'm' };
    await device.report({ failures: [failure] });
    expect((await device.claim())[0].attempt).toBe(2);
    expect((await get(`/api/jobs/${id}`)).tasks[0].attempt).toBe(2);
    await live.call('POST', `/api/jobs/${id}/cancel`);
    await live.call('DELETE', `/api/workers/${device.id}`);
  });

  test('"Worker"', async () => {
    const [row] = await get('/api/workers');
    expectFields(row, {
      id: 'string',
      type: 'string',
      platform: 'string',
      status: 'string',
      active_tasks: 'integer',
      total_completed: 'integer',
      last_heartbeat: 'timestamp',
    });
    expect(['online', 'busy']).toContain(row.status);
  });

  test('"Worker failure record (element of the failure history)"', async () => {
    const failures = await get(`/api/workers/${worker.id}/failures`);
    expect(failures).toHaveLength(1);
    expectFields(failures[0], {
      task_id: 'string',
      job_id: 'string',
      error_type: 'string',
      error_message: 'string',
      failed_at: 'timestamp',
    });
    expect(failures[0]).toMatchObject({ job_id: job, error_type: 'TypeError' });
  });

  test('"Error body": detail, a string', async () => {
    const error = await get('/api/jobs/none');
    expectFields(error, { detail: 'string' });
    expect(error.detail).toContain('none');
  });

  test('"Timestamps are ISO 8601 UTC strings. Identifiers are strings."', async () => {
    let times = 0;
    const paths = ['/api/jobs', `/api/jobs/${job}`, '/api/workers', '/api/scheduler/config'];
    for (const path of [...paths, '/api/checkpoints/recovery-events', '/api/scheduling-info']) {
      for (const [name, value] of leaves(await get(path))) {
        if (value === null) continue;
        if (/(?:^|_)at$|^last_heartbeat$/.test(name)) {
          expect(isTime(value)).toBe(true);
          times++;
        }
        if (/^id$|_id$/.test(name)) expect(typeof value).toBe('string');
      }
    }
    expect(times).toBeGreaterThan(10);
  });
});

describe('"States and transitions"', () => {
  test('"Job: completed; the stats counters also classify jobs as failed and running"', async () => {
    const other = await startLiveServer();
    const device = await HandWorker.register(other, { slots: 1 });
    const status = async (id: string) => (await other.call('GET', `/api/jobs/${id}`)).body.status;
    const stats = async () => (await other.call('GET', '/api/stats')).body;
    const good = await other.submit([1]);
    expect(await status(good)).toBe('running');
    expect(await stats()).toMatchObject({ total_jobs: 1, running_jobs: 1, completed_jobs: 0 });
    await device.completeAll();
    expect(await status(good)).toBe('completed');
    await other.submit([1], { max_attempts: 1 });
    const [{ task_id, attempt, token }] = await device.claim();
    const failure = { task_id, attempt, token, error_type: 'E', error_message: 'm' };
    await device.report({ failures: [failure] });
    expect(await stats()).toMatchObject({
      total_jobs: 2,
      running_jobs: 0,
      completed_jobs: 1,
      failed_jobs: 1,
      total_tasks_completed: 1,
    });
    await other.close();
  });

  test('"Worker: online, busy"', async () => {
    const labels = { circle: 'states' };
    const device = await HandWorker.register(live, { slots: 1, labels });
    expect((await device.row()).status).toBe('online');
    const id = await live.submit([1], { requirements: { labels } });
    expect(await device.row()).toMatchObject({ status: 'busy', active_tasks: 1 });
    await device.completeAll();
    expect(await device.row()).toMatchObject({ status: 'online', active_tasks: 0 });
    expect((await get(`/api/jobs/${id}`)).tasks[0].status).toBe('completed');
    await live.call('DELETE', `/api/workers/${device.id}`);
  });

  test('"worker deregistered and removed … no longer appears in the worker list"', async () => {
    const device = await HandWorker.register(live);
    expect((await live.call('DELETE', `/api/workers/${device.id}`)).status).toBe(200);
    expect(await device.row()).toBeUndefined();
  });

  test('"the named algorithm is active … takes effect at runtime, no restart"', async () => {
    for (const algorithm of await get('/api/scheduler/algorithms')) {
      await live.call('POST', `/api/scheduler/activate/${algorithm}`);
      expect((await get('/api/scheduler/config')).algorithm).toBe(algorithm);
      expect((await get('/api/scheduling-info')).algorithm).toBe(algorithm);
    }
  });

  test('"algorithm and weights updated … later decisions use the new values"', async () => {
    const weights = { cpu: 0, memory: 0, throughput: 0, failure_rate: 0, latency: 1 };
    const json = { algorithm: 'edas', weights };
    const { status } = await live.call('PUT', '/api/scheduler/config', { json });
    expect(status).toBe(200);
    const labels = { circle: 'weights' };
    const device = await HandWorker.register(live, {
      labels,
      telemetry: { network_latency_ms: 5 },
    });
    const id = await live.submit([1], { requirements: { labels } });
    const { last_decision: last } = await get('/api/scheduling-info');
    expect(last).toMatchObject({ algorithm: 'edas', job_id: id, worker_id: device.id });
    expect(last.effective_weights).toMatchObject({ latency: 1, cpu: 0 });
    await live.call('DELETE', `/api/workers/${device.id}`);
  });

  test('"job, task, worker and checkpoint records removed … destructive"', async () => {
    const other = await startLiveServer();
    await HandWorker.register(other);
    const id = await other.submit([1]);
    const { status, body } = await other.call('DELETE', '/api/database/clear');
    expect(status).toBe(200);
    expect(body.deleted).toMatchObject({ jobs: 1, tasks: 1, workers: 1 });
    expect((await other.call('GET', '/api/jobs')).body).toEqual([]);
    expect((await other.call('GET', '/api/workers')).body).toEqual([]);
    expect((await other.call('GET', '/api/checkpoints/recovery-events')).body).toEqual([]);
    expect((await other.call('GET', `/api/jobs/${id}`)).status).toBe(404);
    expect((await other.call('GET', `/api/checkpoints/job/${id}`)).status).toBe(404);
    await other.close();
  });
});

/** Method, path, what a successful answer is. In the order of the specification. */
const endpoints: readonly (readonly [string, string, (body: Loose) => boolean])[] = [
  ['GET', '/api/stats', isObject],
  ['GET', '/api/jobs', Array.isArray],
  ['GET', '/api/jobs/JOB', (body) => Array.isArray(body.tasks)],
  ['GET', '/api/workers', Array.isArray],
  ['GET', '/api/workers/WORKER/failures', Array.isArray],
  ['GET', '/api/scheduler/algorithms', (body) => body.length === 9],
  ['GET', '/api/scheduler/config', (body) => typeof body.algorithm === 'string'],
  ['POST', '/api/scheduler/activate/fifo', isObject],
  ['PUT', '/api/scheduler/config', isObject],
  ['GET', '/api/scheduling-info', (body) => Number.isInteger(body.pending_tasks)],
  ['GET', '/api/checkpoints/job/JOB', Array.isArray],
  ['GET', '/api/checkpoints/recovery-events', Array.isArray],
  ['GET', '/api/evaluation/metrics', isObject],
  ['GET', '/api/evaluation/load-distribution', (body) => Array.isArray(body.workers)],
  ['GET', '/api/evaluation/throughput-history', (body) => Array.isArray(body.points)],
  ['GET', '/api/evaluation/worker-performance', Array.isArray],
  ['DELETE', '/api/workers/WORKER', isObject],
  ['DELETE', '/api/database/clear', isObject],
];

function isObject(body: Loose): boolean {
  return typeof body === 'object' && body !== null && !Array.isArray(body);
}

describe('"Endpoints"', () => {
  test.each(['/', '/docs'])('GET %s: an HTML page', async (path) => {
    const response = await fetch(`${live.url}${path}`);
    expect([response.status, response.url]).toEqual([200, `${live.url}${path}`]);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(await response.text()).toMatch(/^(?:<!--[^>]*-->\s*)?<!doctype html>/i);
  });

  test('the other eighteen answer 200 and JSON, without any credential', async () => {
    const other = await startLiveServer();
    const device = await HandWorker.register(other);
    const id = await other.submit([1]);
    for (const [method, template, isRight] of endpoints) {
      const path = template.replace('JOB', id).replace('WORKER', device.id);
      const json = method === 'PUT' ? { json: { algorithm: 'fifo' } } : {};
      const { status, headers, body } = await other.call(method, path, json);
      expect(`${method} ${path} ${status}`).toBe(`${method} ${path} 200`);
      expect(headers.get('content-type')).toContain('application/json');
      expect(`${path} ${isRight(body)}`).toBe(`${path} true`);
    }
    expect(endpoints).toHaveLength(18);
    await other.close();
  });

  test('all of them are in the published document', () => {
    const { paths } = live.document.document;
    for (const [method, template] of endpoints) {
      const path = template
        .replace('JOB', '{job_id}')
        .replace('WORKER', '{worker_id}')
        .replace(/activate\/fifo/, 'activate/{algorithm}');
      expect(Object.keys(paths[path] ?? {})).toContain(method.toLowerCase());
    }
  });

  test('"All data endpoints are under `/api`", "Paths carry no version segment"', () => {
    for (const path of Object.keys(live.document.document.paths)) {
      expect(path).toMatch(/^\/(?:api\/|healthz$|readyz$|metrics$)/);
      expect(path).not.toMatch(/\/v\d/);
    }
  });

  test('"all task recovery events across all jobs"', async () => {
    const events = await get('/api/checkpoints/recovery-events');
    expect(events.map((each: Loose) => each.reason)).toContain('deregistered');
  });

  test('"all checkpoint records of that job": none of a job that wrote none', async () => {
    expect(await get(`/api/checkpoints/job/${job}`)).toEqual([]);
  });
});

test('"It keeps job, task, worker and checkpoint records in a database": they outlive the process', async () => {
  const file = join(tmpdir(), `muster-spec-${process.pid}.db`);
  const before = await startLiveServer({}, openSqliteStore(file));
  const device = await HandWorker.register(before, { name: 'kept' });
  const id = await before.submit([1]);
  await device.completeAll();
  const paths = [
    '/api/jobs',
    `/api/jobs/${id}`,
    `/api/jobs/${id}/results`,
    '/api/scheduler/config',
  ];
  const answers = await Promise.all(paths.map((path) => before.call('GET', path)));
  await before.close();
  const after = await startLiveServer({}, openSqliteStore(file));
  for (const [i, path] of paths.entries()) {
    expect((await after.call('GET', path)).body).toEqual(answers[i]!.body);
  }
  const [row] = (await after.call('GET', '/api/workers')).body;
  expect(row).toMatchObject({ id: device.id, name: 'kept', total_completed: 1 });
  await after.close();
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
});

describe('"Events"', () => {
  test('"a periodic message from each worker carrying CPU load, battery level, available RAM and network latency"', async () => {
    const device = await HandWorker.register(live);
    const before = await device.row();
    expect(before.last_heartbeat).toBe(before.registered_at);
    const telemetry = {
      cpu_load_percent: 35,
      battery_level_percent: 60,
      ram_available_mb: 2048,
      network_latency_ms: 12,
    };
    await new Promise((resolve) => setTimeout(resolve, 10));
    await device.heartbeat(telemetry);
    const after = await device.row();
    // "The service stores these values and updates the worker's last_heartbeat."
    expect(after.telemetry).toMatchObject(telemetry);
    expect(Date.parse(after.last_heartbeat)).toBeGreaterThan(Date.parse(before.last_heartbeat));
    await live.call('DELETE', `/api/workers/${device.id}`);
  });
});

describe('"Errors"', () => {
  test('1. "Every error response body is a JSON object with the string field `detail`."', async () => {
    const answers = await Promise.all([
      live.call('GET', '/api/jobs/none'),
      live.call('GET', '/nowhere'),
      live.call('PATCH', '/api/jobs'),
      live.call('PUT', '/api/scheduler/config', { json: {} }),
      live.call('POST', '/api/jobs', { json: { program, inputs: [] } }),
      live.call('POST', `/api/workers/${worker.id}/claim`, { json: {} }),
      live.call('DELETE', `/api/jobs/${job}`),
    ]);
    for (const { status, body } of answers) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(typeof body.detail).toBe('string');
    }
  });

  test('2. "When a request body fails validation (for example on the scheduler configuration update), the status is 422."', async () => {
    for (const json of [{}, { algorithm: 'x' }, { weights: { cpu: 'high' } }, [], null]) {
      expect((await live.call('PUT', '/api/scheduler/config', { json })).status).toBe(422);
      expect((await live.call('POST', '/api/jobs', { json })).status).toBe(422);
      expect((await live.call('POST', '/api/workers', { json })).status).toBe(422);
    }
  });

  test('3. "When the identified resource does not exist, the status is 404."', async () => {
    const calls = [
      ['GET', '/api/jobs/none'],
      ['GET', '/api/jobs/none/tasks/0'],
      ['GET', `/api/jobs/${job}/tasks/99`],
      ['DELETE', '/api/jobs/none'],
      ['DELETE', '/api/workers/none'],
      ['GET', '/api/workers/none/failures'],
      ['POST', '/api/scheduler/activate/none'],
      ['GET', '/api/checkpoints/job/none'],
      ['GET', '/api/evaluation/metrics?job_id=none'],
      ['GET', '/api/evaluation/load-distribution?job_id=none'],
      ['GET', '/api/evaluation/throughput-history?job_id=none'],
      ['GET', '/api/evaluation/worker-performance?job_id=none'],
    ] as const;
    for (const [method, path] of calls) {
      expect(`${path} ${(await live.call(method, path)).status}`).toBe(`${path} 404`);
    }
  });

  test('4. "Unexpected failures yield 500.", and nothing of their inside is told', async () => {
    const other = await startLiveServer();
    other.coordinator.reads.stats = () => Promise.reject(new Error('the secret inside'));
    const { status, text, body } = await other.call('GET', '/api/stats');
    expect([status, body.code]).toEqual([500, 'internal']);
    expect(text).not.toContain('secret');
    await other.close();
  });
});

/** Every value of an answer with the name of its field. */
function leaves(value: Loose, name = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [[name, value]];
  if (Array.isArray(value)) return value.flatMap((each) => leaves(each, name));
  return Object.entries(value).flatMap(([key, each]) => leaves(each, key));
}
