// The tasks of a job as pages, and its errors by kinds. Every answer is held against the published document by
// `call`.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HandWorker } from './support/hand-worker.ts';
import { type LiveServer, type Loose, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
let worker: HandWorker;
beforeAll(async () => {
  live = await startLiveServer();
  worker = await HandWorker.register(live, { slots: 6 });
});
afterAll(() => live.close());

interface Page {
  readonly status: number;
  readonly indices: readonly number[];
  readonly tasks: Loose;
  /** Path of the next page. */
  readonly next: string | null;
}

async function get(path: string): Promise<Page> {
  const { status, body, headers } = await live.call('GET', path);
  const [, next = null] = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '') ?? [];
  return {
    status,
    indices: status === 200 ? body.map((t: Loose) => t.index) : [],
    tasks: body,
    next,
  };
}

const page = (job: string, query = '') => get(`/api/jobs/${job}/tasks${query}`);

/** Ten tasks: 0 and 3 completed, 1 and 2 failed, 4 running, 5 assigned, the rest pending. */
async function submitMixed(): Promise<string> {
  const job = await live.submit({ range: { start: 0, count: 10 } }, { max_attempts: 1 });
  const attempts = (await worker.claim()).map(({ task_id, attempt, token }: Loose) => ({
    task_id,
    attempt,
    token,
  }));
  await worker.report({
    results: [0, 3].map((i) => ({ ...attempts[i], value: i, run_ms: 1_500 })),
    failures: [1, 2].map((i) => ({
      ...attempts[i],
      error_type: 'RangeError',
      error_message: `row ${i}`,
    })),
    started: [attempts[4]],
  });
  return job;
}

describe('the tasks of a job', () => {
  let job: string;
  beforeAll(async () => {
    job = await submitMixed();
  });
  afterAll(() => live.call('POST', `/api/jobs/${job}/cancel`));

  test('come in index order with what their newest attempts came to', async () => {
    const { indices, tasks, next } = await page(job);
    expect([indices, next]).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], null]);
    expect(tasks.map(({ status }: Loose) => status).slice(0, 4)).toEqual([
      'completed',
      'failed',
      'failed',
      'completed',
    ]);
    expect(tasks[0]).toMatchObject({ run_seconds: 1.5, worker_id: worker.id, error: null });
    expect(tasks[2]).toMatchObject({
      id: `${job}.2`,
      attempt: 1,
      error: { type: 'RangeError', message: 'row 2' },
      completed_at: expect.stringContaining('Z'),
    });
  });

  test('are found by status, those too that were never given out', async () => {
    expect((await page(job, '?status=failed')).indices).toEqual([1, 2]);
    expect((await page(job, '?status=completed')).indices).toEqual([0, 3]);
    expect((await page(job, '?status=running')).indices).toEqual([4]);
    expect((await page(job, '?status=cancelled')).indices).toEqual([]);
    const { indices: assigned } = await page(job, '?status=assigned');
    const { indices: pending } = await page(job, '?status=pending');
    expect([...assigned, ...pending]).toEqual([5, 6, 7, 8, 9]);
  });

  test('come page by page', async () => {
    const seen: (readonly number[])[] = [];
    let next: string | null = `/api/jobs/${job}/tasks?limit=4`;
    while (next !== null) {
      const one: Page = await get(next);
      seen.push(one.indices);
      next = one.next;
    }
    expect(seen).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9],
    ]);
    const first = await page(job, '?status=failed&limit=1');
    expect([first.indices, first.next]).toEqual([
      [1],
      `/api/jobs/${job}/tasks?status=failed&limit=1&after=1`,
    ]);
    expect(await get(first.next!)).toMatchObject({ indices: [2], next: null });
    expect((await page(job, '?after=9')).indices).toEqual([]);
    expect((await page(job, '?after=16777215')).indices).toEqual([]);
  });

  test.each([
    ['status=lost', 'status'],
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['after=-1', 'after'],
    ['after=x', 'after'],
    ['after=1&after=2', 'after'],
  ])('refuses %s', async (query, field) => {
    const { status, tasks } = await page(job, `?${query}`);
    expect([status, tasks.errors[0].path]).toEqual([422, field]);
  });

  test('are none where there is no such job', async () => {
    for (const what of ['tasks', 'errors', 'task-map']) {
      const { status, body } = await live.call('GET', `/api/jobs/nope/${what}`);
      expect([status, body.detail]).toEqual([404, 'No job has the id "nope".']);
    }
  });
});

const taskMap = async (job: string, query = '') =>
  live.call('GET', `/api/jobs/${job}/task-map${query}`);

describe('the map of a job', () => {
  let job: string;
  beforeAll(async () => {
    job = await submitMixed();
  });
  afterAll(() => live.call('POST', `/api/jobs/${job}/cancel`));

  test('counts its tasks by status in cells of consecutive ones', async () => {
    const { body } = await taskMap(job, '?cells=3');
    expect(body).toMatchObject({ from: 0, to: 10, width: 4 });
    expect([body.counts.completed, body.counts.failed, body.counts.running]).toEqual([
      [2, 0, 0],
      [2, 0, 0],
      [0, 1, 0],
    ]);
    const waiting = body.counts.pending.map((n: number, i: number) => n + body.counts.assigned[i]);
    expect([waiting, body.counts.cancelled]).toEqual([
      [0, 3, 2],
      [0, 0, 0],
    ]);
    const part = (await taskMap(job, '?from=1&to=4')).body;
    expect([part.from, part.to, part.width, part.counts.failed]).toEqual([1, 4, 1, [1, 1, 0]]);
    expect((await taskMap(job, '?from=2&to=99&cells=1')).body).toMatchObject({ to: 10, width: 10 });
  });

  test.each([
    ['cells=0', 'cells'],
    ['cells=4001', 'cells'],
    ['from=-1', 'from'],
    ['to=x', 'to'],
    ['from=5&to=4', 'to'],
  ])('is refused with %s, in a sentence', async (query, field) => {
    const { status, body } = await taskMap(job, `?${query}`);
    expect([status, body.code, body.errors[0].path]).toEqual([422, 'validation_failed', field]);
  });
});

