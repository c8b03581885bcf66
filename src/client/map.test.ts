import { describe, expect, expectTypeOf, onTestFinished, test, vi } from 'vitest';
import {
  JobCancelledError,
  type MapProgress,
  NotJsonError,
  ProgramError,
  TaskError,
} from './index.ts';
import { type Answer, clientOf, json, silent, stream } from './testing/scripted-fetch.ts';

const job = (count: number): Answer => json({ id: 'j', task_count: count });
const completed = (index: number, value: unknown) =>
  `${JSON.stringify({ index, task_id: `t${index}`, status: 'completed', value })}\n`;
const failed = (index: number) =>
  `{"index":${index},"task_id":"t${index}","status":"failed","error":{"type":"RangeError","message":"no"}}\n`;
const cancelled = (index: number) =>
  `{"index":${index},"task_id":"t${index}","status":"cancelled","error":{"type":"cancelled","message":""}}\n`;
const final = (count: number) => json({ completed_at: 'now', task_count: count });
const double = (n: number) => 2 * n;

const caught = (promise: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(promise).then(
    (value) => ({ value }),
    (error: unknown) => error,
  );

const read =
  (answer: Answer, bodies: string[]): Answer =>
  async (url, init) => {
    bodies.push(await new Response(init.body).text());
    return answer(url, init);
  };

async function items<T>(all: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of all) found.push(item);
  return found;
}

