// Why a task is where it is, and how the workers would rank: the scheduler's reasons over the
// interface. Every answer is held against the published document by `call`.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { algorithmNames } from '../../src/protocol/schemas/scheduler.ts';
import { createMemoryDisk } from '../../src/store/memory/memory-disk.ts';
import { createMemoryStore } from '../../src/store/memory/memory-store.ts';
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
const strong = { cpu_load_percent: 5, ram_available_mb: 16_000, network_latency_ms: 2 };
const medium = { cpu_load_percent: 40, ram_available_mb: 8_000 };
const weak = { cpu_load_percent: 95, ram_available_mb: 500, network_latency_ms: 300 };

const get = async (path: string): Promise<Loose> => (await live.call('GET', path)).body;
const explain = (job: string, index = 0, query = '') =>
  get(`/api/jobs/${job}/tasks/${index}/explain${query}`);
const register = (device: object = {}) => HandWorker.register(live, device);
const preview = (json: object) => live.call('POST', '/api/scheduler/preview', { json });

async function configure(json: object): Promise<void> {
  expect((await live.call('PUT', '/api/scheduler/config', { json })).status).toBe(200);
}

describe('GET /api/scheduler/criteria', () => {
  test('is a bare array of the nine, with meaning, unit, kind and source', async () => {
    const criteria = await get('/api/scheduler/criteria');
    expect(criteria.map((each: Loose) => `${each.config_key} ${each.kind}`)).toEqual([
      'cpu benefit',
      'memory benefit',
      'throughput benefit',
      'failure_rate cost',
      'latency cost',
      'bandwidth benefit',
      'battery benefit',
      'energy cost',
      'load cost',
    ]);
    for (const each of criteria) {
      for (const field of ['id', 'name', 'meaning', 'unit', 'source', 'rule']) {
        expect(each[field], `${each.id} ${field}`).toMatch(/\S/);
      }
    }
  });
});

