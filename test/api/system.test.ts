import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type LiveServer, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer();
});
afterAll(() => live.close());

const nine = [
  'fifo',
  'round_robin',
  'least_loaded',
  'performance',
  'priority',
  'wrr',
  'edas',
  'aras',
  'mabac',
];
const config = async () => (await live.call('GET', '/api/scheduler/config')).body;

describe('workers', () => {
  test('"array of workers (all registered)", with the fields of the specification', async () => {
    const worker = await live.worker(() => undefined, { name: 'desk', slots: 2 });
    const { body } = await live.call('GET', '/api/workers');
    expect(body[0]).toMatchObject({
      id: worker.id,
      type: 'pc',
      platform: 'linux',
      status: 'online',
      active_tasks: 0,
      total_completed: 0,
      name: 'desk',
      slots: 2,
    });
    expect(body[0].last_heartbeat).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('drain and resume answer "200 the worker"', async () => {
    const worker = await live.worker(() => undefined);
    const drained = await live.call('POST', `/api/workers/${worker.id}/drain`);
    expect([drained.status, drained.body.status]).toEqual([200, 'draining']);
    expect(drained.body.draining).toEqual({ since: expect.any(String), deadline: null });
    const { since } = drained.body.draining;
    const drain = async (deadline: string) => {
      const path = `/api/workers/${worker.id}/drain?deadline_seconds=${deadline}`;
      return live.call('POST', path);
    };
    const timed = (await drain('60')).body.draining;
    expect(timed).toEqual({ since, deadline: expect.any(String) });
    const again = await live.call('POST', `/api/workers/${worker.id}/drain`);
    expect(again.body.draining).toEqual(timed);
    expect((await drain('none')).body.draining).toEqual({ since, deadline: null });
    for (const wrong of ['', '0', '-1', '1.5', 'soon', '99999999']) {
      expect((await drain(wrong)).status).toBe(422);
    }
    const resumed = await live.call('POST', `/api/workers/${worker.id}/resume`);
    expect(resumed.body.draining).toBeNull();
    expect([resumed.status, resumed.body.status]).toEqual([200, 'online']);
  });

  test('"worker no longer appears in the worker list" once it is deregistered', async () => {
    const worker = await live.worker(() => undefined);
    const { status, body } = await live.call('DELETE', `/api/workers/${worker.id}`);
    expect(status).toBe(200);
    expect(body).toEqual({ worker_id: worker.id, status: 'deregistered', requeued_tasks: 0 });
    await worker.closed;
    expect(worker.received.at(-1)).toMatchObject({ type: 'deregistered' });
    const left = (await live.call('GET', '/api/workers')).body;
    expect(left.map((each: { id: string }) => each.id)).not.toContain(worker.id);
    const again = await live.call('DELETE', `/api/workers/${worker.id}`);
    expect([again.status, again.body.code]).toEqual([404, 'unknown_worker']);
  });
});

describe('scheduler', () => {
  beforeEach(async () => {
    const weights = { cpu: 0.2, memory: 0.2, throughput: 0.2, failure_rate: 0.2, latency: 0.2 };
    await live.call('PUT', '/api/scheduler/config', { json: { algorithm: 'fifo', weights } });
  });

  test('"list of all available scheduler algorithm IDs"', async () => {
    expect((await live.call('GET', '/api/scheduler/algorithms')).body).toEqual(nine);
  });

  test('"the named algorithm is active": every one of the nine, and only those', async () => {
    for (const algorithm of nine) {
      const { status, body } = await live.call('POST', `/api/scheduler/activate/${algorithm}`);
      expect([status, body.algorithm]).toEqual([200, algorithm]);
      expect((await config()).algorithm).toBe(algorithm);
    }
    for (const unknown of [
      'best',
      'FIFO',
      '__proto__',
      'constructor',
      'fifo%2F',
      '%00',
      'a'.repeat(10_000),
    ]) {
      const { status, body } = await live.call('POST', `/api/scheduler/activate/${unknown}`);
      expect([status, body.code]).toEqual([404, 'unknown_algorithm']);
    }
    expect((await config()).algorithm).toBe('mabac');
  });

  test('"A weight left out keeps its value; `weights` without `weighting` sets `manual`"', async () => {
    await live.call('PUT', '/api/scheduler/config', { json: { weighting: 'entropy' } });
    const json = { algorithm: 'edas', weights: { cpu: 3, battery: 1 } };
    const { status, body } = await live.call('PUT', '/api/scheduler/config', { json });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      algorithm: 'edas',
      weighting: 'manual',
      weights: {
        cpu: 3,
        memory: 0.2,
        throughput: 0.2,
        failure_rate: 0.2,
        latency: 0.2,
        battery: 1,
      },
    });
    expect(body.weights).not.toHaveProperty('energy');
    const shares = Object.values(body.effective_weights as Record<string, number>);
    expect(shares).toHaveLength(9);
    expect(shares.reduce((sum, share) => sum + share)).toBeCloseTo(1, 12);
  });

  test('what is wrong is a 422 and "nothing changed"', async () => {
    const before = await config();
    const zero = {
      cpu: 0,
      memory: 0,
      throughput: 0,
      failure_rate: 0,
      latency: 0,
      bandwidth: 0,
      battery: 0,
      energy: 0,
      load: 0,
    };
    const bodies: unknown[] = [
      {},
      { weights: {} },
      { weights: zero },
      { algorithm: 'best' },
      { algorithm: null },
      { weighting: 'auto' },
      { weights: { speed: 1 } },
      { weights: { cpu: -0.1 } },
      { weights: { cpu: 1_000_001 } },
      { weights: { cpu: '1' } },
      { weights: { cpu: null } },
      { weights: [1] },
      { algorithm: 'edas', extra: 1 },
      [],
      null,
      'fifo',
      1,
    ];
    for (const json of bodies) {
      const { status, body } = await live.call('PUT', '/api/scheduler/config', { json });
      expect([JSON.stringify(json), status]).toEqual([JSON.stringify(json), 422]);
      expect(body.errors.length).toBeGreaterThan(0);
    }
    const headers = { 'content-type': 'application/json' };
    for (const body of ['{"weights":{"cpu":NaN}}', '{"weights":{"cpu":1e999}}', '{']) {
      const { status } = await live.call('PUT', '/api/scheduler/config', { body, headers });
      expect(status).toBe(422);
    }
    expect(await config()).toEqual(before);
  });
});

