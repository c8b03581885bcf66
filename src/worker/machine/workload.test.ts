import { describe, expect, test } from 'vitest';
import type {
  CoordinatorMessage,
  JobDescription,
  ProgramDescription,
  ReportKind,
} from '../../protocol/messages.ts';
import { encodeFrame, RawJson } from '../../protocol/codec.ts';
import { localOwner } from '../../protocol/owner.ts';
import type { ExecutorEvent, PackedState } from '../executor.ts';
import {
  checkpoint,
  failure,
  key,
  outputsOf,
  program,
  result,
  runs,
  ScriptedMachine,
  sent,
  sentOf,
  stops,
  task,
} from './testing/scripted-machine.ts';

function connected(options: ConstructorParameters<typeof ScriptedMachine>[0] = {}) {
  const stage = new ScriptedMachine(options);
  stage.connect();
  return stage;
}

const tasks = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => task(from + i));

describe('handing attempts to slots', () => {
  test('hands over what is more important first, though others wait longer', () => {
    const stage = connected();
    stage.assign(...tasks(0, 5));
    stage.assign(task(5, { priority: 1 }), task(6, { priority: 9 }));
    expect(runs(stage.finish(0, result(0)))).toEqual([`0: ${key(6)} ${key(5)}`]);
    expect(stage.machine.workload.queue.size).toBe(4);
  });

  test('hands one to each slot as long as nothing is known of the job', () => {
    const stage = connected({ slots: 2 });
    expect(runs(stage.assign(...tasks(0, 10)))).toEqual([`0: ${key(0)}`, `1: ${key(1)}`]);
  });

  test('passes owner, input, checkpoint and time limit on to the executor', () => {
    const stage = connected();
    const from = { sequence: 4, progress: 0.5, state: { i: 7 } };
    const message = stage.assignMessage([
      task(0, { owner: 'somebody', input: { n: 1 }, checkpoint: from }),
    ]);
    const job = { ...program, attempt_timeout_seconds: 2, checkpoint_interval_seconds: 0.25 };
    const programs = { job };
    const [run] = outputsOf(stage.say({ ...message, programs }), 'run');
    expect(run?.program).toEqual({
      jobId: 'job',
      kind: 'javascript',
      source: program.program.source,
      checkpointIntervalMs: 250,
    });
    expect(run?.tasks).toEqual([
      {
        key: key(0),
        owner: 'somebody',
        taskId: 'job-0',
        index: 0,
        attempt: 1,
        inputJson: '{"n":1}',
        stateJson: '{"i":7}',
        progress: 0.5,
        timeoutMs: 2000,
      },
    ]);
  });

  test('takes one owner for all jobs of a coordinator that names none', () => {
    const stage = connected({ slots: 2 });
    const [first, second] = outputsOf(
      stage.assign(task(0), task(1, { owner: localOwner })),
      'run',
    ).flatMap(({ tasks: handed }) => handed.map(({ owner }) => owner));
    expect(first).toBe(localOwner);
    expect(second).toBe(localOwner);
  });

  test('hands over more and more of short tasks, never past the bound', () => {
    const stage = connected();
    stage.assign(...tasks(0, 2000));
    const sizes: number[] = [];
    for (let i = 0; i < 12; i++) {
      const handed = [...stage.machine.workload.slots[0]!.handed.values()];
      sizes.push(handed.length);
      stage.finish(0, ...handed.map((a) => result(a.index)));
    }
    expect(sizes.slice(0, 5)).toEqual([1, 2, 8, 256, 256]);
    expect(Math.max(...sizes)).toBe(256);
  });

  test('hands over no more than some milliseconds of measured work', () => {
    const stage = connected();
    stage.assign(...tasks(0, 100));
    for (let i = 0; i < 20; i++) {
      const handed = [...stage.machine.workload.slots[0]!.handed.values()];
      expect(handed.length).toBeLessThanOrEqual(4);
      stage.finish(0, ...handed.map((a) => result(a.index, 2)));
    }
    expect(stage.machine.workload.slots[0]!.handed.size).toBe(4);
  });

  test('hands long tasks over one by one', () => {
    const stage = connected();
    stage.assign(...tasks(0, 10));
    for (let i = 0; i < 5; i++) {
      expect(runs(stage.finish(0, result(i, 50)))).toEqual([`0: ${key(i + 1)}`]);
    }
  });

  test('shares a short queue between the slots', () => {
    const stage = connected({ slots: 2 });
    stage.assign(...tasks(0, 2));
    stage.finish(0, result(0));
    stage.finish(1, result(1));
    for (let i = 2; i < 12; i += 2) {
      stage.assign(task(i), task(i + 1));
      stage.finish(0, result(i));
      stage.finish(1, result(i + 1));
    }
    stage.assign(...tasks(20, 30));
    expect(stage.machine.workload.slots.map((slot) => slot.handed.size)).toEqual([5, 5]);
  });

  test('takes what waits behind a long task to the slot that has become free', () => {
    const stage = connected({ slots: 2 });
    warmUp(stage);
    stage.assign(...tasks(10, 16));
    stage.executor({ type: 'started', slot: 0, key: key(10) });
    const outputs = stage.finish(1, ...[13, 14, 15].map((i) => result(i)));
    expect(stops(outputs)).toEqual([`0: ${key(11)} revoked`, `0: ${key(12)} revoked`]);
    const stopped = (i: number) => ({ type: 'stopped', key: key(i), reason: 'revoked' }) as const;
    const moved = stage.finish(0, stopped(11), stopped(12));
    expect(sent(moved)).toEqual([]);
    expect(runs(moved)).toEqual([`1: ${key(11)} ${key(12)}`]);
  });

  test('puts returned attempts back at the head of the queue, in their order', () => {
    const stage = connected();
    warmUp(stage);
    stage.assign(...tasks(10, 13), task(13, { job_id: 'slow' }));
    const outputs = stage.executor({
      type: 'returned',
      slot: 0,
      keys: [key(10), key(11), key(12)],
    });
    expect(runs(outputs)).toEqual([`0: ${key(10)} ${key(11)} ${key(12)}`]);
  });
});

