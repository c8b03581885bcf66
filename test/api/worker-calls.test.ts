// Workers over plain HTTP: cases that the socket does not have. The common ones are in
// `transport.cases.ts`.

import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type LiveServer, type Loose, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer({ slotsPerWorker: 8, workers: 50 }, undefined, {
    heartbeatIntervalMs: 200,
    leaseMs: 600,
    graceMs: 200,
  });
});
afterAll(() => live.close());

interface Registered {
  readonly id: string;
  readonly token: string;
  call(name: string, json: unknown, token?: string): ReturnType<LiveServer['call']>;
}

let circles = 0;
const circle = () => ({ labels: { circle: `${circles++}` } });
const device = { type: 'android_kotlin', platform: 'android' };

async function register(more: object = {}): Promise<Registered> {
  const { status, body } = await live.call('POST', '/api/workers', {
    json: { ...device, ...more },
  });
  expect(status).toBe(201);
  const { worker_id: id, worker_token: token } = body;
  const call: Registered['call'] = (name, json, other = token) =>
    live.call('POST', `/api/workers/${id}/${name}`, {
      json,
      headers: { authorization: `Bearer ${other}` },
    });
  return { id, token, call };
}

const calls: readonly (readonly [string, object])[] = [
  ['heartbeat', { telemetry: {} }],
  ['claim', {}],
  ['report', {}],
  ['release', { attempts: [] }],
];

describe('registration', () => {
  test('"201 `{worker_id, worker_token, heartbeat_interval_seconds, lease_seconds}`"', async () => {
    const { status, body } = await live.call('POST', '/api/workers', { json: device });
    expect(status).toBe(201);
    expect(body).toEqual({
      worker_id: expect.any(String),
      worker_token: expect.stringMatching(/^\S{20,}$/),
      heartbeat_interval_seconds: 0.2,
      lease_seconds: 0.6,
    });
    const found = (await live.call('GET', '/api/workers')).body.find(
      (each: Loose) => each.id === body.worker_id,
    );
    expect(found).toMatchObject({ slots: 1, kinds: ['javascript'], labels: {}, name: null });
    expect(JSON.stringify(found)).not.toContain(body.worker_token);
  });

  test('takes telemetry along, and what makes no sense in it costs nothing', async () => {
    for (const telemetry of [{ cpu_load_percent: 10, ram_available_mb: 'x' }, 'warm', null, []]) {
      const { id } = await register({ telemetry });
      const found = (await live.call('GET', '/api/workers')).body.find((w: Loose) => w.id === id);
      expect(found.telemetry.ram_available_mb).toBeUndefined();
    }
  });

  test.each([['x'], [[1]], [null], [7]])(
    'names telemetry that is %j in a warning',
    async (wrong) => {
      const json = { ...device, telemetry: wrong };
      const { status, body } = await live.call('POST', '/api/workers', { json });
      expect([status, body.warnings]).toEqual([201, ['telemetry must be an object; ignored.']]);
      const worker = await register();
      const beat = await worker.call('heartbeat', { telemetry: wrong });
      expect(beat.body.warnings).toEqual(['telemetry must be an object; ignored.']);
    },
  );

  test('says which measurements it could not use, and where they do not stand', async () => {
    const json = { ...device, telemetry: { cpu_load_percent: 150 } };
    const { body } = await live.call('POST', '/api/workers', { json });
    expect(body.warnings).toEqual(['cpu_load_percent must be a number from 0 to 100; ignored.']);
    const inside = { device, telemetry: {} };
    const { status, body: refusal } = await live.call('POST', '/api/workers', { json: inside });
    expect(status).toBe(422);
    expect(refusal.errors.map(({ message }: Loose) => message).join(' ')).toContain(
      'has the unknown field "device"; it may have name, type, platform',
    );
  });

  test.each([
    ['nothing', {}, 'type'],
    ['no platform', { type: 'pc' }, 'platform'],
    ['an empty type', { ...device, type: '' }, 'type'],
    ['no slots', { ...device, slots: 0 }, 'slots'],
    ['too many slots', { ...device, slots: 9 }, 'slots'],
    ['no kinds', { ...device, kinds: [] }, 'kinds'],
    ['labels of numbers', { ...device, labels: { gpu: 1 } }, 'labels'],
    ['an unknown field', { ...device, colour: 'red' }, '"colour"'],
    ['an array', [], 'body'],
  ])('%s: 422 with a sentence that names it', async (_name, json, named) => {
    const { status, body } = await live.call('POST', '/api/workers', { json });
    expect([status, body.code]).toEqual([422, 'validation_failed']);
    expect(body.detail).toContain(named);
  });
});