describe('a pending task', () => {
  test('waits for a worker to register', async () => {
    const told = await explain(await live.submit([1]));
    expect(told).toMatchObject({
      status: 'pending',
      attempt: 0,
      summary: 'No worker is registered.',
      waiting: { code: 'no_worker', tasks_ahead: 0, worker_count: 0, workers: [] },
      decision: null,
      decision_note: 'The task was not given to a worker yet.',
    });
    expect(told.story).toMatchObject([{ text: 'submitted' }]);
  });

  test('is told of each worker why it cannot take it', async () => {
    await register({ name: 'plain', telemetry: medium });
    const gpu = await register({ name: 'gpu', labels: { gpu: 'yes' }, telemetry: weak });
    await live.call('POST', `/api/workers/${gpu.id}/drain`);
    const requirements = { labels: { gpu: 'yes' }, min_ram_mb: 1000 };
    const { waiting, summary } = await explain(await live.submit([1], { requirements }));
    expect(waiting.code).toBe('no_eligible_worker');
    expect(summary).toBe(
      'None of the 2 workers can take it: 2 short of a requirement, 1 draining.',
    );
    const reasons = waiting.workers.map((each: Loose) => [
      each.name,
      each.eligible,
      each.reasons.map(({ text }: Loose) => text),
    ]);
    expect(reasons).toEqual([
      ['plain', false, ['label gpu is not set, asked for yes']],
      [
        'gpu',
        false,
        [
          'draining: it finishes what it has and takes nothing new',
          'available RAM is 500 MB, asked for 1000 MB',
        ],
      ],
    ]);
    expect(waiting.reasons).toEqual([
      { code: 'requirement', text: 'short of a requirement', workers: 2 },
      { code: 'draining', text: 'draining', workers: 1 },
    ]);
  });

  test('names what a worker lacks that could not have got it', async () => {
    const plain = await register({ name: 'plain', slots: 1 });
    await register({ name: 'gpu', labels: { gpu: 'yes' }, slots: 1 });
    const job = await live.submit([1], { requirements: { labels: { gpu: 'yes' } } });
    const { decision } = await explain(job);
    expect(decision.lacking).toEqual([
      { worker_id: plain.id, text: 'label gpu is not set, asked for yes' },
    ]);
  });

  test('is first when all workers are busy, or has others before it', async () => {
    await register({ slots: 2 });
    const job = await live.submit([1, 2, 3, 4]);
    const first = (await explain(job, 2)).waiting;
    expect(first).toMatchObject({ code: 'workers_busy', tasks_ahead: 0 });
    expect(first.workers[0]).toMatchObject({
      eligible: false,
      reasons: [{ code: 'no_free_slot', text: 'no free slot: 2 of 2 taken' }],
    });
    const second = (await explain(job, 3)).waiting;
    expect(second).toMatchObject({ code: 'queued_behind', tasks_ahead: 1 });
    const other = await live.submit([1, 2]);
    expect((await explain(other, 1)).waiting).toMatchObject({ tasks_ahead: 3 });
  });

  test('is not behind tasks that need other workers', async () => {
    await register({ slots: 1 });
    await live.submit([1]);
    await live.submit([1, 2, 3], { requirements: { labels: { gpu: 'yes' } } });
    const { waiting } = await explain(await live.submit([1]));
    expect(waiting).toMatchObject({ code: 'workers_busy', tasks_ahead: 0 });
  });

  test('has those of a larger priority before it when the algorithm says so', async () => {
    await configure({ algorithm: 'priority' });
    const job = await live.submit([1, 2, 3, 4], { task_priorities: [0, 5, 0, 9] });
    await live.submit([1], { priority: 7 });
    const ahead = async (index: number) => (await explain(job, index)).waiting.tasks_ahead;
    expect([await ahead(3), await ahead(1), await ahead(0), await ahead(2)]).toEqual([0, 2, 3, 4]);
    await configure({ algorithm: 'fifo' });
    expect([await ahead(0), await ahead(1), await ahead(2), await ahead(3)]).toEqual([0, 1, 2, 3]);
  });

  test('tells of each worker that was not eligible why, in every table', async () => {
    const failing = await register({ slots: 1, name: 'failing' });
    const job = await live.submit([1], { retry_delay_seconds: 0 });
    const busy = await register({ slots: 1, labels: { room: 'b' } });
    await live.submit([1]);
    const [given] = (await failing.claim()) as [Loose];
    const { task_id, attempt, token } = given;
    const right = await register({ slots: 1 });
    const error = { error_type: 'Error', error_message: 'no' };
    await failing.report({ failures: [{ task_id, attempt, token, ...error }] });
    const { decision } = await explain(job);
    const codes = (workers: Loose[]) =>
      workers.map((each) => [each.worker_id, each.reasons.map(({ code }: Loose) => code)]);
    expect(decision).toMatchObject({ attempt: 2, worker_id: right.id });
    const expected = [
      [failing.id, ['failed_here']],
      [busy.id, ['no_free_slot']],
      [right.id, []],
    ];
    expect(codes(decision.workers)).toEqual(expected);
    const told = await get('/api/scheduling-info');
    expect(codes(told.workers)).toEqual(expected);
    await live.submit([1], { requirements: { labels: { room: 'b' } } });
    await busy.completeAll();
    const after = await get('/api/scheduling-info');
    expect(after.workers[0].reasons).toEqual([
      { code: 'requirement', text: 'label room is not set, asked for b' },
    ]);
  });

  test('is waited for while its only worker refuses, with the reason and the time', async () => {
    const phone = await register({ name: 'phone' });
    const job = await live.submit([1]);
    for (const percent of [8, 7]) {
      let claimed: Loose[] = [];
      while (claimed.length === 0) claimed = await phone.claim();
      const [{ task_id, attempt, token }] = claimed as [Loose];
      const reason = `battery at ${percent} %`;
      await phone.report({ refusals: [{ task_id, attempt, token, reason }] });
    }
    const told = await explain(job);
    expect(told.waiting).toMatchObject({
      code: 'refused',
      reason: expect.stringMatching(
        /^The one worker that may run it, phone, refused it 2 times in a row \(battery at 7 %\), is asked again in /,
      ),
    });
    const task = await get(`/api/jobs/${job}/tasks/0`);
    expect(task.attempts).toMatchObject([
      { attempt: 1, count: 2, status: 'refused', error: { message: 'battery at 7 %' } },
    ]);
    expect(await get(`/api/workers/${phone.id}/failures`)).toEqual([]);
  });

  test('is told of by the algorithm that decided, also after another was activated', async () => {
    await register();
    const before = await get('/api/scheduling-info');
    await live.submit([1, 2]);
    await configure({ algorithm: 'edas' });
    const told = await get('/api/scheduling-info');
    const { scheduler } = await get('/api/evaluation/metrics');
    const fifo = (before.decisions_by_algorithm.fifo ?? 0) + 2;
    expect(told).toMatchObject({
      algorithm: 'edas',
      decisions_by_algorithm: { fifo },
      last_decision: { algorithm: 'fifo' },
    });
    expect(scheduler).toMatchObject({ algorithm: 'edas', decisions_by_algorithm: { fifo } });
    expect(told.decisions_by_algorithm.edas).toBe(before.decisions_by_algorithm.edas);
  });

  test('pauses after a failure, and has a story', async () => {
    const worker = await register({ name: 'desk' });
    const job = await live.submit([1], { retry_delay_seconds: 1000 });
    const [task] = await worker.claim();
    const { task_id, attempt, token } = task;
    const failure = { task_id, attempt, token, error_type: 'Error', error_message: 'no' };
    await worker.report({ failures: [failure] });
    const told = await explain(job);
    expect(told.waiting).toMatchObject({ code: 'retry_delay', tasks_ahead: null });
    expect(Date.parse(told.waiting.not_before)).toBeGreaterThan(Date.now());
    expect(told.waiting.workers[0].reasons).toMatchObject([{ code: 'failed_here' }]);
    expect(told.decision).toMatchObject({ attempt: 1, worker_id: worker.id });
    expect(told.story.map(({ text }: Loose) => text)).toEqual([
      'submitted',
      `attempt 1 given to desk (${worker.id})`,
      expect.stringMatching(/^failed after .*: Error: no$/),
      'may be tried again from then on',
    ]);
  });
});