describe('reports', () => {
  test('leave in one frame, with the value as the executor wrote it', () => {
    const stage = connected();
    warmUp(stage);
    stage.assign(task(10), task(11));
    const value = { ...result(10), valueJson: '{"a": 1.0}' };
    const outputs = stage.finish(0, value, failure(11));
    const frames = outputsOf(outputs, 'send');
    expect(frames).toHaveLength(1);
    expect(frames[0]!.messages.map((m) => m.type)).toEqual(['result', 'failure']);
    expect(encodeFrame(frames[0]!.messages)).toContain('"value":{"a": 1.0}');
  });

  test('are split where a frame would grow too large', () => {
    const stage = connected({ tuning: { frameCharacters: 1000 } });
    warmUp(stage);
    stage.assign(...tasks(10, 13));
    const big = (i: number) => ({ ...result(i), valueJson: `"${'x'.repeat(900)}"` }) as never;
    expect(outputsOf(stage.finish(0, big(10), big(11), big(12)), 'send')).toHaveLength(3);
  });

  test('are forgotten once they are acknowledged', () => {
    const stage = connected();
    stage.assign(task(0));
    stage.finish(0, result(0));
    stage.say({ type: 'ack', accepted: [{ task_id: 'job-0', attempt: 1, kind: 'started' }] });
    expect(stage.machine.workload.outbox.size).toBe(1);
    stage.say({ type: 'ack', accepted: [{ task_id: 'job-0', attempt: 1, kind: 'result' }] });
    expect(stage.machine.workload.held.size).toBe(0);
  });

  test('are forgotten when they are rejected', () => {
    const stage = connected();
    stage.assign(task(0));
    stage.finish(0, result(0));
    expect(sent(stage.say(rejected('stale_attempt')))).toEqual([]);
    expect(stage.machine.workload.held.size).toBe(0);
  });

  test('turn into a failure when only the value was not taken', () => {
    const stage = connected();
    stage.assign(task(0));
    stage.finish(0, result(0));
    const [message] = sentOf(stage.say(rejected('result_too_large')), 'failure');
    expect(message?.failures[0]).toMatchObject({
      error_type: 'result_too_large',
      retryable: false,
    });
  });

  test('carry the energy where the power of a core is known', () => {
    const stage = connected({ wattsPerCore: 10 });
    stage.assign(task(0));
    const [message] = sentOf(stage.finish(0, result(0, 500)), 'result');
    expect(message?.results[0]).toMatchObject({ run_ms: 500, cpu_seconds: 0.5, energy_joules: 5 });
  });

  test('say that a program of an unknown kind is refused', () => {
    const stage = connected();
    const message = stage.assignMessage([task(0)]);
    const programs = { job: { ...program, program: { kind: 'wasm', source: '' } } } as never;
    const [refusal] = sentOf(stage.say({ ...message, programs }), 'refusal');
    expect(refusal?.refusals[0]).toMatchObject({ task_id: 'job-0', reason: 'unsupported_kind' });
  });

  test.each([
    [undefined, 512, 513],
    [4096, 4096, 1e9],
  ])(
    'say that a job which wants more memory than the worker gives is refused (it gives %j)',
    (task_memory_mb, enough, tooMuch) => {
      const device = { type: 'pc', platform: 'linux', kinds: ['javascript'] };
      const given = task_memory_mb === undefined ? {} : { task_memory_mb };
      const stage = connected({ device: { ...device, ...given } });
      const assign = (index: number, memory_mb: number) => {
        const message = stage.assignMessage([task(index, { job_id: `j${index}` })]);
        const programs = { [`j${index}`]: { ...program, memory_mb } };
        return stage.say({ ...message, programs });
      };
      expect(sentOf(assign(0, enough), 'refusal')).toEqual([]);
      const [refusal] = sentOf(assign(1, tooMuch), 'refusal');
      expect(refusal?.refusals[0]).toMatchObject({ task_id: 'job-1', reason: 'too_much_memory' });
    },
  );

  test.each(['constructor', '__proto__', 'toString'])(
    'say that a program is not known when the job is called %s',
    (job_id) => {
      const stage = connected();
      const message = { ...stage.assignMessage([task(0, { job_id })]), programs: {} };
      const [refusal] = sentOf(stage.say(message), 'refusal');
      expect(refusal?.refusals[0]).toMatchObject({ task_id: 'job-0', reason: 'unknown_program' });
    },
  );
});

