// The SDK against a real coordinator and real workers, in Node. The same in a browser is in
// `sdk-browser.test.ts`.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  connect,
  JobCancelledError,
  type MusterClient,
  type MusterEvent,
  ProgramError,
  TaskError,
} from '../../src/client/index.ts';
import { sandboxGlobals } from '../../src/client/packing/sandbox-globals.ts';
import { serveCli, type ServingCli } from '../support/cli-process.ts';
import { Cluster } from '../support/cluster.ts';
import { FaultyLine } from '../support/faulty-line.ts';
import { eventually } from '../support/muster-process.ts';

/** Sent along with a function that refers to it. */
declare function endlessly(): number;

const folder = mkdtempSync(join(tmpdir(), 'muster-sdk-'));
let serving: ServingCli;
let muster: MusterClient;

beforeAll(async () => {
  serving = await serveCli(['--workers', '2'], { folder });
  muster = connect(serving.url);
});

afterAll(async () => {
  await serving.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function proxied(): Promise<{ proxy: FaultyLine; client: MusterClient }> {
  const proxy = await FaultyLine.to(serving.url);
  onTestFinished(() => proxy.close());
  return { proxy, client: connect(proxy.url) };
}

describe('map', () => {
  test('gives all results in order, and each as it comes', async () => {
    const inputs = Array.from({ length: 300 }, (_, n) => n);
    const run = muster.map(inputs, (n) => n * n, { name: 'squares' });
    const seen = new Map<number, number>();
    for await (const { index, value } of run) seen.set(index, value);
    const squares = inputs.map((n) => n * n);
    expect(await run).toEqual(squares);
    expect(inputs.map((n) => seen.get(n))).toEqual(squares);
    expect(seen.size).toBe(300);
    const { name, status } = await muster.jobHead(await run.jobId);
    expect({ name, status }).toEqual({ name: 'squares', status: 'completed' });
  });

  test('takes functions of every kind, and what they bring along', async () => {
    const base = 10;
    const add = (a: number, b: number) => a + b + base - base;
    const range = { range: { start: 1, count: 3 } };
    const along = { with: { base, add } };
    expect(await muster.map(range, (n, task) => add(n, base) + task.index, along)).toEqual([
      11, 13, 15,
    ]);
    expect(await muster.map(range, async (n) => (await Promise.resolve(n)) * base, along)).toEqual([
      10, 20, 30,
    ]);
    const steps = muster.map(range, function* count(n): Generator<unknown, number> {
      let sum = 0;
      for (let i = 1; i <= n; i++) {
        sum += i;
        yield { state: sum, progress: i / n };
      }
      return n === 0 ? 0 : sum;
    });
    expect(await steps).toEqual([1, 3, 6]);
    expect(await muster.map(range, 'export default (n) => n - 1')).toEqual([0, 1, 2]);
  });

  test('reads inputs as they are sent, and tells how far it is', async () => {
    const count = 20_000;
    async function* inputs() {
      for (let n = 0; n < count; n++) yield { n };
    }
    const told: number[] = [];
    const run = muster.map(inputs(), ({ n }) => n % 7, {
      onProgress: ({ fraction }) => told.push(fraction),
    });
    let sum = 0;
    for await (const { value } of run) sum += value;
    expect(sum).toBe(Array.from({ length: count }, (_, n) => n % 7).reduce((a, b) => a + b));
    expect(run.progress).toMatchObject({ total: count, completed: count, fraction: 1 });
    // Once for the job and each result; more often while tasks run.
    expect(told.length).toBeGreaterThan(count);
    expect(told.at(-1)).toBe(1);
  });

  test('rejects with the task that failed, and gives the rest up', async () => {
    const run = muster.map(
      [1, 2, 3],
      (n) => {
        if (n === 2) throw new RangeError(`${n} is too much`);
        return n;
      },
      { max_attempts: 1 },
    );
    const error: unknown = await run.catch((cause) => cause);
    expect(error).toBeInstanceOf(TaskError);
    expect(error).toMatchObject({
      message: 'Task 1 failed with RangeError: 2 is too much',
      index: 1,
      type: 'RangeError',
      reason: '2 is too much',
      jobId: await run.jobId,
    });
    expect(await muster.jobHead(await run.jobId)).toMatchObject({ status: 'failed' });
  });

  test('collects failures when asked to', async () => {
    const all = await muster.map([1, null, 3], (n) => n!.toFixed(1), {
      failures: 'collect',
      max_attempts: 1,
    });
    expect(all).toMatchObject([
      { status: 'completed', value: '1.0' },
      { status: 'failed', index: 1, error: { type: 'TypeError' } },
      { status: 'completed', value: '3.0' },
    ]);
  });

  test('refuses what cannot travel, and nothing is sent', async () => {
    const before = await muster.stats();
    const factor = 3;
    const error: unknown = await muster.map([1], (n) => n * factor).catch((cause) => cause);
    expect(error).toBeInstanceOf(ProgramError);
    expect((error as ProgramError).problems.map(({ name }) => name)).toEqual(['factor']);
    expect((await muster.stats()).total_jobs).toBe(before.total_jobs);
  });

  test('lets through exactly the names that the sandbox has', async () => {
    const names = [...sandboxGlobals].filter((name) => name !== 'undefined');
    const [kinds] = await muster.map([names], (all) =>
      all.map((name) => typeof (globalThis as Record<string, unknown>)[name]),
    );
    expect(names.filter((_, place) => kinds![place] === 'undefined')).toEqual([]);
    const elsewhere = [
      'process',
      'require',
      'fetch',
      'performance',
      'Intl',
      'WebAssembly',
      'document',
    ];
    const [others] = await muster.map([elsewhere], (all) =>
      all.filter((name) => name in globalThis),
    );
    expect(others).toEqual([]);
  });
});

describe('cancelling', () => {
  function* endless(): Generator<unknown, number> {
    for (;;) yield {};
  }

  test('stops what runs and ends what is awaited', async () => {
    const run = muster.map([1, 2, 3], endless);
    const end = run.catch((error) => error);
    await eventually(
      async () => (await muster.jobHead(await run.jobId)).status,
      (status) => status === 'running',
    );
    await run.cancel();
    expect(await end).toBeInstanceOf(JobCancelledError);
    expect(await muster.jobHead(await run.jobId)).toMatchObject({ status: 'cancelled' });
  });

  test('by a signal ends the loop with its reason', async () => {
    const controller = new AbortController();
    const run = muster.map([1, 2], (n) => (n === 1 ? n : endlessly()), {
      signal: controller.signal,
      with: {
        endlessly: () => {
          for (;;);
        },
      },
    });
    const reading = (async () => {
      for await (const { value } of run) {
        expect(value).toBe(1);
        controller.abort(new Error('enough'));
      }
    })();
    await expect(reading).rejects.toThrow('enough');
    await run.cancel();
    expect(await muster.jobHead(await run.jobId)).toMatchObject({ status: 'cancelled' });
  });

  test('while inputs are sent leaves no job behind', async () => {
    const before = await muster.stats();
    let count = 0;
    async function* inputs() {
      for (;;) {
        yield count++;
        if (count % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    }
    const run = muster.map(inputs(), (n) => n);
    const end = run.catch((error) => error);
    await eventually(
      () => count,
      (sent) => sent > 20_000,
    );
    await run.cancel();
    expect(await end).toMatchObject({ name: 'JobCancelledError', jobId: null });
    expect((await muster.stats()).total_jobs).toBe(before.total_jobs);
    // The input that was asked for when it was cancelled may still come.
    await new Promise((resolve) => setImmediate(resolve));
    const sent = count;
    await muster.stats();
    expect(count).toBe(sent);
  });
});

describe('a wire that breaks', () => {
  const program = { kind: 'javascript', source: 'export default (n) => n' } as const;

  test.each(['JSON', 'a stream'])('makes no second job of a submission as %s', async (form) => {
    const { proxy, client } = await proxied();
    const before = await muster.stats();
    proxy.answersToLose = 2;
    const job =
      form === 'JSON'
        ? await client.submit({ program, inputs: [1, 2] }, { patienceMs: 10_000 })
        : await client.submitStream({ program }, [1, 2], { patienceMs: 10_000 });
    expect(proxy.answersToLose).toBe(0);
    expect(job.task_count).toBe(2);
    expect((await muster.stats()).total_jobs).toBe(before.total_jobs + 1);
  });

  test('costs a reader of events nothing: each comes once', async () => {
    const { proxy, client } = await proxied();
    const lastEventId = await idOfAnEvent();
    const count = 400;
    const inputs = Array.from({ length: count }, (_, n) => n);
    const run = muster.map(inputs, (n) => new Promise<number>((end) => setTimeout(end, 5, n)));
    const jobId = await run.jobId;
    const seen: number[] = [];
    const types = ['attempt_started', 'task_completed', 'job_finished'] as const;
    for await (const event of client.events({ jobId, types, lastEventId })) {
      expect(event.type).not.toBe('reset');
      if (event.type === 'job_finished') break;
      if (event.type !== 'task_completed') continue;
      seen.push(event.index);
      if (seen.length % 80 === 0 && seen.length < count) proxy.cut();
    }
    await run;
    expect(proxy.cuts).toBeGreaterThan(3);
    expect(seen.toSorted((a, b) => a - b)).toEqual(inputs);
  });

  /** The id of something that has just happened. */
  async function idOfAnEvent(): Promise<string> {
    const ids: string[] = [];
    const reading = (async () => {
      for await (const { id } of muster.events()) {
        ids.push(id);
        return;
      }
    })();
    await eventually(
      async () => {
        await muster.map([0], (n) => n);
        return ids.length;
      },
      (count) => count > 0,
    );
    await reading;
    return ids[0]!;
  }

  test('costs a reader of results nothing', async () => {
    const { proxy, client } = await proxied();
    const inputs = Array.from({ length: 300 }, (_, n) => n);
    const run = client.map(inputs, (n) => new Promise<number>((end) => setTimeout(end, 5, n)));
    const values: number[] = [];
    for await (const { value } of run) {
      values.push(value);
      if (values.length % 60 === 0) proxy.cut();
    }
    expect(values.toSorted((a, b) => a - b)).toEqual(inputs);
    expect(proxy.cuts).toBeGreaterThan(3);
  });

  test('costs who follows a job from its submission nothing', async () => {
    const { proxy, client } = await proxied();
    const slow = 'export default (n) => new Promise((end) => setTimeout(end, 5, n))';
    const followed = await client.submitAndFollow({
      program: { kind: 'javascript', source: slow },
      inputs: { range: { start: 0, count: 300 } },
    });
    const indices: number[] = [];
    for await (const { result } of followed.lines()) {
      indices.push(result.index);
      if (indices.length % 60 === 0) proxy.cut();
    }
    expect(indices.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, n) => n));
    expect((await muster.jobHead(followed.job.id)).status).toBe('completed');
    expect(proxy.cuts).toBeGreaterThan(3);
  });

  test('a coordinator that is started anew is waited for', async () => {
    const cluster = await Cluster.start({ workers: 1 });
    const told: string[] = [];
    const run = cluster.client.map(
      Array.from({ length: 60 }, (_, n) => n),
      (n) => new Promise<number>((end) => setTimeout(end, 50, n)),
    );
    const watching = (async () => {
      for await (const { type } of cluster.client.events({
        jobId: await run.jobId,
        types: ['task_completed', 'job_finished'],
      })) {
        told.push(type);
        if (type === 'job_finished') return;
      }
    })();
    for await (const { index } of run) if (index > 5) break;
    await cluster.stop();
    const later = cluster.client.map([1], (n) => n + 1);
    await cluster.serve();
    expect(await later).toEqual([2]);
    expect(await run).toEqual(Array.from({ length: 60 }, (_, n) => n));
    await watching;
    expect(told).toContain('reset');
  });
});

describe('everything else that a client asks for', () => {
  test('one task, its attempts and its checkpoints', async () => {
    const run = muster.map([5], async (n, job) => {
      job.progress(0.5, 'half');
      await job.checkpoint({ n });
      return n;
    });
    await run;
    const jobId = await run.jobId;
    const task = await muster.task(jobId, 0);
    expect(task).toMatchObject({ job_id: jobId, index: 0, status: 'completed', result: 5 });
    expect(task.attempts).toMatchObject([{ attempt: 1, status: 'completed' }]);
    expect(await muster.checkpoints(jobId)).toEqual([]);
    await expect(muster.task(jobId, 1)).rejects.toMatchObject({ code: 'unknown_task' });
    expect(await muster.deleteJob(jobId)).toEqual({ job_id: jobId, status: 'deleted' });
    await expect(muster.job(jobId)).rejects.toMatchObject({ status: 404, code: 'unknown_job' });
  });

  test('events of a job, in their order', async () => {
    const events: MusterEvent[] = [];
    const controller = new AbortController();
    const open = muster.events({
      types: ['job_submitted', 'task_completed', 'job_finished'],
      signal: controller.signal,
    });
    const reading = (async () => {
      for await (const event of open) events.push(event);
    })();
    // The stream tells what happens from its opening on; nobody knows when that was.
    await eventually(
      async () => {
        await muster.map([0], (n) => n, { name: 'early' });
        return events.length;
      },
      (count) => count > 0,
    );
    const run = muster.map([1, 2], (n) => n, { name: 'told' });
    await run;
    const jobId = await run.jobId;
    await eventually(
      () => events,
      (so) => so.some((each) => each.type === 'job_finished' && each.job_id === jobId),
    );
    controller.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    const own = events.filter((each) => 'job_id' in each && each.job_id === jobId);
    expect(own.map(({ type }) => type)).toEqual([
      'job_submitted',
      'task_completed',
      'task_completed',
      'job_finished',
    ]);
    expect(own[0]).toMatchObject({ name: 'told', task_count: 2 });
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  test('the scheduler, the evaluation, the limits', async () => {
    expect(await muster.scheduler.activate('edas')).toMatchObject({ algorithm: 'edas' });
    const run = muster.map([1, 2, 3], (n) => n);
    await run;
    const jobId = await run.jobId;
    const info = await muster.scheduler.info();
    expect(info).toMatchObject({ algorithm: 'edas', last_decision: { job_id: jobId } });
    await muster.scheduler.activate('fifo');
    const { evaluation } = muster;
    expect(await evaluation.metrics({ jobId })).toMatchObject({ tasks: { completed: 3 } });
    const { workers } = await evaluation.loadDistribution({ jobId });
    expect(workers.reduce((sum, each) => sum + each.tasks_completed, 0)).toBe(3);
    const since = new Date(Date.now() - 60_000);
    const history = await evaluation.throughputHistory({ jobId, since, bucketSeconds: 5 });
    expect(history.bucket_seconds).toBe(5);
    expect(history.points.reduce((sum, each) => sum + each.tasks_completed, 0)).toBe(3);
    expect(Array.isArray(await evaluation.workerPerformance({ since: since.toISOString() }))).toBe(
      true,
    );
    const { attempts } = await evaluation.attempts({ jobId, since, until: new Date(), limit: 9 });
    expect(new Set(attempts.map(({ index, status }) => `${index} ${status}`))).toEqual(
      new Set(['0 completed', '1 completed', '2 completed']),
    );
    const map = await muster.taskMap(jobId, { from: 1, cells: 1 });
    expect(map).toMatchObject({ from: 1, to: 3, width: 2, counts: { completed: [2] } });
    expect(await muster.limits()).toMatchObject({ body_bytes: expect.any(Number) });
    expect(await muster.recoveryEvents()).toEqual([]);
  });
});
