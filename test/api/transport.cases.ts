// What a worker may rely on, whichever transport it speaks.

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type LiveServer, type Loose, startLiveServer } from './support/live-server.ts';
import type { Given, Transport, TransportWorker } from './support/transport.ts';

export function transportCases(transport: Transport): void {
  describe(`over ${transport.name}`, () => {
    let live: LiveServer;
    let labels = 0;
    const workers: TransportWorker[] = [];
    beforeAll(async () => {
      live = await startLiveServer();
    });
    afterAll(async () => {
      for (const worker of workers) worker.end();
      await live.close();
    });

    const device = { type: 'pc', platform: 'linux' };
    const connect = async (more: object = {}): Promise<TransportWorker> => {
      const worker = await transport.connect(live, { ...device, ...more });
      workers.push(worker);
      return worker;
    };
    /** A job and its workers find each other by a label of their own. */
    const circle = () => ({ labels: { circle: `${labels++}` } });
    const submit = (inputs: unknown, only: object, more: object = {}): Promise<string> =>
      live.submit(inputs, { requirements: only, retry_delay_seconds: 0.01, ...more });
    const job = async (id: string): Promise<Loose> =>
      (await live.call('GET', `/api/jobs/${id}`)).body;
    const task = async (id: string, index = 0): Promise<Loose> =>
      (await live.call('GET', `/api/jobs/${id}/tasks/${index}`)).body;
    const find = async (id: string): Promise<Loose> =>
      (await live.call('GET', '/api/workers')).body.find((each: Loose) => each.id === id);

    test('a registered worker is in the list as it described itself', async () => {
      const only = circle();
      const worker = await connect({ name: 'desk', slots: 3, isolation: 'ses', ...only });
      const found = await find(worker.id);
      expect(found).toMatchObject({ ...device, ...only, name: 'desk', slots: 3, status: 'online' });
      expect(found).toMatchObject({ active_tasks: 0, kinds: ['javascript'], isolation: 'ses' });
      expect(Date.parse(found.last_heartbeat)).toBeGreaterThanOrEqual(
        Date.parse(found.registered_at),
      );
    });

    test('an assignment names task, owner, attempt and token, and brings input and program', async () => {
      const only = circle();
      const worker = await connect({ slots: 2, ...only });
      const id = await submit([{ deep: [1.5, 'é'] }, null], only, { attempt_timeout_seconds: 9 });
      const given = await worker.assigned(2);
      expect(new Set(given.map(({ index }) => index))).toEqual(new Set([0, 1]));
      expect(given.find(({ index }) => index === 0)).toMatchObject({
        task_id: `${id}.0`,
        job_id: id,
        owner: 'local',
        attempt: 1,
        input: { deep: [1.5, 'é'] },
        program: { kind: 'javascript', source: 'export default (n) => n' },
        attempt_timeout_seconds: 9,
      });
      expect(given[0]!.token).not.toBe(given[1]!.token);
      expect(await find(worker.id)).toMatchObject({ status: 'busy', active_tasks: 2 });
      await worker.report({ results: given.map((each) => ({ ...ref(each), value: 0 })) });
    });

    test('an assignment has the priority of its task where priorities count', async () => {
      const only = circle();
      const worker = await connect({ slots: 2, ...only });
      const { scheduler } = live.coordinator;
      await scheduler.configure({ algorithm: 'priority' });
      await submit([1, 2], only, { priority: 3, task_priorities: [-7, 0] });
      const given = await worker.assigned(2);
      await scheduler.configure({ algorithm: 'fifo' });
      const byIndex = given.toSorted((a, b) => a.index - b.index);
      expect(byIndex.map(({ priority }) => priority)).toEqual([-7, undefined]);
      await worker.report({ results: given.map((each) => ({ ...ref(each), value: 0 })) });
    });

    test('started, progress, result: the task is running, then completed', async () => {
      const only = circle();
      const worker = await connect(only);
      const id = await submit([7], only);
      const [given] = await worker.assigned(1);
      expect(await task(id)).toMatchObject({
        status: 'assigned',
        attempt: 1,
        worker_id: worker.id,
      });
      expect((await worker.report({ started: [ref(given!)] })).rejected).toEqual([]);
      expect(await task(id)).toMatchObject({ status: 'running' });
      expect((await job(id)).status).toBe('running');
      await worker.report({ progress: [{ ...ref(given!), progress: 0.25, message: 'a quarter' }] });
      expect(await task(id)).toMatchObject({ progress: 0.25, progress_message: 'a quarter' });
      expect(await job(id)).toMatchObject({ status: 'running', progress: 0.25 });
      const { accepted } = await worker.report({
        results: [{ ...ref(given!), value: { n: 49 }, run_ms: 1500, cpu_seconds: 1.2 }],
      });
      expect(accepted).toEqual([{ ...named(given!), kind: 'result' }]);
      expect(await task(id)).toMatchObject({
        status: 'completed',
        result: { n: 49 },
        result_available: true,
        run_seconds: 1.5,
      });
      expect((await job(id)).status).toBe('completed');
      expect(await find(worker.id)).toMatchObject({ total_completed: 1, active_tasks: 0 });
    });

    test('"the repeat of an accepted one is in `accepted` again and changes nothing"', async () => {
      const only = circle();
      const worker = await connect(only);
      const id = await submit([1], only);
      const [given] = await worker.assigned(1);
      const kind = 'result';
      for (const value of ['first', 'second', 'third']) {
        const { accepted, rejected } = await worker.report({
          results: [{ ...ref(given!), value }],
        });
        expect([accepted, rejected]).toEqual([[{ ...named(given!), kind }], []]);
      }
      expect((await task(id)).result).toBe('first');
      expect((await find(worker.id)).total_completed).toBe(1);
    });

    test('"A stale report is in `rejected` with `code: "stale_attempt"`"', async () => {
      const only = circle();
      const worker = await connect(only);
      const id = await submit([1], only);
      const [first] = await worker.assigned(1);
      await worker.report({ failures: [{ ...ref(first!), ...oops }] });
      const [, second] = await worker.assigned(2);
      expect(second).toMatchObject({ task_id: first!.task_id, attempt: 2 });
      const stale = await worker.report({ results: [{ ...ref(first!), value: 'late' }] });
      expect(stale.accepted).toEqual([]);
      expect(stale.rejected).toMatchObject([
        { ...named(first!), kind: 'result', code: 'stale_attempt', detail: expect.any(String) },
      ]);
      expect((await task(id)).status).not.toBe('completed');
      await worker.report({ results: [{ ...ref(second!), value: 'right' }] });
      expect((await task(id)).result).toBe('right');
    });

    test('"somebody else\'s task or a wrong token: `code: "not_yours"`"', async () => {
      const only = circle();
      const owner = await connect(only);
      const thief = await connect(circle());
      const id = await submit([1], only);
      const [given] = await owner.assigned(1);
      const reports = [
        [thief, ref(given!)],
        [owner, { ...ref(given!), token: 'guessed' }],
        [owner, { ...ref(given!), task_id: '__proto__' }],
      ] as const;
      for (const [worker, wrong] of reports) {
        const { accepted, rejected } = await worker.report({ results: [{ ...wrong, value: 1 }] });
        expect(accepted).toEqual([]);
        expect(rejected).toMatchObject([{ task_id: wrong.task_id, code: 'not_yours' }]);
      }
      expect((await task(id)).status).toBe('assigned');
      await owner.report({ results: [{ ...ref(given!), value: 1 }] });
    });

    test('a failure is tried again while attempts remain, then the task has failed', async () => {
      const only = circle();
      const worker = await connect(only);
      const id = await submit([1], only, { max_attempts: 2 });
      for (const attempt of [1, 2]) {
        const given = (await worker.assigned(attempt))[attempt - 1]!;
        expect(given.attempt).toBe(attempt);
        const { accepted } = await worker.report({ failures: [{ ...ref(given), ...oops }] });
        expect(accepted).toEqual([{ ...named(given), kind: 'failure' }]);
      }
      expect(await job(id)).toMatchObject({ status: 'failed', counts: { failed: 1 } });
      expect(await task(id)).toMatchObject({
        error: { type: 'Oops', message: 'it broke' },
        attempts: [{ status: 'failed' }, { status: 'failed' }],
      });
      const failures = (await live.call('GET', `/api/workers/${worker.id}/failures`)).body;
      expect(failures).toHaveLength(2);
      expect(failures[0]).toMatchObject({
        job_id: id,
        error_type: 'Oops',
        error_message: 'it broke',
      });
    });

    test('failures of a worker that was removed are not to be had of it, but of their tasks', async () => {
      const only = circle();
      const worker = await connect(only);
      const id = await submit([1], only, { max_attempts: 1 });
      const [given] = await worker.assigned(1);
      await worker.report({ failures: [{ ...ref(given!), ...oops }] });
      await live.call('DELETE', `/api/workers/${worker.id}`);
      const { status, body } = await live.call('GET', `/api/workers/${worker.id}/failures`);
      expect([status, body.code]).toEqual([404, 'unknown_worker']);
      expect(await task(id)).toMatchObject({
        error: { type: 'Oops', message: 'it broke' },
        attempts: [{ status: 'failed', worker_id: worker.id, error: { type: 'Oops' } }],
      });
    });

    test('`retryable: false` ends the task at once', async () => {
      const only = circle();
      const worker = await connect(only);
      const id = await submit([1], only, { max_attempts: 5 });
      const [given] = await worker.assigned(1);
      await worker.report({ failures: [{ ...ref(given!), ...oops, retryable: false }] });
      expect((await task(id)).status).toBe('failed');
    });

    test('"`refusals` … cost no budget and no statistics"', async () => {
      const only = circle();
      const worker = await connect(only);
      const id = await submit([1], only, { max_attempts: 1, max_lost_attempts: 1 });
      const [given] = await worker.assigned(1);
      const refusals = [{ ...ref(given!), reason: 'battery' }];
      const { accepted } = await worker.report({ refusals });
      expect(accepted).toEqual([{ ...named(given!), kind: 'refusal' }]);
      expect(await find(worker.id)).toMatchObject({ total_failed: 0 });
      expect((await job(id)).counts).toMatchObject({ failed: 0 });
      const other = await connect(only);
      const next = await Promise.any([
        other.assigned(1).then(([again]) => [other, again] as const),
        worker.assigned(2).then(([, again]) => [worker, again] as const),
      ]);
      expect(next[1]!.attempt).toBe(2);
      await next[0].report({ results: [{ ...ref(next[1]!), value: 'done' }] });
      expect((await task(id)).result).toBe('done');
    });

    test('a drained worker finishes what it has and gets nothing new until it is resumed', async () => {
      const only = circle();
      const worker = await connect({ slots: 2, ...only });
      const id = await submit([1], only);
      const [given] = await worker.assigned(1);
      const drained = await live.call('POST', `/api/workers/${worker.id}/drain`);
      expect(drained.body.status).toBe('draining');
      expect((await worker.heartbeat({}, [ref(given!)])).drain).toBe(true);
      const more = await submit([2], only);
      expect(await worker.assignedUntilNow()).toBe(1);
      const { accepted } = await worker.report({ results: [{ ...ref(given!), value: 1 }] });
      expect(accepted).toHaveLength(1);
      expect((await job(id)).status).toBe('completed');
      expect(await worker.assignedUntilNow()).toBe(1);
      await live.call('POST', `/api/workers/${worker.id}/resume`);
      const [, next] = await worker.assigned(2);
      expect(next!.job_id).toBe(more);
      expect((await worker.heartbeat({}, [ref(next!)])).drain).toBe(false);
      await worker.report({ results: [{ ...ref(next!), value: 2 }] });
    });

    test('a drained worker is told to stop what it has saved, and another goes on from there', async () => {
      const only = circle();
      const worker = await connect({ slots: 1, ...only });
      const id = await submit([1], only);
      const [given] = await worker.assigned(1);
      await live.call('POST', `/api/workers/${worker.id}/drain`);
      const saved = { ...ref(given!), sequence: 1, progress: 0.25, state: { at: 7 } };
      expect((await worker.report({ checkpoints: [saved] })).accepted).toHaveLength(1);
      expect((await task(id)).attempts).toMatchObject([{ status: 'released' }]);
      const order = { task_id: given!.task_id, attempt: 1, reason: 'handed_over' };
      await eventually(
        async () => {
          await worker.heartbeat({}, []);
          return worker.stopped();
        },
        (stopped) => stopped.some((each) => isDeepStrictEqual(each, order)),
      );
      const heir = await connect({ slots: 1, ...only });
      const [next] = await heir.assigned(1);
      expect(next).toMatchObject({ attempt: 2, checkpoint: { progress: 0.25, state: { at: 7 } } });
      await heir.report({ results: [{ ...ref(next!), value: 'done' }] });
      expect((await task(id)).result).toBe('done');
    });

    test('deregistered while busy: its attempts go elsewhere, it must not come back by itself', async () => {
      const only = circle();
      const worker = await connect(only);
      const id = await submit([1], only);
      const [given] = await worker.assigned(1);
      await worker.report({ started: [ref(given!)] });
      const { body } = await live.call('DELETE', `/api/workers/${worker.id}`);
      expect(body).toEqual({ worker_id: worker.id, status: 'deregistered', requeued_tasks: 1 });
      expect(await worker.dismissed()).toBe('for good');
      expect(await find(worker.id)).toBeUndefined();
      const other = await connect(only);
      const [again] = await other.assigned(1);
      expect(again).toMatchObject({ task_id: given!.task_id, attempt: 2 });
      const stolen = await other.report({ results: [{ ...ref(given!), value: 'late' }] });
      expect(stolen.accepted).toEqual([]);
      await other.report({ results: [{ ...ref(again!), value: 'right' }] });
      expect((await task(id)).result).toBe('right');
      const events = (await live.call('GET', '/api/checkpoints/recovery-events')).body;
      expect(events.find((each: Loose) => each.job_id === id)).toMatchObject({
        from_worker_id: worker.id,
        to_worker_id: other.id,
        reason: 'deregistered',
        attempt: 1,
        next_attempt: 2,
        outcome: 'restarted',
      });
    });

    test('what a client cancels, the worker is told to stop', async () => {
      const only = circle();
      const worker = await connect(only);
      const id = await submit([1], only);
      const [given] = await worker.assigned(1);
      await worker.report({ started: [ref(given!)] });
      await live.call('POST', `/api/jobs/${id}/cancel`);
      await eventually(
        async () => {
          await worker.heartbeat({}, [ref(given!)]);
          return worker.stopped();
        },
        (stopped) => stopped.some(({ task_id }) => task_id === given!.task_id),
      );
      const { rejected } = await worker.report({ results: [{ ...ref(given!), value: 1 }] });
      expect(rejected).toMatchObject([{ ...named(given!), code: 'stale_attempt' }]);
      expect((await job(id)).status).toBe('cancelled');
    });

    test('"the worker lists the attempts it holds, the answer lists what to stop"', async () => {
      const only = circle();
      const worker = await connect(only);
      const id = await submit([1], only);
      const [given] = await worker.assigned(1);
      const unknown = { task_id: `${id}.0`, attempt: 9, token: 'of another life' };
      const { stop } = await worker.heartbeat({}, [ref(given!), unknown]);
      expect(stop).toMatchObject([{ task_id: unknown.task_id, attempt: 9 }]);
      expect((await task(id)).status).toBe('assigned');
      await worker.report({ results: [{ ...ref(given!), value: 1 }] });
    });

    test('"A value that is out of range or not a number is treated as missing … and named in `warnings`"', async () => {
      const worker = await connect(circle());
      const { warnings } = await worker.heartbeat(
        { cpu_load_percent: 500, ram_available_mb: 'much', battery_level_percent: 50, mood: 1 },
        [],
      );
      expect(warnings).toHaveLength(3);
      for (const name of ['cpu_load_percent', 'ram_available_mb', 'mood']) {
        expect(warnings.join()).toContain(name);
      }
      expect((await find(worker.id)).telemetry).toEqual({ battery_level_percent: 50 });
      for (const nonsense of ['warm', null, [1]]) {
        expect((await worker.heartbeat(nonsense, [])).heartbeat_interval_seconds).toBe(5);
      }
    });

    test('"one bad entry does not spoil the others"', async () => {
      const only = circle();
      const worker = await connect({ slots: 2, ...only });
      const id = await submit([1, 2], only);
      const [one, two] = await worker.assigned(2);
      const { accepted, rejected } = await worker.report({
        results: [
          { ...ref(one!), value: 'good' },
          { ...ref(two!), value: 'bad', run_ms: -5 },
        ],
        failures: [{ ...ref(two!), error_type: 5 }],
      });
      expect(accepted).toEqual([{ ...named(one!), kind: 'result' }]);
      expect(rejected).toMatchObject([
        { ...named(two!), kind: 'result', code: 'invalid_report' },
        { ...named(two!), kind: 'failure', code: 'invalid_report' },
      ]);
      expect(rejected[0].detail).toContain('run_ms');
      expect((await task(id, one!.index)).result).toBe('good');
      await worker.report({ results: [{ ...ref(two!), value: 'good' }] });
    });

    test('a result over its limit is a failure of the task, not of the connection', async () => {
      const only = circle();
      const worker = await connect(only);
      const id = await submit([1], only);
      const [given] = await worker.assigned(1);
      await worker.report({ results: [{ ...ref(given!), value: 'x'.repeat(1024 * 1024) }] });
      expect(await task(id)).toMatchObject({
        status: 'failed',
        error: { type: 'result_too_large', message: expect.stringContaining('1048576') },
      });
      expect((await worker.heartbeat({}, [])).stop).toEqual([]);
    });

    test('a result that is a reference to a blob keeps the blob, which must be there', async () => {
      const only = circle();
      const worker = await connect(only);
      const id = await submit([1], only);
      const [given] = await worker.assigned(1);
      const bytes = JSON.stringify({ large: 'value' });
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const results = [{ ...ref(given!), value: { $blob: sha256 } }];
      expect((await worker.report({ results })).rejected).toMatchObject([
        { ...named(given!), kind: 'result', code: 'unknown_blob' },
      ]);
      await live.call('PUT', `/api/blobs/${sha256}`, { body: bytes });
      expect((await worker.report({ results })).rejected).toEqual([]);
      expect((await task(id)).result).toEqual({ $blob: sha256 });
    });

    describe('a checkpoint', () => {
      const state = { i: 3, seen: ['a', 'é'] };
      const text = JSON.stringify(state);
      const sha256 = createHash('sha256').update(text).digest('hex');
      const forms = [
        ['as it is', { state }],
        [
          'gzipped',
          {
            state_gzip: gzipSync(text).toString('base64'),
            sha256,
            size_bytes: Buffer.byteLength(text),
          },
        ],
      ] as const;

      test.each(forms)(
        'that comes %s is what the next attempt resumes from',
        async (_how, form) => {
          const only = circle();
          const first = await connect(only);
          const id = await submit([1], only);
          const [given] = await first.assigned(1);
          expect(given!.checkpoint ?? null).toBeNull();
          const checkpoints = [{ ...ref(given!), sequence: 1, progress: 0.5, run_ms: 1, ...form }];
          const saved = await first.report({ started: [ref(given!)], checkpoints });
          expect(saved.rejected).toEqual([]);
          expect(saved.accepted).toContainEqual({ ...named(given!), kind: 'checkpoint' });
          const [record] = (await live.call('GET', `/api/checkpoints/job/${id}`)).body;
          expect(record).toMatchObject({
            job_id: id,
            task_id: given!.task_id,
            task_index: 0,
            attempt: 1,
            sequence: 1,
            worker_id: first.id,
            progress: 0.5,
            kind: 'full',
            size_bytes: Buffer.byteLength(text),
            sha256,
          });
          expect((await task(id)).checkpoints).toEqual([record]);

          const second = await connect(only);
          await live.call('DELETE', `/api/workers/${first.id}`);
          const [again] = await second.assigned(1);
          expect(again).toMatchObject({
            task_id: given!.task_id,
            attempt: 2,
            checkpoint: { sequence: 1, progress: 0.5, state },
          });
          await second.report({ results: [{ ...ref(again!), value: 'done' }] });
          const [event] = (await live.call('GET', '/api/checkpoints/recovery-events')).body;
          expect(event).toMatchObject({
            task_id: given!.task_id,
            checkpoint_id: record.id,
            resumed_from_progress: 0.5,
            from_worker_id: first.id,
            to_worker_id: second.id,
            outcome: 'resumed',
          });
        },
      );

      test('of an attempt that was given up is stale, and one with a wrong token is not yours', async () => {
        const only = circle();
        const worker = await connect(only);
        const id = await submit([1], only);
        const [given] = await worker.assigned(1);
        const checkpoint = { sequence: 1, progress: 0.5, state };
        const stolen = { ...ref(given!), token: 'guessed', ...checkpoint };
        const kind = 'checkpoint';
        expect((await worker.report({ checkpoints: [stolen] })).rejected).toMatchObject([
          { ...named(given!), kind, code: 'not_yours' },
        ]);
        await worker.report({ failures: [{ ...ref(given!), ...oops }] });
        const late = [{ ...ref(given!), ...checkpoint }];
        expect((await worker.report({ checkpoints: late })).rejected).toMatchObject([
          { ...named(given!), kind, code: 'stale_attempt' },
        ]);
        const [, second] = await worker.assigned(2);
        expect(second!.checkpoint ?? null).toBeNull();
        await worker.report({ results: [{ ...ref(second!), value: 1 }] });
        expect((await live.call('GET', `/api/checkpoints/job/${id}`)).body).toEqual([]);
      });

      test('that tells the hash of its gzip, not of its text, is refused with a sentence', async () => {
        const only = circle();
        const worker = await connect(only);
        await submit([1], only);
        const [given] = await worker.assigned(1);
        const gzip = gzipSync(text);
        const wrong = createHash('sha256').update(gzip).digest('hex');
        const form = { state_gzip: gzip.toString('base64'), sha256: wrong };
        const size_bytes = Buffer.byteLength(text);
        const checkpoint = { ...ref(given!), sequence: 1, progress: 0.5, ...form, size_bytes };
        const { rejected } = await worker.report({ checkpoints: [checkpoint] });
        expect(rejected).toMatchObject([{ ...named(given!), code: 'invalid_report' }]);
        expect(rejected[0].detail).toContain('it is made of the text, not of the gzip');
        await worker.report({ results: [{ ...ref(given!), value: 1 }] });
      });

      test('that names a blob which nobody uploaded is refused with a sentence', async () => {
        const only = circle();
        const worker = await connect(only);
        await submit([1], only);
        const [given] = await worker.assigned(1);
        const form = { state_blob: '0'.repeat(64), sha256, size_bytes: 9 };
        const checkpoints = [{ ...ref(given!), sequence: 1, progress: 0.5, ...form }];
        const { rejected } = await worker.report({ checkpoints });
        expect(rejected).toMatchObject([{ ...named(given!), code: 'unknown_blob' }]);
        expect(rejected[0].detail).toContain('upload it');
        await worker.report({ results: [{ ...ref(given!), value: 1 }] });
      });
    });

    // Last: nothing is left after it.
    test('when the database is cleared, the worker is told to register anew', async () => {
      const only = circle();
      const worker = await connect(only);
      const id = await submit([1], only);
      const [given] = await worker.assigned(1);
      const { deleted } = (await live.call('DELETE', '/api/database/clear')).body;
      expect(deleted.workers).toBeGreaterThan(0);
      expect(await worker.dismissed()).toBe('register anew');
      expect((await live.call('GET', `/api/jobs/${id}`)).status).toBe(404);
      const again = await connect(only);
      const { rejected } = await again.report({ results: [{ ...ref(given!), value: 1 }] });
      expect(rejected).toMatchObject([{ ...named(given!), code: 'stale_attempt' }]);
    });
  });
}

const oops = { error_type: 'Oops', error_message: 'it broke' };

function ref({ task_id, attempt, token }: Given) {
  return { task_id, attempt, token };
}

function named({ task_id, attempt }: Given) {
  return { task_id, attempt };
}
