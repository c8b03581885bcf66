import { describe, expect, test } from 'vitest';
import { encodeFrame } from '../../protocol/codec.ts';
import type { KeptReport, MachineOptions, MachineOutput } from './machine.ts';
import {
  failure,
  key,
  outputsOf,
  result,
  ScriptedMachine,
  sent,
  sentOf,
  task,
} from './testing/scripted-machine.ts';

const identity = { workerId: 'w1', workerToken: 'secret' };
const ref = (index: number) => ({ task_id: `job-${index}`, attempt: 1, token: `t${index}` });

function finished(options: Partial<MachineOptions> = {}) {
  const stage = new ScriptedMachine({ keepsReports: true, ...options });
  stage.connect();
  stage.assign(task(0));
  return { stage, outputs: stage.finish(0, result(0)) };
}

function kept(index: number, more: Partial<KeptReport> = {}): KeptReport {
  const entryJson = `{"task_id":"job-${index}","attempt":1,"token":"t${index}","value":{"a":[1.5]},"run_ms":3}`;
  const about = { taskId: `job-${index}`, attempt: 1, token: `t${index}` };
  return { key: key(index), ...about, kind: 'result', entryJson, ...more };
}

function reborn(options: Partial<MachineOptions>) {
  const stage = new ScriptedMachine({ keepsReports: true, identity, ...options });
  const first = stage.give({ type: 'start' });
  const [hello] = sentOf(stage.give({ type: 'socket_opened' }), 'hello');
  return { stage, hello, first };
}

const letGo = (outputs: readonly MachineOutput[]) =>
  outputsOf(outputs, 'let_go').flatMap(({ keys }) => keys);
const answer = (code: string | null, kind: 'result' | 'failure' = 'result') => {
  const about = { task_id: 'job-0', attempt: 1, kind };
  return code === null
    ? ({ type: 'ack', accepted: [about] } as const)
    : ({ type: 'reject', rejected: [{ ...about, code, detail: 'no' }] } as const);
};

describe('a report that is kept', () => {
  test('is given to the device before it is sent, as it goes on the wire', () => {
    const { outputs } = finished();
    expect(outputs.map(({ type }) => type).slice(0, 2)).toEqual(['keep', 'send']);
    const [{ reports } = { reports: [] }] = outputsOf(outputs, 'keep');
    expect(reports).toMatchObject([{ key: key(0), taskId: 'job-0', attempt: 1, kind: 'result' }]);
    expect(encodeFrame(sent(outputs))).toBe(
      `{"type":"result","results":[${reports[0]?.entryJson}]}`,
    );
    expect(structuredClone(reports)).toEqual(reports);
  });

  test.each([null, 'stale_attempt', 'not_yours'])('is let go when it is answered (%s)', (code) => {
    expect(letGo(finished().stage.say(answer(code)))).toEqual([key(0)]);
  });

  test('is let go when its attempt is revoked', () => {
    const { stage } = finished();
    const attempts = [{ task_id: 'job-0', attempt: 1, reason: 'revoked' }];
    expect(letGo(stage.say({ type: 'revoke', attempts }))).toEqual([key(0)]);
  });

  test('gives way to the failure that takes its place', () => {
    const { stage } = finished();
    const outputs = stage.say(answer('result_too_large'));
    expect(outputsOf(outputs, 'keep')[0]?.reports).toMatchObject([
      { key: key(0), kind: 'failure' },
    ]);
    expect(letGo(outputs)).toEqual([]);
    expect(letGo(stage.say(answer(null, 'failure')))).toEqual([key(0)]);
  });

  test.each([
    { type: 'deregistered', detail: 'removed' },
    { type: 'deregistered', detail: 'cleared', register_after_seconds: 1 },
  ] as const)('is let go when nobody knows its worker any more (%o)', (message) => {
    expect(letGo(finished().stage.say(message))).toEqual([key(0)]);
  });

  test('is kept when the worker leaves before the answer', () => {
    const { stage } = finished();
    const outputs = [stage.give({ type: 'leave' }), stage.give({ type: 'leave' })];
    const all = [...outputs.flat(), ...stage.fire('leave_deadline')];
    expect(outputsOf(all, 'exit')).toHaveLength(1);
    expect(letGo(all)).toEqual([]);
  });

  test('is no matter of a worker that keeps nothing', () => {
    const { stage, outputs } = finished({ keepsReports: false });
    const all = [...outputs, ...stage.say(answer(null))];
    expect([...outputsOf(all, 'keep'), ...outputsOf(all, 'let_go')]).toEqual([]);
  });
});