describe('"every call carries `Authorization: Bearer <worker_token>`"', () => {
  test('without a token: 401, before anything else is looked at', async () => {
    const { id } = await register();
    for (const [name, json] of calls) {
      for (const authorization of [undefined, '', 'Bearer', 'Basic abc', 'Bearer a b', 'token']) {
        const headers = authorization === undefined ? {} : { authorization };
        const path = `/api/workers/${id}/${name}`;
        const { status, body, headers: told } = await live.call('POST', path, { json, headers });
        expect([status, body.code]).toEqual([401, 'unauthorized']);
        expect(told.get('www-authenticate')).toBe('Bearer');
      }
    }
  });

  test('with the token of another worker: 403 `not_yours`', async () => {
    const mine = await register();
    const other = await register();
    for (const [name, json] of calls) {
      const { status, body } = await mine.call(name, json, other.token);
      expect([status, body.code]).toEqual([403, 'not_yours']);
    }
  });

  test('of an unknown worker: 404 `unknown_worker`, however strange its id', async () => {
    const { token } = await register();
    const headers = { authorization: `Bearer ${token}` };
    for (const id of ['x', '__proto__', 'constructor', 'a%2Fb', '%zz', '%00', 'a'.repeat(10_000)]) {
      for (const [name, json] of calls) {
        const path = `/api/workers/${id}/${name}`;
        const { status, body } = await live.call('POST', path, { json, headers });
        expect(status).toBe(404);
        // An address that cannot be decoded names no worker at all.
        expect(id === '%zz' ? 'unknown_worker' : body.code).toBe('unknown_worker');
      }
    }
  });

  test('of one that was deregistered: 403 `deregistered`; a wrong token learns nothing', async () => {
    const worker = await register();
    await live.call('DELETE', `/api/workers/${worker.id}`);
    for (const [name, json] of calls) {
      const { status, body } = await worker.call(name, json);
      expect([status, body.code]).toEqual([403, 'deregistered']);
      expect((await worker.call(name, json, 'guessed')).body.code).toBe('unknown_worker');
    }
  });
});

describe('bodies', () => {
  test.each<[string, string, unknown, string]>([
    ['heartbeat', 'without telemetry', {}, 'telemetry must be an object; it is missing.'],
    ['heartbeat', 'with attempts that are none', { telemetry: {}, running: [{}] }, 'running[0]'],
    ['heartbeat', 'with an unknown field', { telemetry: {}, mood: 1 }, '"mood"'],
    ['claim', 'of nothing', { max: 0 }, 'max'],
    ['claim', 'of too much', { max: 9 }, 'max'],
    ['claim', 'that waits too long', { wait_seconds: 31 }, 'wait_seconds'],
    ['claim', 'that waits backwards', { wait_seconds: -1 }, 'wait_seconds'],
    ['claim', 'that is an array', [], 'body'],
    ['report', 'of something else', { gossip: [] }, '"gossip"'],
    ['report', 'that is no array', { results: {} }, 'results'],
    ['report', 'that is null', null, 'body'],
  ])('%s %s: 422', async (name, _what, json, named) => {
    const worker = await register();
    const { status, body } = await worker.call(name, json);
    expect([status, body.code]).toEqual([422, 'validation_failed']);
    expect(body.detail).toContain(named);
  });

  test('an entry that names no attempt is rejected like any other', async () => {
    const worker = await register();
    const { status, body } = await worker.call('report', {
      results: [null, 5, {}, { task_id: 'x.0', attempt: 'one', token: 't', value: 1 }],
    });
    expect(status).toBe(200);
    expect(body.accepted).toEqual([]);
    expect(body.rejected.map((each: Loose) => [each.task_id, each.attempt, each.code])).toEqual([
      [null, null, 'invalid_report'],
      [null, null, 'invalid_report'],
      [null, null, 'invalid_report'],
      ['x.0', null, 'invalid_report'],
    ]);
  });
});