describe('a placed task', () => {
  test.each(algorithmNames)('shows the decision that placed it under %s', async (algorithm) => {
    await configure({ algorithm });
    const workers = [
      await register({ slots: 8, telemetry: strong }),
      await register({ slots: 8, telemetry: medium }),
      await register({ slots: 8, telemetry: weak }),
    ];
    const job = await live.submit([1, 2, 3, 4, 5, 6, 7]);
    const { tasks } = await get(`/api/jobs/${job}`);
    for (let index = 0; index < 7; index++) {
      const { decision, decision_note, status } = await explain(job, index);
      expect([status, decision_note]).toEqual(['assigned', null]);
      expect(decision).toMatchObject({ algorithm, attempt: 1, worker_count: 3 });
      expect(decision.worker_id).toBe(tasks[index].worker_id);
      const selected = decision.workers.filter((each: Loose) => each.selected);
      expect(selected).toMatchObject([{ worker_id: decision.worker_id, eligible: true }]);
      expect(decision.reason).toMatch(/\S/);
      expect(decision.reason).not.toContain('was selected');
      expect(workers.map(({ id }) => id)).toContain(decision.runner_up.worker_id);
      expect(decision.runner_up.worker_id).not.toBe(decision.worker_id);
      expect(decision.score).toBe(selected[0].score);
    }
  });

  test('names runner-up, ties, and what was imputed and projected', async () => {
    await configure({ algorithm: 'edas' });
    const one = await register({ telemetry: strong });
    const two = await register({ telemetry: strong });
    const three = await register({ telemetry: medium });
    const job = await live.submit([1, 2]);
    const { decision } = await explain(job, 0);
    expect([decision.worker_id, decision.ties, decision.runner_up]).toEqual([
      one.id,
      [two.id],
      { worker_id: two.id, score: decision.score, difference: 0 },
    ]);
    expect(decision.imputed).toContainEqual({ worker_id: three.id, criterion: 'latency' });
    expect(decision.projected).toEqual([]);
    const second = (await explain(job, 1)).decision;
    expect(second.worker_id).toBe(two.id);
    expect(second.projected).toContainEqual({ worker_id: one.id, criterion: 'load' });
    expect(second.runner_up.difference).toBeGreaterThan(0);
    expect(Object.keys(second.workers[0].criteria)).toHaveLength(9);
  });

  test('shows what was, whatever the workers report afterwards', async () => {
    await configure({ algorithm: 'aras' });
    const one = await register({ telemetry: strong });
    await register({ telemetry: weak });
    const job = await live.submit([1]);
    const before = (await explain(job)).decision;
    expect(before.worker_id).toBe(one.id);
    await one.heartbeat(weak);
    await register({ telemetry: strong });
    await configure({ algorithm: 'mabac' });
    await live.submit([1, 2, 3]);
    expect((await explain(job)).decision).toEqual(before);
    await one.completeAll();
    const told = await explain(job);
    expect(told).toMatchObject({ status: 'completed', decision: before });
    expect(told.summary).toContain('It went there under aras: ');
  });

  test('tells the decision of an earlier attempt, and of none that there was not', async () => {
    const worker = await register();
    const job = await live.submit([1], { retry_delay_seconds: 0 });
    const [task] = await worker.claim();
    const { task_id, attempt, token } = task;
    const failure = { task_id, attempt, token, error_type: 'Error', error_message: 'no' };
    await configure({ algorithm: 'least_loaded' });
    await worker.report({ failures: [failure] });
    await worker.claim();
    const told = await explain(job);
    expect(told.decision).toMatchObject({ attempt: 2, algorithm: 'least_loaded' });
    expect((await explain(job, 0, '?attempt=1')).decision).toMatchObject({
      attempt: 1,
      algorithm: 'fifo',
    });
    expect(await explain(job, 0, '?attempt=3')).toMatchObject({
      decision: null,
      decision_note: 'The task has had no attempt 3; its newest is 2.',
    });
    for (const odd of ['0', 'x', '-1', '1.5', '']) {
      const path = `/api/jobs/${job}/tasks/0/explain?attempt=${odd}`;
      expect((await live.call('GET', path)).status).toBe(422);
    }
  });

  test('is unknown when it is not there', async () => {
    const job = await live.submit([1]);
    for (const path of [`${job}/tasks/1`, `${job}/tasks/x`, 'nobody/tasks/0']) {
      expect((await live.call('GET', `/api/jobs/${path}/explain`)).status).toBe(404);
    }
    await live.call('DELETE', '/api/database/clear');
    expect((await live.call('GET', `/api/jobs/${job}/tasks/0/explain`)).status).toBe(404);
  });
});