describe('while it runs', () => {
  test('forwards started, and checkpoints one at a time, the newest first', () => {
    const stage = connected();
    stage.assign(task(0));
    const started = stage.executor({ type: 'started', slot: 0, key: key(0) });
    expect(sentOf(started, 'started')).toHaveLength(1);
    const offer = (sequence: number) =>
      sentOf(stage.executor(checkpoint(0, sequence)), 'checkpoint').flatMap((m) =>
        m.checkpoints.map((c) => c.sequence),
      );
    expect([offer(1), offer(2), offer(3)]).toEqual([[1], [], []]);
    const outputs = stage.say(acked('checkpoint'));
    expect(sentOf(outputs, 'checkpoint')[0]?.checkpoints[0]?.sequence).toBe(3);
    stage.give({ type: 'socket_closed' });
    expect(offer(4)).toEqual([]);
    const again = stage.connect();
    expect(sentOf(again, 'checkpoint')[0]?.checkpoints[0]?.sequence).toBe(4);
  });

  test('sends a checkpoint in the form in which it was packed', () => {
    const stage = connected();
    stage.assign(task(0));
    const whole = { sha256: 'ab', sizeBytes: 9000 };
    const send = (state: PackedState) => {
      const event = { ...checkpoint(0, 1), state } as ExecutorEvent;
      const [message] = sentOf(stage.executor(event), 'checkpoint');
      stage.say(acked('checkpoint'));
      return message?.checkpoints[0];
    };
    const about = { task_id: 'job-0', attempt: 1, token: 't0', sequence: 1, progress: 0.1 };
    const described = { ...about, run_ms: 10, sha256: 'ab', size_bytes: 9000 };
    expect(send({ encoding: 'json', text: '{"i":1}' })).toEqual({
      ...about,
      run_ms: 10,
      state: new RawJson('{"i":1}'),
    });
    expect(send({ encoding: 'gzip', base64: 'H4s=', whole })).toEqual({
      ...described,
      state_gzip: 'H4s=',
    });
    expect(send({ encoding: 'blob', blobSha256: 'cd', whole })).toEqual({
      ...described,
      state_blob: 'cd',
    });
  });

  test('sends no checkpoint that comes after the result', () => {
    const stage = connected();
    stage.assign(task(0));
    stage.executor(checkpoint(0, 1));
    stage.executor(checkpoint(0, 2));
    expect(sent(stage.finish(0, result(0))).map(({ type }) => type)).toEqual(['result']);
    expect(sent(stage.executor(checkpoint(0, 3)))).toEqual([]);
    expect(sent(stage.say(acked('checkpoint')))).toEqual([]);
    stage.give({ type: 'socket_closed' });
    expect(sent(stage.connect()).map(({ type }) => type)).toEqual(['result']);
  });

  test('sends the waiting checkpoint before the failure, also on the next connection', () => {
    const stage = connected();
    stage.assign(task(0));
    stage.executor(checkpoint(0, 1));
    stage.executor(checkpoint(0, 2));
    const both = [{ type: 'checkpoint', checkpoints: [{ sequence: 2 }] }, { type: 'failure' }];
    expect(sent(stage.finish(0, failure(0)))).toMatchObject(both);
    stage.give({ type: 'socket_closed' });
    expect(sent(stage.connect())).toMatchObject(both);
  });

  test('sends no checkpoint of an attempt that was cancelled', () => {
    const stage = connected();
    stage.assign(task(0));
    stage.say({
      type: 'cancel',
      attempts: [{ task_id: 'job-0', attempt: 1, reason: 'cancelled' }],
    });
    expect(sent(stage.executor(checkpoint(0, 1)))).toEqual([]);
  });

  test('is named in hello with the time for which it has run', () => {
    const stage = connected();
    stage.assign(task(0));
    stage.nowMs = 1000;
    stage.executor({ type: 'started', slot: 0, key: key(0) });
    stage.give({ type: 'socket_closed' });
    stage.nowMs = 3500;
    stage.fire('reconnect');
    const runMs = stage.nowMs - 1000;
    const [hello] = sentOf(stage.give({ type: 'socket_opened' }), 'hello');
    expect(hello?.attempts).toMatchObject([{ state: 'running', run_ms: runMs }]);
  });

  test('sends the latest progress of each attempt once per window', () => {
    const stage = connected();
    stage.assign(task(0));
    const progress = (value: number) =>
      stage.executor({ type: 'progress', slot: 0, key: key(0), progress: value, message: null });
    expect([progress(0.1), progress(0.2), progress(0.3)].flatMap(sent)).toEqual([]);
    const [message] = sentOf(stage.fire('flush'), 'progress');
    expect(message?.progress).toEqual([
      { task_id: 'job-0', attempt: 1, token: 't0', progress: 0.3 },
    ]);
    expect(stage.timers.has('flush')).toBe(false);
  });

  test('cuts what a child says too much of: a frame that is too large would end the connection', () => {
    const stage = connected({ slots: 2 });
    stage.assign(task(0), task(1));
    const message = 'x'.repeat(5_000_000);
    stage.executor({ type: 'progress', slot: 0, key: key(0), progress: 0.5, message });
    const [progress] = sentOf(stage.fire('flush'), 'progress');
    expect(progress?.progress[0]?.message).toHaveLength(1000);
    const [failed] = sentOf(stage.finish(1, failure(1, message)), 'failure');
    expect(failed?.failures[0]?.error_type).toHaveLength(200);
  });

  test.each([1e308, Infinity, Number.NaN])(
    'measures of %d are no reason for a frame that is no JSON',
    (odd) => {
      const stage = connected({ slots: 2, wattsPerCore: 10 });
      stage.assign(task(0), task(1));
      const measured = { runMs: odd, cpuSeconds: odd };
      const told = [
        ...stage.finish(0, { ...result(0), ...measured }),
        ...stage.finish(1, { ...failure(1), ...measured }),
      ];
      const measures = sent(told).flatMap((message) => {
        const [read] = JSON.parse(`[${encodeFrame([message])}]`) as Record<string, unknown>[];
        return Object.values(read!).flatMap((each) => (Array.isArray(each) ? each : []));
      });
      expect(measures).toHaveLength(2);
      for (const { run_ms, cpu_seconds, energy_joules = 0 } of measures) {
        for (const each of [run_ms, cpu_seconds, energy_joules])
          expect(each).toBeLessThanOrEqual(1e12);
      }
    },
  );

  test('sends no progress of an attempt that has ended meanwhile', () => {
    const stage = connected();
    stage.assign(task(0));
    stage.executor({ type: 'progress', slot: 0, key: key(0), progress: 0.9, message: null });
    stage.finish(0, result(0));
    expect(sent(stage.fire('flush'))).toEqual([]);
  });
});

