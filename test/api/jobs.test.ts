import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type LiveServer, program, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer();
});
afterAll(() => live.close());

const asLines = { accept: 'application/x-ndjson' };
const isFinal = (answer: { body: { completed_at: string | null } }) =>
  answer.body.completed_at !== null;

describe('before anything has been submitted', () => {
  test('"An empty database answers `[]`, zeros and nulls"', async () => {
    expect((await live.call('GET', '/api/jobs')).body).toEqual([]);
    expect((await live.call('GET', '/api/workers')).body).toEqual([]);
    const { body } = await live.call('GET', '/api/stats');
    expect(body).toMatchObject({ total_workers: 0, total_jobs: 0, total_tasks_completed: 0 });
    expect(Object.values(body).every(Number.isInteger)).toBe(true);
  });
});

describe('submitting', () => {
  test('"`POST /api/jobs` → 201, `Location: /api/jobs/{id}`, body = job summary"', async () => {
    const json = { program, inputs: [1, { a: [null] }], name: 'pi', client_id: 'lab-3' };
    const { status, headers, body } = await live.call('POST', '/api/jobs', { json });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/api/jobs/${body.id}`);
    expect(body).toMatchObject({
      name: 'pi',
      client_id: 'lab-3',
      task_count: 2,
      status: 'pending',
    });
    expect(body.completed_at).toBeNull();
    const found = await live.call('GET', headers.get('location')!);
    expect(found.body).toMatchObject(body);
  });

  test('"`client_id` is the submitter\'s label, or `"anonymous"`"', async () => {
    const id = await live.submit([1]);
    expect((await live.call('GET', `/api/jobs/${id}`)).body.client_id).toBe('anonymous');
  });

  test('"the range form": each input is its number', async () => {
    const id = await live.submit({ range: { start: 40, count: 3 } }, { name: 'range' });
    const { body } = await live.call('GET', `/api/jobs/${id}`);
    expect(body.tasks.map((task: { index: number }) => task.index)).toEqual([0, 1, 2]);
  });

  test('"first line the job without `inputs`, then one input a line"', async () => {
    const lines = [{ program, name: 'lines' }, 1, 'two', [3], null].map((line) =>
      JSON.stringify(line),
    );
    const headers = { 'content-type': 'application/x-ndjson' };
    for (const body of [lines.join('\n'), `${lines.join('\r\n')}\r\n\r\n`]) {
      const answer = await live.call('POST', '/api/jobs', { body, headers });
      expect(answer.status).toBe(201);
      expect(answer.body).toMatchObject({ name: 'lines', task_count: 4 });
    }
  });
});

describe('looking', () => {
  test('"bare array, newest first, **all** jobs", filtered by status and client', async () => {
    const older = await live.submit([1], { client_id: 'looker' });
    const newer = await live.submit([1], { client_id: 'looker' });
    const all = (await live.call('GET', '/api/jobs')).body.map((job: { id: string }) => job.id);
    expect(all.indexOf(newer)).toBeLessThan(all.indexOf(older));
    const mine = (await live.call('GET', '/api/jobs?client_id=looker&status=pending')).body;
    expect(mine.map((job: { id: string }) => job.id)).toEqual([newer, older]);
    expect((await live.call('GET', '/api/jobs?client_id=looker&status=failed')).body).toEqual([]);
  });

  test('"Optional `?limit=`, `?after=` with a `Link: rel="next"` header": the pages are all', async () => {
    for (let i = 0; i < 5; i++) await live.submit([i], { client_id: 'pager' });
    const whole = (await live.call('GET', '/api/jobs?client_id=pager')).body;
    const pages: unknown[] = [];
    let next: string | undefined = '/api/jobs?client_id=pager&limit=2';
    for (let count = 0; next !== undefined; count++) {
      const { body, headers } = await live.call('GET', next);
      pages.push(...body);
      next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
      expect(count).toBeLessThan(3);
    }
    expect(pages).toEqual(whole);
  });

  test('`?status=` may name several', async () => {
    const client_id = 'several';
    const pending = await live.submit([1], { client_id });
    const cancelled = await live.submit([1], { client_id });
    await live.call('POST', `/api/jobs/${cancelled}/cancel`);
    const list = async (status: string) =>
      (await live.call('GET', `/api/jobs?client_id=${client_id}&status=${status}`)).body.map(
        (job: { id: string }) => job.id,
      );
    expect(await list('pending,cancelled')).toEqual([cancelled, pending]);
    expect(await list('cancelled,cancelled,failed')).toEqual([cancelled]);
    expect(await list('completed,failed')).toEqual([]);
    const refused = await live.call('GET', '/api/jobs?status=pending,lost');
    expect(refused.status).toBe(422);
    expect(refused.body.detail).toBe(
      'status must be one or more of pending, running, completed, failed, cancelled, divided by commas; "pending,lost" was given.',
    );
  });

  test('`?q=` finds by a part of name, id or client, in capitals or not', async () => {
    const named = await live.submit([1], { name: 'Docking batch 7' });
    const labelled = await live.submit([1], { client_id: 'dock-worker' });
    const find = async (q: string, more = '') =>
      (await live.call('GET', `/api/jobs?q=${encodeURIComponent(q)}${more}`)).body.map(
        (job: { id: string }) => job.id,
      );
    expect(await find('DOCK')).toEqual([labelled, named]);
    expect(await find('batch 7')).toEqual([named]);
    expect(await find(named.slice(3, -3).toUpperCase())).toEqual([named]);
    expect(await find('dock', '&limit=1')).toEqual([labelled]);
    expect(await find('dock', `&limit=1&after=${labelled}`)).toEqual([named]);
    expect(await find('dock', '&status=completed')).toEqual([]);
    expect(await find('%')).toEqual([]);
  });

  test('`?heads=true`: what `GET /api/jobs/{id}?tasks=false` tells of each, a page at a time', async () => {
    const client_id = 'header';
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift(await live.submit([i], { client_id }));
    await live.call('POST', `/api/jobs/${ids[1]}/cancel`);
    const { body, headers } = await live.call('GET', `/api/jobs?client_id=${client_id}&heads=true`);
    const heads = [];
    for (const id of ids) heads.push((await live.call('GET', `/api/jobs/${id}?tasks=false`)).body);
    expect(body).toEqual(heads);
    expect(headers.get('link')).toBeNull();
    expect(body[0]).toMatchObject({ rate_per_second: null, eta: { seconds: null, high: null } });
    expect(body[1].eta.reason).toBe('The job has ended.');
    const page = await live.call('GET', `/api/jobs?client_id=${client_id}&heads=true&limit=2`);
    expect(page.body).toEqual(heads.slice(0, 2));
    const next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link')!)![1]!;
    expect((await live.call('GET', next)).body).toEqual(heads.slice(2));
    const plain = await live.call('GET', `/api/jobs?client_id=${client_id}&heads=false`);
    expect(plain.body[0]).not.toHaveProperty('counts');
  });

  test('with `heads` a page has 200 jobs, and no more', async () => {
    const client_id = 'many';
    for (let i = 0; i < 201; i++) await live.submit([i], { client_id });
    const whole = await live.call('GET', `/api/jobs?client_id=${client_id}&heads=true`);
    expect(whole.body).toHaveLength(200);
    expect(whole.headers.get('link')).toContain('heads=true');
    const more = await live.call('GET', '/api/jobs?heads=true&limit=201');
    expect([more.status, more.body.detail]).toEqual([
      422,
      'limit must be an integer from 1 to 200 with `heads`; "201" was given.',
    ]);
  });

  test.each([
    'heads=yes',
    'q=',
    'q=a&q=b',
    `q=${'a'.repeat(201)}`,
    'handle=a&heads=true',
    'handle=a&q=b',
  ])('a list with %s is a 422', async (query) => {
    expect((await live.call('GET', `/api/jobs?${query}`)).status).toBe(422);
  });

  test('"Task entry: `worker_id` … null before the first; `attempt` is 0 then"', async () => {
    const id = await live.submit([1]);
    const { body } = await live.call('GET', `/api/jobs/${id}`);
    expect(body.tasks).toEqual([
      {
        id: `${id}.0`,
        index: 0,
        status: 'pending',
        worker_id: null,
        attempt: 0,
        result_available: false,
      },
    ]);
    expect(body).toMatchObject({ progress: 0, counts: { pending: 1, completed: 0 }, error: null });
  });

  test('`?tasks=false` leaves the tasks out', async () => {
    const id = await live.submit([1, 2]);
    const { body } = await live.call('GET', `/api/jobs/${id}?tasks=false`);
    expect(body).toMatchObject({ id, task_count: 2 });
    expect(body).not.toHaveProperty('tasks');
  });

  test('a long list and a long job come whole, in pieces', async () => {
    // Nobody may run it: the workers of later tests would have all of it to do first.
    const requirements = { platform: ['nowhere'] };
    const id = await live.submit({ range: { start: 0, count: 20_000 } }, { requirements });
    const { body } = await live.call('GET', `/api/jobs/${id}`);
    expect(body.tasks).toHaveLength(20_000);
    expect(body.tasks[19_999].index).toBe(19_999);
    const head = await live.call('HEAD', `/api/jobs/${id}`);
    expect([head.status, head.text]).toEqual([200, '']);
  });
});

describe('ending', () => {
  test('results: "array in index order of `{index, task_id, status, value | error}`"', async () => {
    const id = await live.submit([3, 'bad', 5], { name: 'results', priority: 5 });
    await live.call('POST', '/api/scheduler/activate/priority');
    const worker = await live.worker(({ input }) =>
      input === 'bad' ? { error: 'no number' } : { value: Number(input) * 2 },
    );
    const { body } = await eventually(() => live.call('GET', `/api/jobs/${id}`), isFinal);
    expect(body).toMatchObject({
      status: 'failed',
      progress: 1,
      counts: { completed: 2, failed: 1 },
    });
    expect(body.tasks[0]).toMatchObject({
      worker_id: worker.id,
      attempt: 1,
      result_available: true,
    });
    const results = [
      { index: 0, task_id: `${id}.0`, status: 'completed', value: 6 },
      {
        index: 1,
        task_id: `${id}.1`,
        status: 'failed',
        error: { type: 'Error', message: 'no number' },
      },
      { index: 2, task_id: `${id}.2`, status: 'completed', value: 10 },
    ];
    expect((await live.call('GET', `/api/jobs/${id}/results`)).body).toEqual(results);
    const lines = await live.call('GET', `/api/jobs/${id}/results`, { headers: asLines });
    expect(lines.text).toBe(results.map((result) => `${JSON.stringify(result)}\n`).join(''));
    expect(lines.headers.get('content-type')).toContain('application/x-ndjson');
    const failures = (await live.call('GET', `/api/workers/${worker.id}/failures`)).body;
    expect(failures[0]).toMatchObject({
      job_id: id,
      error_type: 'Error',
      error_message: 'no number',
    });
  });

  test('"with `?follow=true` the stream stays open until the job is final"', async () => {
    const id = await live.submit([1, 2, 3], { requirements: { labels: { late: 'yes' } } });
    const response = await fetch(`${live.url}/api/jobs/${id}/results?follow=true`);
    expect(response.headers.get('content-type')).toContain('application/x-ndjson');
    await live.worker(({ input }) => ({ value: input }), { labels: { late: 'yes' } });
    // Between results there are empty lines as signs of life, when they take long.
    const lines = (await response.text()).split('\n').filter((line) => line !== '');
    expect(lines.map((line) => JSON.parse(line).index as number).sort((a, b) => a - b)).toEqual([
      0, 1, 2,
    ]);
  });

  test('results that the client has are left out, as an array, as lines and while it follows', async () => {
    const labels = { have: 'some' };
    const id = await live.submit([1, 2, 3, 4], { requirements: { labels } });
    await live.worker(({ input }) => ({ value: input }), { labels });
    const all = await fetch(`${live.url}/api/jobs/${id}/results?follow=true`);
    await all.text();
    const path = `/api/jobs/${id}/results?have=0-1,3`;
    const only = { index: 2, task_id: `${id}.2`, status: 'completed', value: 3 };
    expect((await live.call('GET', path)).body).toEqual([only]);
    const followed = await live.call('GET', `${path}&follow=true`);
    expect(followed.text).toBe(`${JSON.stringify(only)}\n`);
    for (const have of ['', '5-3', '1,1', 'x', '-1', '0-9&have=1']) {
      const { status, body } = await live.call('GET', `/api/jobs/${id}/results?have=${have}`);
      expect([have, status, body.errors[0].path]).toEqual([have, 422, 'have']);
    }
  });

  test('"`POST /api/jobs/{id}/cancel` → 200; a final job → 409", whatever body it gets', async () => {
    const id = await live.submit([1], { requirements: { platform: ['nowhere'] } });
    const headers = { 'content-type': 'nonsense' };
    const first = await live.call('POST', `/api/jobs/${id}/cancel`, { body: '{{{', headers });
    expect([first.status, first.body.status]).toEqual([200, 'cancelled']);
    expect(first.body.completed_at).not.toBeNull();
    const second = await live.call('POST', `/api/jobs/${id}/cancel`);
    expect([second.status, second.body.code]).toEqual([409, 'job_is_final']);
  });

  test('"`POST /api/jobs/{id}/retry` requeues its failed tasks … 409 if nothing failed"', async () => {
    const cancelled = await live.submit([1], { requirements: { platform: ['nowhere'] } });
    await live.call('POST', `/api/jobs/${cancelled}/cancel`);
    const refused = await live.call('POST', `/api/jobs/${cancelled}/retry`);
    expect([refused.status, refused.body.code]).toEqual([409, 'nothing_to_retry']);
    const failed = (await live.call('GET', '/api/jobs?status=failed')).body[0].id;
    const retried = await live.call('POST', `/api/jobs/${failed}/retry`);
    expect([retried.status, retried.body.completed_at]).toEqual([200, null]);
  });
});