test('a decision that was made before the start, or that is no longer kept, says so', async () => {
  const disk = createMemoryDisk();
  const first = await startLiveServer({}, createMemoryStore(disk));
  await HandWorker.register(first, { slots: 2 });
  const old = await first.submit([1]);
  await first.close();
  const second = await startLiveServer({}, createMemoryStore(disk), {}, { decisionLogBytes: 1 });
  const path = (job: string) => `/api/jobs/${job}/tasks/0/explain`;
  const before = (await second.call('GET', path(old))).body;
  expect(before.decision).toBeNull();
  expect(before.decision_note).toContain('before the coordinator was started');
  await HandWorker.register(second, { slots: 2 });
  const evicted = await second.submit([1]);
  await second.submit([1]);
  const gone = (await second.call('GET', path(evicted))).body;
  expect(gone.decision).toBeNull();
  expect(gone.decision_note).toBe(
    'The decision that placed attempt 1 is no longer kept: the newest 1 decision is, in at most ' +
      '0 MiB of memory.',
  );
  await second.close();
});

test('a coordinator that keeps no decisions says so', async () => {
  const forgetful = await startLiveServer({}, undefined, {}, { decisionLogBytes: 0 });
  await HandWorker.register(forgetful, { slots: 2 });
  const job = await forgetful.submit([1]);
  const { decision, decision_note } = (
    await forgetful.call('GET', `/api/jobs/${job}/tasks/0/explain`)
  ).body;
  expect(decision).toBeNull();
  expect(decision_note).toBe('This coordinator keeps no decisions of the past.');
  await forgetful.close();
});