describe('recall', () => {
  test('gives back what is queued, keeps what was handed over', () => {
    const stage = connected();
    stage.assign(task(0), task(1), task(2));
    const outputs = stage.say(recall(0, 1));
    expect(sentOf(outputs, 'release')[0]?.releases).toEqual([
      { task_id: 'job-1', attempt: 1, token: 't1' },
    ]);
    expect([...stage.machine.workload.held.keys()]).toEqual([key(0), key(2)]);
  });

  test('takes back from a slot what waits behind a long task', () => {
    const stage = connected();
    warmUp(stage);
    stage.assign(...tasks(10, 13));
    stage.executor({ type: 'started', slot: 0, key: key(10) });
    expect(stops(stage.say(recall(10, 12)))).toEqual([`0: ${key(12)} revoked`]);
    const outputs = stage.finish(0, { type: 'stopped', key: key(12), reason: 'revoked' });
    expect(sentOf(outputs, 'release')[0]?.releases.map((r) => r.task_id)).toEqual(['job-12']);
  });

  test('of a task that ended first is answered by its result', () => {
    const stage = connected();
    warmUp(stage);
    stage.assign(...tasks(10, 12));
    stage.executor({ type: 'started', slot: 0, key: key(10) });
    stage.say(recall(11));
    const outputs = stage.finish(0, result(10), result(11));
    expect(sent(outputs).map((m) => m.type)).toEqual(['result']);
  });

  test('of something unknown is not answered', () => {
    expect(connected().say(recall(5))).toEqual([]);
  });
});