describe('claiming', () => {
  test('"answers as soon as there is something"', async () => {
    const only = circle();
    const worker = await register(only);
    const waiting = worker.call('claim', { wait_seconds: 20 });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const before = performance.now();
    await live.submit([1], { requirements: only });
    const { body } = await waiting;
    expect(body.assignments).toHaveLength(1);
    expect(body.assignments[0]).toMatchObject({
      lease_seconds: 0.6,
      attempt_timeout_seconds: 3600,
      checkpoint: null,
    });
    expect(performance.now() - before).toBeLessThan(5000);
  });

  test('with nothing to do it answers an empty array when the time is over', async () => {
    const worker = await register(circle());
    const before = performance.now();
    expect((await worker.call('claim', { wait_seconds: 0.3 })).body).toEqual({ assignments: [] });
    expect(performance.now() - before).toBeGreaterThan(250);
    expect((await worker.call('claim', {})).body).toEqual({ assignments: [] });
  });

  test('of 300 slots with a program of two megabytes is answered, a part at a time', async () => {
    const large = await startLiveServer({}, undefined, { leaseMs: 60_000 });
    try {
      const json = { ...device, slots: 300 };
      const { body: worker } = await large.call('POST', '/api/workers', { json });
      const source = 'x'.repeat(2_000_000);
      const inputs = Array.from({ length: 300 }, (_, i) => i);
      const program = { kind: 'javascript', source };
      const job = { program, inputs };
      expect((await large.call('POST', '/api/jobs', { json: job })).status).toBe(201);
      const headers = { authorization: `Bearer ${worker.worker_token}` };
      const seen: number[] = [];
      for (const expected of [8, 16]) {
        const url = `/api/workers/${worker.worker_id}/claim`;
        const { status, body } = await large.call('POST', url, {
          json: { max: 300, wait_seconds: 5 },
          headers,
        });
        expect(status).toBe(200);
        for (const each of body.assignments) {
          expect(each.program).toMatchObject(program);
          seen.push(each.index);
        }
        expect(seen).toEqual(inputs.slice(0, expected));
      }
    } finally {
      await large.close();
    }
  });

  test('gives no more than `max`, and keeps the rest for the next claim', async () => {
    const only = circle();
    const worker = await register({ slots: 3, ...only });
    await live.submit([1, 2, 3, 4], { requirements: only });
    expect((await worker.call('claim', { max: 2 })).body.assignments).toHaveLength(2);
    expect((await worker.call('claim', {})).body.assignments).toHaveLength(1);
    expect((await worker.call('claim', {})).body.assignments).toHaveLength(0);
  });

  test('inputs come as the text that was sent', async () => {
    const only = circle();
    const worker = await register(only);
    const headers = { 'content-type': 'application/x-ndjson' };
    const job = { program: { kind: 'javascript', source: 'x' }, requirements: only };
    await live.call('POST', '/api/jobs', {
      body: `${JSON.stringify(job)}\n{"b":1.50,"a":12345678901234567890}\n`,
      headers,
    });
    const { text } = await worker.call('claim', { wait_seconds: 5 });
    expect(text).toContain('"input":{"b":1.50,"a":12345678901234567890}');
  });

  test('inputs of a JSON body and results of a report are the texts that were sent', async () => {
    const only = circle();
    const worker = await register(only);
    const headers = { 'content-type': 'application/json' };
    const number = '{ "b":1.50, "a":12345678901234567890 }';
    const job = JSON.stringify({
      program: { kind: 'javascript', source: 'x' },
      requirements: only,
    });
    const posted = await live.call('POST', '/api/jobs', {
      body: `${job.slice(0, -1)},"inputs":[ ${number} ]}`,
      headers,
    });
    const claimed = await worker.call('claim', { wait_seconds: 5 });
    expect(claimed.text).toContain(`"input":${number}`);
    const { task_id, attempt, token } = claimed.body.assignments[0];
    const ref = JSON.stringify({ task_id, attempt, token });
    await live.call('POST', `/api/workers/${worker.id}/report`, {
      body: `{"results":[${ref.slice(0, -1)},"value":${number}}]}`,
      headers: { ...headers, authorization: `Bearer ${worker.token}` },
    });
    const results = await live.call('GET', `/api/jobs/${posted.body.id}/results`);
    expect(results.text).toContain(`"value":${number}`);
  });

  test('of many entries that name no attempt the first are told, and how many there were', async () => {
    const worker = await register(circle());
    const started = Array.from({ length: 5_000 }, () => ({}));
    const { status, body } = await worker.call('report', { started });
    expect([status, body.accepted, body.rejected.length]).toEqual([200, [], 21]);
    expect(body.rejected.at(-1)).toMatchObject({
      code: 'invalid_report',
      detail: expect.stringContaining('(4980 entries that name no attempt are told as this one.)'),
    });
  });

  test('a client that goes away while it waits takes nothing with it', async () => {
    const only = circle();
    const worker = await register(only);
    await new Promise<void>((resolve) => {
      const gone = request(`${live.url}/api/workers/${worker.id}/claim`, {
        method: 'POST',
        headers: { authorization: `Bearer ${worker.token}`, 'content-type': 'application/json' },
      });
      gone.on('error', () => resolve());
      gone.end('{"wait_seconds":30}');
      setTimeout(() => gone.destroy(new Error('gone')), 150);
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await live.submit([1], { requirements: only });
    const { body } = await worker.call('claim', { wait_seconds: 5 });
    expect(body.assignments).toMatchObject([{ attempt: 1 }]);
  });

  test('"Undelivered after `lease_seconds`: taken back, neither a retry nor a recovery event"', async () => {
    const only = circle();
    const lazy = await register(only);
    const id = await live.submit([1], { requirements: only });
    const task = async () => (await live.call('GET', `/api/jobs/${id}/tasks/0`)).body;
    expect((await task()).worker_id).toBe(lazy.id);
    // Alive, but it does not ask for work.
    await eventually(
      async () => {
        await lazy.call('heartbeat', { telemetry: {} });
        return task();
      },
      ({ status }) => status === 'pending',
    );
    const busy = await register(only);
    const { body } = await busy.call('claim', { wait_seconds: 5 });
    expect(body.assignments).toHaveLength(1);
    const { task_id, attempt, token } = body.assignments[0];
    const done = await busy.call('report', { results: [{ task_id, attempt, token, value: 1 }] });
    expect(done.body.accepted).toEqual([{ task_id, attempt, kind: 'result' }]);
    const events = (await live.call('GET', '/api/checkpoints/recovery-events')).body;
    expect(events.filter((each: Loose) => each.job_id === id)).toEqual([]);
    expect((await live.call('GET', `/api/workers/${lazy.id}/failures`)).body).toEqual([]);
  });
});

describe('liveness', () => {
  test('a silent worker is offline, its started attempt is lost and goes elsewhere', async () => {
    const only = circle();
    const silent = await register(only);
    const id = await live.submit([1], { requirements: only });
    const { body } = await silent.call('claim', { wait_seconds: 5 });
    const { task_id, attempt, token } = body.assignments[0];
    const ref = { task_id, attempt, token };
    await silent.call('report', { started: [ref] });
    const events = await eventually(
      async () => (await live.call('GET', '/api/checkpoints/recovery-events')).body as Loose[],
      (all) => all.some((each) => each.job_id === id),
    );
    expect(events.find((each) => each.job_id === id)).toMatchObject({
      task_id,
      task_index: 0,
      from_worker_id: silent.id,
      to_worker_id: null,
      reason: 'worker_lost',
      attempt: 1,
      next_attempt: null,
      resumed_at: null,
      outcome: 'requeued',
    });
    const worker = (await live.call('GET', '/api/workers')).body.find(
      (each: Loose) => each.id === silent.id,
    );
    expect(worker).toMatchObject({ status: 'offline', active_tasks: 0 });
    // The worker was only slow: its late result counts.
    const late = await silent.call('report', { results: [{ ...ref, value: 'late' }] });
    expect(late.body.accepted).toEqual([{ task_id, attempt, kind: 'result' }]);
    expect((await live.call('GET', `/api/jobs/${id}`)).body.status).toBe('completed');
  });

  test('"an attempt that was delivered and is missing from two lists in a row is lost"', async () => {
    const only = circle();
    const worker = await register(only);
    const id = await live.submit([1], { requirements: only });
    const { body } = await worker.call('claim', { wait_seconds: 5 });
    const { task_id, attempt, token } = body.assignments[0];
    await worker.call('report', { started: [{ task_id, attempt, token }] });
    const { attempts } = await eventually(
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        await worker.call('heartbeat', { telemetry: {}, running: [] });
        return (await live.call('GET', `/api/jobs/${id}/tasks/0`)).body;
      },
      (told) => told.attempts[0].ended_at !== null,
    );
    expect(attempts[0]).toMatchObject({ attempt: 1, status: 'lost' });
  });

  test('an attempt that is listed stays, for longer than any lease', async () => {
    const only = circle();
    const worker = await register(only);
    const id = await live.submit([1], { requirements: only });
    const { body } = await worker.call('claim', { wait_seconds: 5 });
    const { task_id, attempt, token } = body.assignments[0];
    const ref = { task_id, attempt, token };
    await worker.call('report', { started: [ref] });
    for (let i = 0; i < 8; i++) {
      await new Promise((resolve) => setTimeout(resolve, 150));
      const { body: told } = await worker.call('heartbeat', { telemetry: {}, running: [ref] });
      expect(told.stop).toEqual([]);
    }
    expect((await live.call('GET', `/api/jobs/${id}/tasks/0`)).body).toMatchObject({
      status: 'running',
      attempt: 1,
    });
  });
});

test('a claim that waits does not hold up the end of the server', async () => {
  const other = await startLiveServer();
  const { body } = await other.call('POST', '/api/workers', { json: device });
  const waiting = other.call('POST', `/api/workers/${body.worker_id}/claim`, {
    json: { wait_seconds: 30 },
    headers: { authorization: `Bearer ${body.worker_token}` },
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  const before = performance.now();
  await other.server.close();
  expect((await waiting).body).toEqual({ assignments: [] });
  expect(performance.now() - before).toBeLessThan(2500);
  await other.close();
});

test('a task whose assignment never reached its worker comes back, with no failure to anyone', async () => {
  const only = circle();
  const worker = await register(only);
  for (let i = 0; i < 4; i++) {
    const gone = new AbortController();
    const lost = fetch(`${live.url}/api/workers/${worker.id}/claim`, {
      method: 'POST',
      headers: { authorization: `Bearer ${worker.token}`, 'content-type': 'application/json' },
      body: '{"wait_seconds":30}',
      signal: gone.signal,
    }).then(
      (response) => response.json() as Loose,
      () => ({ assignments: [] }),
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    const id = await live.submit([i], { requirements: only });
    gone.abort();
    const { assignments } = await lost;
    // What a lost answer has taken along comes back once it is missing from two heartbeats.
    await eventually(
      async () => {
        const claimed = (await worker.call('claim', { wait_seconds: 0.05 })).body.assignments;
        const held = [...assignments, ...claimed].filter((each: Loose) => each.job_id === id);
        const refs = held.map(({ task_id, attempt, token }: Loose) => ({
          task_id,
          attempt,
          token,
        }));
        await worker.call('report', { results: refs.map((ref: Loose) => ({ ...ref, value: 1 })) });
        await worker.call('heartbeat', { telemetry: {}, running: [] });
        return (await live.call('GET', `/api/jobs/${id}?tasks=false`)).body.status;
      },
      (status) => status === 'completed',
    );
  }
  expect((await live.call('GET', '/api/stats')).body.failed_jobs).toBe(0);
}, 60_000);

describe('release', () => {
  test('"nobody is charged, and their tasks go on elsewhere at once, from their last checkpoints"', async () => {
    const only = circle();
    const worker = await register(only);
    const id = await live.submit([1], { requirements: only });
    const { body } = await worker.call('claim', { wait_seconds: 5 });
    const { task_id, attempt, token } = body.assignments[0];
    const ref = { task_id, attempt, token };
    const state = { step: 3 };
    await worker.call('report', {
      started: [ref],
      checkpoints: [{ ...ref, sequence: 1, progress: 0.5, state }],
    });
    const wrong = { ...ref, token: 'x' };
    const given = await worker.call('release', { attempts: [wrong, ref, ref] });
    expect(given.status).toBe(200);
    const entry = { task_id, attempt, kind: 'release' };
    expect(given.body.accepted).toEqual([entry, entry]);
    expect(given.body.rejected).toMatchObject([{ ...entry, code: 'not_yours' }]);
    const again = await worker.call('claim', { wait_seconds: 5 });
    expect(again.body.assignments).toMatchObject([{ attempt: 2, checkpoint: { state } }]);
    const task = (await live.call('GET', `/api/jobs/${id}/tasks/0`)).body;
    expect(task.attempts[0]).toMatchObject({
      status: 'released',
      error: { type: 'worker_drained' },
    });
    const failures = await live.call('GET', `/api/workers/${worker.id}/failures`);
    expect(failures.body).toEqual([]);
  });

  test('"It is no sign of life"', async () => {
    const worker = await register();
    const lost = async () =>
      (await live.call('GET', `/api/workers/${worker.id}`)).body.status === 'offline';
    const isLost = await eventually(
      async () => {
        await worker.call('release', { attempts: [] });
        return lost();
      },
      (is) => is,
    );
    expect(isLost).toBe(true);
  });

  test.each([
    ['no list', {}, 'attempts must be an array of attempts'],
    ['an entry without a token', { attempts: [{ task_id: 'a.0', attempt: 1 }] }, 'token'],
    ['another field', { attempts: [], reason: 'closed' }, '"reason"'],
  ])('%s: 422 with a sentence that names it', async (_name, json, named) => {
    const { status, body } = await (await register()).call('release', json);
    expect([status, body.code]).toEqual([422, 'validation_failed']);
    expect(body.detail).toContain(named);
  });
});