describe('map', () => {
  test('awaited is all results in order; iterated, each as it comes', async () => {
    const lines = [completed(2, 6), completed(0, 2), completed(1, 4)];
    const { client } = clientOf([
      job(3),
      stream(lines, false),
      final(3),
      stream(lines, false),
      final(3),
    ]);
    const run = client.map([1, 2, 3], double);
    expect(await run).toEqual([2, 4, 6]);
    expect(await items(run)).toEqual([
      { index: 2, value: 6 },
      { index: 0, value: 2 },
      { index: 1, value: 4 },
    ]);
    expect(await run).toEqual([2, 4, 6]);
    expect(await run.jobId).toBe('j');
  });

  test('sends the job with its options, then an input a line', async () => {
    const bodies: string[] = [];
    const { client, requests } = clientOf([read(job(2), bodies), stream([], false), final(0)]);
    async function* inputs() {
      yield { a: 1 };
      yield null;
    }
    await client.map(inputs(), () => 1, { name: 'mine', max_attempts: 2, with: { k: [1] } });
    const lines = bodies[0]!.trimEnd().split('\n');
    expect(lines.slice(1)).toEqual(['{"a":1}', 'null']);
    expect(JSON.parse(lines[0]!)).toEqual({
      name: 'mine',
      max_attempts: 2,
      on_task_failure: 'fail_job',
      program: {
        kind: 'javascript',
        source: 'const k = globalThis.JSON.parse("[1]");\nexport default (() => 1\n);\n',
      },
    });
    expect(new Headers(requests[0]!.init.headers).get('idempotency-key')).not.toBeNull();
  });

  test('takes a program as text, and a range of inputs', async () => {
    const source = 'export default (n) => n';
    const bodies: string[] = [];
    const answers = [read(job(2), bodies), stream([], false), final(0)];
    const { client } = clientOf([...answers, ...answers]);
    const range = { range: { start: 5, count: 2 } };
    await client.map(range, source, { on_task_failure: 'continue' });
    await client.map(range, { source });
    expect(JSON.parse(bodies[0]!)).toEqual({
      inputs: range,
      on_task_failure: 'continue',
      program: { kind: 'javascript', source },
    });
    expect(JSON.parse(bodies[1]!)).toMatchObject({ program: { source } });
  });

  test('refuses a function that cannot travel before anything is sent', async () => {
    const { client, requests } = clientOf([]);
    const run = client.map([1], (n) => n + requests.length);
    const error = (await caught(run)) as ProgramError;
    expect(error).toBeInstanceOf(ProgramError);
    expect(error.problems).toMatchObject([{ name: 'requests', line: 1 }]);
    await expect(run.jobId).rejects.toBe(error);
    expect(requests).toEqual([]);
  });

  test('refuses inputs that JSON would change, and those that are none, before anything is sent', async () => {
    const { client, requests } = clientOf([]);
    const map = (inputs: unknown) => caught(client.map(inputs as number[], double));
    expect(await map([1, { when: new Date(0) }])).toMatchObject({
      name: 'NotJsonError',
      message: 'inputs[1].when is a Date: use toISOString()',
    });
    expect(await map(new Set([1n]))).toBeInstanceOf(NotJsonError);
    expect(await map(new Float64Array([1, Number.NaN]))).toMatchObject({
      message: 'inputs[1] is NaN, which JSON does not have: use null',
    });
    expect(await map('abc')).toMatchObject({
      message:
        'The inputs are a string: put it into an array, or spread it for an input per character.',
    });
    expect(await map({ a: 1 })).toMatchObject({
      message:
        'The inputs are an object, which cannot be iterated: put it into an array, or give { range: { start, count } }.',
    });
    expect(await map(Promise.resolve([1]))).toMatchObject({
      message: expect.stringContaining('a promise, which cannot be iterated: await it,'),
    });
    expect(await map(undefined)).toBeInstanceOf(TypeError);
    expect(requests).toEqual([]);
  });

  test('refuses an option that is called otherwise before anything is sent', async () => {
    const { client, requests } = clientOf([]);
    const map = (options: object) => caught(client.map([1], double, options));
    expect(await map({ maxAttempts: 2 })).toMatchObject({
      name: 'TypeError',
      message: 'There is no option "maxAttempts". Did you mean "max_attempts"?',
    });
    expect(await map({ on_progress: () => {} })).toMatchObject({
      message: 'There is no option "on_progress". Did you mean "onProgress"?',
    });
    expect(await caught(client.map([1], undefined as never))).toMatchObject({
      message:
        'The program is missing: give a function, (input, task) => …, or the text of a module.',
    });
    expect(requests).toEqual([]);
  });

  test('of nothing is nothing, without a job', async () => {
    const { client, requests } = clientOf([]);
    const run = client.map<number, number>([], double);
    expect(await run).toEqual([]);
    expect(await items(run)).toEqual([]);
    expect(run.progress).toMatchObject({ total: 0, fraction: 1 });
    await expect(run.jobId).rejects.toThrow('no inputs');
    expect(await client.map(new Set<number>(), double)).toEqual([]);
    expect(requests).toEqual([]);
  });

  test('reports its progress, counting each result once', async () => {
    const lines = [completed(1, 4), failed(0), cancelled(2)];
    const told: MapProgress[] = [];
    const { client } = clientOf([job(3), stream(lines, false), final(3)]);
    const run = client.map([1, 2, 3], double, {
      failures: 'collect',
      onProgress: (progress) => told.push(progress),
    });
    expect(run.progress).toEqual({
      total: null,
      completed: 0,
      failed: 0,
      cancelled: 0,
      fraction: 0,
    });
    await run;
    expect(told.map(({ fraction }) => fraction)).toEqual([0, 1 / 3, 2 / 3, 2 / 3]);
    const { fraction, ...counts } = run.progress;
    expect(counts).toEqual({ total: 3, completed: 1, failed: 1, cancelled: 1 });
    expect(fraction).toBe(2 / 3);
  });

  test('reports the shares of running tasks, as the coordinator tells them', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const heads = [{ progress: 0.1 }, { progress: 0.1 }, { progress: 0.4 }];
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    const results = new ReadableStream({
      async pull(controller) {
        await isOver;
        controller.enqueue(new TextEncoder().encode(completed(0, 2)));
        controller.close();
      },
    });
    const answer: Answer = (url) => {
      if (new URL(url).pathname === '/api/jobs') return Response.json({ id: 'j', task_count: 1 });
      if (url.includes('/results')) return new Response(results);
      return Response.json(heads.shift() ?? { completed_at: 'now', task_count: 1, progress: 1 });
    };
    const { client } = clientOf(Array.from({ length: 9 }, () => answer));
    const told: number[] = [];
    const run = client.map([1], double, { onProgress: ({ fraction }) => told.push(fraction) });
    const all = caught(run);
    await run.jobId;
    for (let i = 3; i > 0; i--) {
      await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
      await vi.advanceTimersByTimeAsync(2_000);
      await vi.waitFor(() => expect(heads).toHaveLength(i - 1));
    }
    await vi.waitFor(() => expect(told).toEqual([0, 0.1, 0.4]));
    end();
    expect(await all).toEqual({ value: [2] });
    expect(told).toEqual([0, 0.1, 0.4, 1]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('counts and keeps the second result of a task that was retried', async () => {
    const lines = [failed(0), cancelled(1), completed(0, 2), completed(1, 4)];
    const { client } = clientOf([job(2), stream(lines, false), final(2)]);
    const run = client.map([1, 2], double, { failures: 'collect' });
    expect(await run).toEqual([
      { status: 'completed', index: 0, value: 2 },
      { status: 'completed', index: 1, value: 4 },
    ]);
    expect(run.progress).toEqual({ total: 2, completed: 2, failed: 0, cancelled: 0, fraction: 1 });
  });

  test('is complete when what was cancelled has run after all', async () => {
    const lines = [cancelled(0), completed(1, 4), completed(0, 2)];
    const { client } = clientOf([job(2), stream(lines, false), final(2)]);
    expect(await client.map([1, 2], double)).toEqual([2, 4]);
  });

  test('knows what the function takes and returns', () => {
    const { client } = clientOf([]);
    const plain = () => client.map([1], (n) => String(n));
    expectTypeOf<Awaited<ReturnType<typeof plain>>>().toEqualTypeOf<string[]>();
    const later = () => client.map(new Set(['a']), async (text, task) => text.length + task.index);
    expectTypeOf<Awaited<ReturnType<typeof later>>>().toEqualTypeOf<number[]>();
    const steps = () =>
      client.map({ range: { start: 0, count: 2 } }, function* (n) {
        yield { progress: n };
        return [n];
      });
    expectTypeOf<Awaited<ReturnType<typeof steps>>>().toEqualTypeOf<number[][]>();
    const all = () => client.map([1], (n) => n, { failures: 'collect' });
    type Outcome = Awaited<ReturnType<typeof all>>[number];
    expectTypeOf<Outcome['status']>().toEqualTypeOf<'completed' | 'failed' | 'cancelled'>();
  });
});

describe('a task that fails', () => {
  test('rejects with its index, its type and its reason', async () => {
    const lines = [completed(0, 2), cancelled(1), failed(2), cancelled(3)];
    const stack = 'at double (program:1:9)';
    const detail = json({ error: { type: 'RangeError', message: 'no', stack } });
    const reads = [stream(lines, false), detail, stream(lines, false), json({}, { status: 500 })];
    const { client } = clientOf([job(4), ...reads]);
    const run = client.map([1, 2, 3, 4], double);
    const error = await caught(run);
    expect(error).toBeInstanceOf(TaskError);
    expect(error).toMatchObject({
      message: 'Task 2 failed with RangeError: no',
      index: 2,
      type: 'RangeError',
      reason: 'no',
      taskId: 't2',
      jobId: 'j',
      remoteStack: stack,
    });
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const item of run) seen.push(item);
    })();
    // That its stack cannot be had does not hide the failure.
    await expect(reading).rejects.toMatchObject({ index: 2, remoteStack: null });
    expect(seen).toEqual([{ index: 0, value: 2 }]);
  });

  test('is a result when failures are collected', async () => {
    const bodies: string[] = [];
    const lines = [failed(1), completed(0, 2), cancelled(2)];
    const { client } = clientOf([read(job(3), bodies), stream(lines, false), final(3)]);
    const all = await client.map([1, 2, 3], double, { failures: 'collect' });
    expect(all).toEqual([
      { status: 'completed', index: 0, value: 2 },
      { status: 'failed', index: 1, error: expect.any(TaskError) },
      { status: 'cancelled', index: 2, error: expect.any(JobCancelledError) },
    ]);
    expect(bodies[0]).toContain('"on_task_failure":"continue"');
  });
});