test('no task comes twice or is left out while tasks change their status', async () => {
  const job = await submitMixed();
  const first = await page(job, '?limit=5');
  await live.call('POST', `/api/jobs/${job}/cancel`);
  const second = await get(first.next!);
  expect([...first.indices, ...second.indices]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(second.tasks.every(({ status }: Loose) => status === 'cancelled')).toBe(true);
  // Those that were given out have rows, those that were not have none.
  expect((await page(job, '?status=cancelled')).indices).toEqual([4, 5, 6, 7, 8, 9]);
  expect((await page(job, '?status=cancelled&limit=2&after=5')).indices).toEqual([6, 7]);
  expect((await page(job, '?status=pending')).indices).toEqual([]);
  expect((await page(job, '?status=running')).indices).toEqual([]);
});

test('a task has its input, and a list has those of its tasks when it is asked for them', async () => {
  const inputs = [{ rate: 0.5 }, null, 'two', [1, -0.5]];
  const job = await live.submit(inputs);
  const told = await page(job, '?inputs=true');
  expect(told.tasks.map(({ input }: Loose) => input)).toEqual(inputs);
  expect((await page(job)).tasks[0]).not.toHaveProperty('input');
  const { body } = await live.call('GET', `/api/jobs/${job}/tasks/1`);
  expect(body).toMatchObject({ index: 1, input: null });
  const range = await live.submit({ range: { start: 40, count: 3 } });
  const last = await page(range, '?inputs=true&after=1');
  expect(last.tasks).toMatchObject([{ index: 2, input: 42 }]);
  for (const id of [job, range]) await live.call('POST', `/api/jobs/${id}/cancel`);
});

test('a page with inputs ends early where they get large, and the next goes on behind it', async () => {
  const large = Array.from({ length: 5 }, (_, index) => `${index}`.repeat(700_000));
  const job = await live.submit(large);
  const seen: (readonly number[])[] = [];
  let next: string | null = `/api/jobs/${job}/tasks?inputs=true`;
  while (next !== null) {
    const one: Page = await get(next);
    seen.push(one.indices);
    expect(one.tasks.map(({ input }: Loose) => input[0])).toEqual(one.indices.map(String));
    next = one.next;
  }
  expect(seen).toEqual([[0, 1], [2, 3], [4]]);
  await live.call('POST', `/api/jobs/${job}/cancel`);
});

test('a job tells what was chosen for it, in the words of a submission', async () => {
  const chosen = {
    max_attempts: 2,
    max_lost_attempts: 4,
    retry_delay_seconds: 0.5,
    attempt_timeout_seconds: null,
    progress_timeout_seconds: 7,
    on_task_failure: 'fail_job',
    memory_mb: 1024,
    keep_output: 'always',
    live_output: true,
    late_results: 'reject',
    requirements: { type: ['pc'], min_ram_mb: 64, labels: { gpu: 'yes' } },
    checkpoint: { interval_seconds: 5 },
    speculation: { enabled: true, max_copies: 2, max_share: 0.5 },
    retain_seconds: 600,
  };
  const job = await live.submit([1], chosen);
  const { body } = await live.call('GET', `/api/jobs/${job}?tasks=false`);
  expect(body.options).toEqual(chosen);
  const again = await live.submit([1], body.options);
  const second = await live.call('GET', `/api/jobs/${again}?tasks=false`);
  expect(second.body.options).toEqual(chosen);
  for (const id of [job, again]) await live.call('POST', `/api/jobs/${id}/cancel`);
});

test('tasks that wait by priority are found, whatever their order', async () => {
  const before = await live.submit({ range: { start: 0, count: 6 } });
  const job = await live.submit([1, 2, 3], { task_priorities: [0, 9, 0] });
  expect((await page(job, '?status=pending')).indices).toEqual([0, 1, 2]);
  await live.call('POST', `/api/jobs/${job}/cancel`);
  expect((await page(job, '?status=cancelled&limit=2')).indices).toEqual([0, 1]);
  expect((await page(job, '?status=cancelled&after=1')).indices).toEqual([2]);
  await live.call('POST', `/api/jobs/${before}/cancel`);
});

test('the errors of a job are told by kinds, with examples', async () => {
  const job = await submitMixed();
  const { body } = await live.call('GET', `/api/jobs/${job}/errors`);
  expect(body).toEqual({
    job_id: job,
    complete: true,
    attempts: 2,
    kinds: [
      {
        type: 'RangeError',
        message: 'row #',
        varies: true,
        example_message: 'row 1',
        attempts: 2,
        tasks: 2,
        workers: 1,
        examples: [1, 2],
        completed_elsewhere: [],
      },
    ],
  });
  const none = await live.submit([1], { requirements: { labels: { no: 'where' } } });
  expect((await page(none)).tasks).toMatchObject([
    { status: 'pending', attempt: 0, worker_id: null, assigned_at: null },
  ]);
  const empty = await live.call('GET', `/api/jobs/${none}/errors?limit=100`);
  expect(empty.body).toEqual({ job_id: none, complete: true, attempts: 0, kinds: [] });
  expect((await live.call('GET', `/api/jobs/${job}/errors?limit=101`)).status).toBe(422);
});