describe('the whole', () => {
  test('"clears all job, task, worker and checkpoint records", idempotent, configuration kept', async () => {
    await live.call('POST', '/api/scheduler/activate/aras');
    const id = await live.submit([1, 2]);
    const { body } = await live.call('DELETE', '/api/database/clear');
    expect(body.deleted).toMatchObject({ jobs: 1, tasks: 2, checkpoints: 0 });
    expect((await live.call('GET', `/api/jobs/${id}`)).status).toBe(404);
    expect((await live.call('GET', '/api/workers')).body).toEqual([]);
    const again = await live.call('DELETE', '/api/database/clear');
    expect(again.body.deleted).toEqual({ jobs: 0, tasks: 0, workers: 0, checkpoints: 0 });
    expect((await config()).algorithm).toBe('aras');
  });

  test('"listed at `GET /api/limits`": every limit, by its name on the wire', async () => {
    const { body } = await live.call('GET', '/api/limits');
    expect(body).toMatchObject({ body_bytes: 8 * 1024 * 1024, inputs_per_job: 10_000_000 });
  });

  test('"`GET /healthz` and `/readyz` answer 200 / 503"', async () => {
    const well = await live.call('GET', '/healthz');
    expect(well.body).toEqual({ status: 'ready', version: '1.2.3' });
    expect((await live.call('GET', '/readyz')).body).toEqual({ status: 'ready' });
    live.coordinator.health = 'stopping';
    expect((await live.call('GET', '/healthz')).status).toBe(200);
    const ready = await live.call('GET', '/readyz');
    expect([ready.status, ready.body.status]).toEqual([503, 'stopping']);
    const stats = await live.call('GET', '/api/stats');
    expect([stats.status, stats.body.code]).toEqual([503, 'shutting_down']);
    live.coordinator.health = 'failed';
    expect((await live.call('GET', '/healthz')).status).toBe(503);
    live.coordinator.health = 'ready';
  });
});