describe('orders to stop', () => {
  test('take a queued attempt out without a word', () => {
    const stage = connected();
    stage.assign(task(0), task(1));
    expect(stage.say(cancel(1))).toEqual([]);
    expect([...stage.machine.workload.held.keys()]).toEqual([key(0)]);
  });

  test('stop a handed one and hide whatever becomes of it', () => {
    const stage = connected();
    stage.assign(task(0));
    expect(stops(stage.say(cancel(0)))).toEqual([`0: ${key(0)} cancelled`]);
    expect(stops(stage.say(cancel(0)))).toEqual([]);
    stage.executor({ type: 'started', slot: 0, key: key(0) });
    expect(sent(stage.finish(0, failure(0)))).toEqual([]);
    expect(stage.machine.workload.stopping.size).toBe(0);
  });

  test('stop one that was recalled already no second time, and nothing is given back', () => {
    const stage = connected();
    warmUp(stage);
    stage.assign(...tasks(10, 12));
    stage.executor({ type: 'started', slot: 0, key: key(10) });
    expect(stops(stage.say(recall(11)))).toHaveLength(1);
    expect(stage.say(cancel(11))).toEqual([]);
    expect(sent(stage.finish(0, { type: 'stopped', key: key(11), reason: 'revoked' }))).toEqual([]);
  });

  test('drop a report that waits for its ack', () => {
    const stage = connected();
    stage.assign(task(0));
    stage.finish(0, result(0));
    stage.say(cancel(0));
    stage.give({ type: 'socket_closed' });
    expect(sentOf(stage.connect(), 'result')).toEqual([]);
  });
});

describe('the same attempt again', () => {
  test('is ignored while it is held', () => {
    const stage = connected();
    stage.assign(task(0), task(1));
    expect(runs(stage.assign(task(0), task(1)))).toEqual([]);
    expect(stage.machine.workload.held.size).toBe(2);
  });

  test('is reported again when its report is there already', () => {
    const stage = connected();
    stage.assign(task(0));
    stage.finish(0, result(0));
    const [message] = sentOf(stage.assign(task(0, { token: 'new' })), 'result');
    expect(message?.results[0]).toMatchObject({ task_id: 'job-0', token: 'new' });
    expect(stage.machine.workload.outbox.size).toBe(1);
  });

  test('goes on under its new token while it runs', () => {
    const stage = connected();
    stage.assign(task(0));
    stage.assign(task(0, { token: 'new' }));
    const [message] = sentOf(stage.finish(0, result(0)), 'result');
    expect(message?.results[0]?.token).toBe('new');
  });

  test('waits until the executor has let go of the one that was stopped', () => {
    const stage = connected({ slots: 2 });
    stage.assign(task(0));
    stage.say(cancel(0));
    expect(runs(stage.assign(task(0, { token: 'new' })))).toEqual([]);
    const outputs = stage.finish(0, { type: 'stopped', key: key(0), reason: 'cancelled' });
    expect(runs(outputs)).toEqual([`0: ${key(0)}`]);
    expect(sentOf(stage.finish(0, result(0)), 'result')[0]?.results[0]?.token).toBe('new');
  });

  test('is not taken from a frame that was repeated', () => {
    const stage = connected();
    const message = stage.assignMessage([task(0)]);
    stage.say(message);
    stage.finish(0, result(0));
    stage.say(acked('result'));
    const outputs = stage.say(message);
    expect(runs(outputs)).toEqual([]);
    expect(outputsOf(outputs, 'log')[0]?.event).toBe('assign_repeated');
  });

  test('is taken from a frame that was overtaken', () => {
    const stage = connected();
    const [first, second] = [stage.assignMessage([task(0)]), stage.assignMessage([task(1)])];
    stage.say(second);
    stage.say(first);
    expect([...stage.machine.workload.held.keys()]).toEqual([key(1), key(0)]);
  });
});