describe('POST /api/scheduler/preview', () => {
  test('ranks as things are when nothing is given', async () => {
    await configure({ algorithm: 'edas', weights: { ...equal, cpu: 0.6 } });
    const one = await register({ telemetry: strong });
    await register({ telemetry: weak });
    const { status, body } = await preview({});
    expect(status).toBe(200);
    expect(body).toMatchObject({
      algorithm: 'edas',
      weighting: 'manual',
      weights: { cpu: 0.6, memory: 0.2 },
      selected: one.id,
      worker_count: 2,
    });
    expect(body).not.toHaveProperty('placements');
    expect(body.workers.map((each: Loose) => [each.rank, each.selected])).toEqual([
      [1, true],
      [2, false],
    ]);
    expect(await live.submit([1]).then((job) => explain(job))).toMatchObject({
      decision: { worker_id: one.id, score: body.workers[0].score },
    });
  });

  test.each(algorithmNames)(
    'places tasks under %s as the scheduler does then',
    async (algorithm) => {
      for (const telemetry of [strong, medium, weak]) await register({ slots: 4, telemetry });
      await configure({ algorithm });
      // A preview continues from the turns and credits of the scheduler in force, after its first pass.
      await live.submit([1, 2]);
      const { body } = await preview({ tasks: 7 });
      const job = await live.submit([1, 2, 3, 4, 5, 6, 7]);
      const { tasks } = await get(`/api/jobs/${job}`);
      const counts = new Map<string, number>();
      for (const { worker_id } of tasks) counts.set(worker_id, (counts.get(worker_id) ?? 0) + 1);
      expect(
        Object.fromEntries(body.placements.map((each: Loose) => [each.worker_id, each.tasks])),
      ).toEqual(Object.fromEntries(counts));
      expect([body.selected, body.unplaced]).toEqual([tasks[0].worker_id, 0]);
      expect((await preview({ tasks: 7 })).body).toMatchObject({ unplaced: 4 });
    },
  );

  test('minds the requirements', async () => {
    await register({ telemetry: strong });
    const gpu = await register({ telemetry: weak, labels: { gpu: 'yes' } });
    const requirements = { labels: { gpu: 'yes' } };
    const { body } = await preview({ algorithm: 'edas', requirements });
    expect(body.selected).toBe(gpu.id);
    const none = (await preview({ requirements: { type: ['phone'] }, tasks: 2 })).body;
    expect(none).toMatchObject({ selected: null, placements: [], unplaced: 2 });
  });

  test('answers for an empty cluster', async () => {
    for (const algorithm of algorithmNames) {
      const { status, body } = await preview({ algorithm, weighting: 'entropy', tasks: 5 });
      expect(status).toBe(200);
      expect(body).toMatchObject({ selected: null, workers: [], placements: [], unplaced: 5 });
    }
  });

  test.each(['wrr', 'round_robin', 'edas'])('changes nothing under %s', async (algorithm) => {
    await configure({ algorithm });
    for (const telemetry of [strong, medium, weak]) await register({ telemetry });
    await live.submit([1, 2]);
    const state = async () => [
      await get('/api/scheduler/config'),
      await get('/api/scheduling-info'),
      await get('/api/workers'),
    ];
    const before = await state();
    const once = (await preview({ tasks: 5 })).body;
    for (const other of algorithmNames) {
      await preview({ algorithm: other, weights: { cpu: 3, energy: 1 }, tasks: 100 });
    }
    // A preview changes no turns or credits, so the next one is the same.
    expect((await preview({ tasks: 5 })).body).toEqual(once);
    expect(await state()).toEqual(before);
    const job = await live.submit([1]);
    expect((await explain(job)).decision.worker_id).toBe(once.selected);
  });

  test('refuses what a change of the configuration refuses, in the same words', async () => {
    const zero = Object.fromEntries(Object.keys(equal).map((key) => [key, 0]));
    const wrong = [
      { algorithm: 'nonsense' },
      { weights: { cpu: -1 } },
      { weighting: 'manual', weights: { cup: 1 } },
      { weights: zero },
      { weighting: 'best' },
      { weights: { cpu: 'x' } },
    ];
    for (const json of wrong) {
      const put = await live.call('PUT', '/api/scheduler/config', { json });
      const asked = await preview(json);
      expect([asked.status, asked.body]).toEqual([422, put.body]);
    }
    for (const json of [{ tasks: 0 }, { tasks: 1001 }, { surplus: 1 }, { requirements: 5 }]) {
      expect((await preview(json)).status).toBe(422);
    }
    expect((await live.call('POST', '/api/scheduler/preview')).status).toBe(422);
  });
});

test('a change of the configuration is an event with the old and the new values', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const events = live.coordinator.events.follow({ types: ['scheduler_configured'] }, { signal });
  const next = events[Symbol.asyncIterator]().next();
  await configure({ algorithm: 'edas', weights: { cpu: 0.7 } });
  const [event] = (await next).value as readonly { readonly data: string }[];
  expect(JSON.parse(event!.data)).toMatchObject({
    algorithm: 'edas',
    weights: { cpu: 0.7 },
    before: { algorithm: 'fifo', weights: { cpu: 0.2 } },
  });
  controller.abort();
});