describe('cancelling', () => {
  /** A coordinator whose job never ends. */
  const unending: Answer = (url, init) => {
    if (url.endsWith('/results?follow=true')) return silent(url, init);
    if (url.endsWith('/cancel')) return Response.json({ id: 'j', status: 'cancelled' });
    return job(2)(url, init);
  };

  test('ends what is awaited and what is iterated', async () => {
    const { client, requests } = clientOf(Array.from({ length: 4 }, () => unending));
    const run = client.map([1, 2], double);
    const ends = [caught(run), caught(items(run))];
    await run.jobId;
    await run.cancel();
    for (const end of await Promise.all(ends)) {
      expect(end).toBeInstanceOf(JobCancelledError);
      expect(end).toMatchObject({ jobId: 'j', message: 'Job j was cancelled.' });
    }
    expect(requests.filter(({ url }) => url.endsWith('/jobs/j/cancel'))).toMatchObject([
      { init: { method: 'POST' } },
    ]);
  });

  test('by somebody else ends it, too', async () => {
    const { client } = clientOf([job(2), stream([cancelled(0), cancelled(1)], false), final(2)]);
    expect(await caught(client.map([1, 2], double))).toBeInstanceOf(JobCancelledError);
  });

  test('a job that has ended changes nothing', async () => {
    const over = json({ detail: 'Over.', code: 'job_is_final' }, { status: 409 });
    const { client } = clientOf([job(1), over, stream([completed(0, 2)], false), final(1)]);
    const run = client.map([1], double);
    await run.jobId;
    await run.cancel();
    expect(await run).toEqual([2]);
  });

  test('while inputs are read leaves no job behind', async () => {
    let isReturned = false;
    const inputs = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<IteratorResult<number>>(() => {}), // for ever
        return: async () => {
          isReturned = true;
          return { done: true as const, value: undefined };
        },
      }),
    };
    const { client, requests } = clientOf([read(job(1), [])]);
    const run = client.map(inputs, double);
    const end = caught(run);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await run.cancel();
    expect(await end).toMatchObject({ name: 'JobCancelledError', jobId: null });
    expect(isReturned).toBe(true);
    expect(requests).toHaveLength(0);
  });

  test('by a signal rejects with its reason', async () => {
    const reason = new Error('enough');
    const controller = new AbortController();
    const { client, requests } = clientOf(Array.from({ length: 3 }, () => unending));
    const run = client.map([1, 2], double, { signal: controller.signal });
    const end = caught(run);
    await run.jobId;
    controller.abort(reason);
    expect(await end).toBe(reason);
    await run.cancel();
    expect(requests.filter(({ url }) => url.endsWith('/jobs/j/cancel'))).toHaveLength(1);
  });

  test('by a signal that has come before sends nothing', async () => {
    const { client, requests } = clientOf([]);
    const reason = new Error('enough');
    const run = client.map([1], double, { signal: AbortSignal.abort(reason) });
    expect(await caught(run)).toBe(reason);
    await run.cancel();
    expect(requests).toEqual([]);
  });
});