describe('programs', () => {
  const described = (more: Partial<ProgramDescription>) => ({
    ...program,
    program: { ...program.program, ...more },
  });
  /** The description of a job's program in a frame. */
  const whole = (sha256: string, source = `source of ${sha256}`) => described({ sha256, source });
  const named = (sha256: string): JobDescription => {
    const { source: _, ...rest } = program.program;
    return { ...program, program: { ...rest, sha256 } };
  };

  /** One attempt of each job, with what the frame says of it. */
  function assign(
    stage: ScriptedMachine,
    jobs: Readonly<Record<string, JobDescription | undefined>>,
  ): ReturnType<ScriptedMachine['say']> {
    const assignments = Object.keys(jobs).map((job_id) =>
      task(0, { job_id, task_id: `${job_id}-0` }),
    );
    const programs = JSON.parse(JSON.stringify(jobs)) as Record<string, JobDescription>;
    return stage.say({ ...stage.assignMessage(assignments), programs });
  }

  /** The attempts that ran, as `job: source`. */
  function sources(outputs: ReturnType<ScriptedMachine['say']>): string[] {
    return outputsOf(outputs, 'run').map((run) => `${run.program.jobId}: ${run.program.source}`);
  }

  test('are kept by their hash for whatever job comes with it later', () => {
    const stage = connected({ slots: 3 });
    expect(sources(assign(stage, { a: whole('x') }))).toEqual(['a: source of x']);
    expect(sources(assign(stage, { b: named('x'), c: named('x') }))).toEqual([
      'b: source of x',
      'c: source of x',
    ]);
  });

  test('of another kind come as objects, and what tasks share comes and is kept with them', () => {
    const device = { name: 'test', type: 'pc', platform: 'linux', kinds: ['wasm'] };
    const stage = connected({ slots: 3, device });
    const definition = { kind: 'wasm', module: { $blob: 'ab'.repeat(32) } };
    const wasm: JobDescription = {
      ...program,
      program: { kind: 'wasm', sha256: 'x', definition, shared: { table: [1, 2] } },
    };
    const kept: JobDescription = { ...program, program: { kind: 'wasm', sha256: 'x' } };
    const outputs = [assign(stage, { a: wasm }), assign(stage, { b: kept })];
    const programs = outputs.flatMap((each) => outputsOf(each, 'run').map((run) => run.program));
    for (const [place, jobId] of ['a', 'b'].entries()) {
      expect(programs[place]).toMatchObject({
        jobId,
        kind: 'wasm',
        source: JSON.stringify(definition),
        sharedJson: '{"table":[1,2]}',
      });
    }
    // What is shared counts as the source does.
    stage.give({ type: 'socket_closed' });
    stage.fire('reconnect');
    const [hello] = sentOf(stage.give({ type: 'socket_opened' }), 'hello');
    const characters = JSON.stringify(definition).length + '{"table":[1,2]}'.length;
    expect(hello?.programs?.kept).toEqual([{ sha256: 'x', characters }]);
  });

  test('are named in hello, the longest unused first', () => {
    const stage = connected({ slots: 9, tuning: { shelf: { programs: 2, characters: 1000 } } });
    for (const [job, sha256] of Object.entries({ a: 'x', b: 'y', c: 'x', d: 'z' })) {
      assign(stage, { [job]: whole(sha256) });
    }
    stage.give({ type: 'socket_closed' });
    stage.fire('reconnect');
    const [hello] = sentOf(stage.give({ type: 'socket_opened' }), 'hello');
    expect(hello?.programs).toEqual({
      most: 2,
      most_characters: 1000,
      kept: ['x', 'z'].map((sha256) => ({ sha256, characters: 11 })),
    });
  });

  test('that are not here send their attempts back, and the connection stays', () => {
    const stage = connected({ slots: 2 });
    const outputs = assign(stage, { a: whole('x'), b: named('y') });
    expect(sources(outputs)).toEqual(['a: source of x']);
    expect(sentOf(outputs, 'release')).toEqual([
      {
        type: 'release',
        releases: [{ task_id: 'b-0', attempt: 1, token: 't0', lacks: 'y' }],
      },
    ]);
    expect(outputsOf(outputs, 'disconnect')).toEqual([]);
    // With the source it is another assignment.
    const again = task(0, { job_id: 'b', task_id: 'b-0', attempt: 2 });
    const message = { ...stage.assignMessage([again]), programs: { b: whole('y') } };
    expect(sources(stage.say(message))).toEqual(['b: source of y']);
  });

  test('that nobody names send their attempts to others', () => {
    const stage = connected();
    const outputs = assign(stage, { a: undefined });
    expect(sentOf(outputs, 'refusal')).toMatchObject([
      { refusals: [{ task_id: 'a-0', reason: 'unknown_program' }] },
    ]);
    expect(outputsOf(outputs, 'disconnect')).toEqual([]);
  });

  test('of an attempt that is held are not looked for again', () => {
    const stage = connected();
    assign(stage, { a: whole('x') });
    const again = { ...task(0, { job_id: 'a', task_id: 'a-0' }), token: 'newer' };
    const message = { ...stage.assignMessage([again]), programs: { a: named('y') } };
    expect(sentOf(stage.say(message), 'release')).toEqual([]);
  });

  test('are forgotten when the worker has to register anew', () => {
    const stage = connected();
    assign(stage, { a: whole('x') });
    stage.say({ type: 'deregistered', detail: 'Cleared.', register_after_seconds: 1 });
    stage.fire('reconnect');
    const [hello] = sentOf(stage.give({ type: 'socket_opened' }), 'hello');
    expect(hello?.programs?.kept).toEqual([]);
  });

  test('of a coordinator that does not name them are kept by their job', () => {
    const stage = connected();
    stage.assign(task(0));
    const message = stage.assignMessage([task(1)]);
    stage.say({ ...message, programs: {} });
    expect(runs(stage.finish(0, result(0)))).toEqual([`0: ${key(1)}`]);
  });

  test('of jobs without a held attempt are forgotten when there are too many', () => {
    const stage = connected({ tuning: { jobsMax: 2 } });
    stage.assign(task(0, { job_id: 'a' }));
    stage.assign(task(1, { job_id: 'b' }));
    stage.say(cancel(1));
    const outputs = stage.assign(task(2, { job_id: 'c' }));
    expect(outputsOf(outputs, 'forget_program').map((o) => o.jobId)).toEqual(['b']);
  });
});

/** A machine that knows the tasks of the job to be short and holds nothing. */
function warmUp(stage: ScriptedMachine): void {
  for (let i = 0; i < 6; i++) {
    stage.assign(task(i));
    stage.finish(0, result(i));
    stage.say({ type: 'ack', accepted: [{ task_id: `job-${i}`, attempt: 1, kind: 'result' }] });
  }
}

function acked(kind: ReportKind): CoordinatorMessage {
  return { type: 'ack', accepted: [{ task_id: 'job-0', attempt: 1, kind }] };
}

function rejected(code: string): CoordinatorMessage {
  const report = { task_id: 'job-0', attempt: 1, kind: 'result' as const };
  return { type: 'reject', rejected: [{ ...report, code, detail: 'Not taken.' }] };
}

function recall(...indices: number[]): CoordinatorMessage {
  return { type: 'recall', attempts: indices.map((i) => ({ task_id: `job-${i}`, attempt: 1 })) };
}

function cancel(index: number): CoordinatorMessage {
  const attempts = [{ task_id: `job-${index}`, attempt: 1, reason: 'cancelled' }];
  return { type: 'cancel', attempts };
}