describe('reports of an earlier life', () => {
  test('are named as finished, sent after the welcome word for word, and let go when answered', () => {
    const { stage, hello } = reborn({ kept: [kept(0)] });
    expect(hello?.attempts).toEqual([{ ...ref(0), state: 'finished' }]);
    const outputs = stage.welcome();
    expect(encodeFrame(sent(outputs))).toBe(`{"type":"result","results":[${kept(0).entryJson}]}`);
    expect(outputsOf(outputs, 'keep')).toEqual([]);
    expect(letGo(stage.say(answer(null)))).toEqual([key(0)]);
    expect(stage.machine.workload.held.size).toBe(0);
  });

  test('bring the failure that was kept', () => {
    const { stage } = finished();
    stage.assign(task(1));
    const made = outputsOf(stage.finish(0, failure(1)), 'keep').flatMap(({ reports }) => reports);
    const next = reborn({ kept: made }).stage;
    const [message] = sentOf(next.welcome(), 'failure');
    expect(message?.failures).toMatchObject([{ ...ref(1), error_type: 'TypeError' }]);
  });

  test('are let go when the task is over elsewhere: by the welcome, or by a rejection', () => {
    const first = reborn({ kept: [kept(0)] }).stage;
    const stop = [{ task_id: 'job-0', attempt: 1, reason: 'revoked' }];
    const outputs = first.welcome({ stop });
    expect(letGo(outputs)).toEqual([key(0)]);
    expect(sentOf(outputs, 'result')).toEqual([]);
    const second = reborn({ kept: [kept(0)] }).stage;
    second.welcome();
    expect(letGo(second.say(answer('stale_attempt')))).toEqual([key(0)]);
  });

  test('stay kept over lost connections and come again with the next', () => {
    const { stage } = reborn({ kept: [kept(0)] });
    stage.welcome();
    expect(letGo(stage.give({ type: 'socket_closed' }))).toEqual([]);
    expect(sentOf(stage.connect(), 'result')).toHaveLength(1);
  });

  test('are let go by a worker without an identity', () => {
    const { hello, first } = reborn({ identity: null, kept: [kept(0)] });
    expect(letGo(first)).toEqual([key(0)]);
    expect(hello?.attempts).toEqual([]);
  });

  test('are let go when the coordinator does not know the worker', () => {
    const { stage } = reborn({ kept: [kept(0)] });
    const code = 'unknown_worker';
    const outputs = stage.say({ type: 'error', code, detail: 'who?', fatal: true });
    expect(letGo(outputs)).toEqual([key(0)]);
  });

  test('are let go when the token of the worker is not taken any more', () => {
    const stage = new ScriptedMachine({ keepsReports: true, identity, kept: [kept(0)] });
    stage.give({ type: 'start' });
    const refusal = { status: 401, code: 'own_token_refused', detail: 'removed' } as const;
    expect(letGo(stage.give({ type: 'socket_refused', ...refusal }))).toEqual([key(0)]);
  });

  test('are kept when the coordinator does not answer', () => {
    const stage = new ScriptedMachine({ keepsReports: true, identity, kept: [kept(0)] });
    stage.give({ type: 'start' });
    expect(letGo(stage.give({ type: 'socket_closed' }))).toEqual([]);
  });

  test('that cannot be read are let go, and the others are sent', () => {
    const { stage, first } = reborn({ kept: [kept(0, { entryJson: '{' }), kept(1)] });
    expect(letGo(first)).toEqual([key(0)]);
    expect(sentOf(stage.welcome(), 'result')[0]?.results).toHaveLength(1);
  });

  test('take the token of an attempt that is assigned again, and are kept with it', () => {
    const { stage } = reborn({ kept: [kept(0)] });
    stage.welcome();
    const outputs = stage.assign(task(0, { token: 'new' }));
    expect(outputsOf(outputs, 'run')).toEqual([]);
    expect(sentOf(outputs, 'result')[0]?.results).toMatchObject([{ ...ref(0), token: 'new' }]);
    expect(outputsOf(outputs, 'keep')[0]?.reports).toMatchObject([{ token: 'new' }]);
  });

  test('hold a departure back until they are answered', () => {
    const { stage } = reborn({ kept: [kept(0)] });
    stage.welcome();
    expect(outputsOf(stage.give({ type: 'leave' }), 'exit')).toEqual([]);
    expect(outputsOf(stage.say(answer(null)), 'exit')).toHaveLength(1);
  });
});

describe('what an earlier life held', () => {
  test('is named as queued and released after the welcome, once', () => {
    const { stage, hello } = reborn({ heldBefore: [ref(3)] });
    expect(hello?.attempts).toEqual([{ ...ref(3), state: 'queued' }]);
    expect(sentOf(stage.welcome(), 'release')[0]?.releases).toEqual([ref(3)]);
    stage.give({ type: 'socket_closed' });
    expect(sentOf(stage.connect(), 'release')).toEqual([]);
  });

  test('is named again when the connection ends before the welcome', () => {
    const { stage } = reborn({ heldBefore: [ref(3)] });
    stage.give({ type: 'socket_closed' });
    expect(stage.machine.workload.unreported()).toEqual([ref(3)]);
    expect(sentOf(stage.connect(), 'release')[0]?.releases).toEqual([ref(3)]);
  });

  test('is named once when its report was kept too', () => {
    const { stage, hello } = reborn({ heldBefore: [ref(0)], kept: [kept(0)] });
    expect(hello?.attempts).toEqual([{ ...ref(0), state: 'finished' }]);
    expect(sentOf(stage.welcome(), 'release')).toEqual([]);
  });

  test('is nothing to a worker without an identity', () => {
    expect(reborn({ identity: null, heldBefore: [ref(0)] }).hello?.attempts).toEqual([]);
  });

  test('is everything that is held and not reported', () => {
    const { stage } = finished();
    stage.assign(task(1), task(2));
    expect(stage.machine.workload.unreported()).toEqual([ref(1), ref(2)]);
  });
});
