import { describe, expect, test } from 'vitest';
import type { CoordinatorMessage } from '../../protocol/messages.ts';
import { ownTokenRefused } from './machine.ts';
import {
  checkpoint,
  key,
  outputsOf,
  result,
  runs,
  ScriptedMachine,
  sent,
  sentOf,
  stops,
  task,
} from './testing/scripted-machine.ts';

describe('hello and welcome', () => {
  test('registers anew without an identity and keeps the one it is given', () => {
    const stage = new ScriptedMachine();
    expect(outputsOf(stage.give({ type: 'start' }), 'connect')).toHaveLength(1);
    const [hello] = sentOf(stage.give({ type: 'socket_opened' }), 'hello');
    expect(hello).toMatchObject({ protocol: 1, attempts: [], device: { slots: 1 } });
    expect(hello).not.toHaveProperty('worker_id');
    const other = new ScriptedMachine();
    expect(outputsOf(other.connect(), 'save_identity')).toEqual([
      { type: 'save_identity', workerId: 'w1', workerToken: 'secret' },
    ]);
  });

  test('comes back as the same worker, naming exactly what it holds and how far it is', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    stage.assign(task(0), task(1), task(2));
    stage.finish(0, result(0, 100));
    stage.give({ type: 'socket_closed' });
    stage.fire('reconnect');
    const [hello] = sentOf(stage.give({ type: 'socket_opened' }), 'hello');
    expect(hello).toMatchObject({ worker_id: 'w1', worker_token: 'secret' });
    expect(hello?.attempts.map((a) => `${a.task_id} ${a.token} ${a.state}`)).toEqual([
      'job-0 t0 finished',
      'job-1 t1 running',
      'job-2 t2 queued',
    ]);
  });

  test('sends an unacknowledged result again after welcome, not before', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    stage.assign(task(0), task(1));
    stage.finish(0, result(0));
    stage.give({ type: 'socket_closed' });
    expect(sent(stage.finish(0, result(1)))).toEqual([]);
    const outputs = stage.connect();
    expect(sentOf(outputs, 'result')[0]?.results.map((r) => r.task_id)).toEqual(['job-0', 'job-1']);
  });

  test('stops what the coordinator no longer wants and reports nothing of it', () => {
    const stage = new ScriptedMachine({ slots: 2 });
    stage.connect();
    stage.assign(task(0), task(1), task(2));
    stage.finish(0, result(0, 100));
    stage.give({ type: 'socket_closed' });
    const stop = [0, 1].map((i) => ({ task_id: `job-${i}`, attempt: 1, reason: 'cancelled' }));
    const outputs = stage.connect({ stop });
    expect(stops(outputs)).toEqual([`1: ${key(1)} cancelled`]);
    expect(sent(outputs)).toEqual([]);
    expect(sent(stage.finish(1, result(1)))).toEqual([]);
    expect([...stage.machine.workload.held.keys()]).toEqual([key(2)]);
  });

  test('ends with a sentence when the coordinator speaks another protocol', () => {
    const stage = new ScriptedMachine();
    const [exit] = outputsOf(stage.connect({ protocol: 2 }), 'exit');
    expect(exit?.code).toBe(3);
    expect(exit?.reason).toMatch(/version 2 of the protocol, this worker 1/);
  });

  test('ignores what may not come before welcome', () => {
    const stage = new ScriptedMachine();
    stage.give({ type: 'start' });
    stage.give({ type: 'socket_opened' });
    const outputs = stage.assign(task(0));
    expect(runs(outputs)).toEqual([]);
    expect(outputsOf(outputs, 'log')[0]?.event).toBe('message_ignored');
  });
});

describe('reconnecting', () => {
  test('waits longer after every failure, up to the bound, and says so once', () => {
    const stage = new ScriptedMachine({ random: () => 1 });
    stage.give({ type: 'start' });
    const pauses: number[] = [];
    const events: string[] = [];
    for (let i = 0; i < 9; i++) {
      const outputs = stage.give({ type: 'socket_closed', detail: 'Nothing listens.' });
      pauses.push(...outputsOf(outputs, 'set_timer').map((o) => o.afterMs));
      events.push(...outputsOf(outputs, 'log').map((o) => o.event));
      stage.fire('reconnect');
    }
    expect(pauses).toEqual([200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000]);
    expect(events).toEqual(['unreachable']);
  });

  test('goes on with queued tasks while there is no connection', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    stage.assign(task(0), task(1));
    stage.give({ type: 'socket_closed' });
    expect(runs(stage.finish(0, result(0, 100)))).toEqual([`0: ${key(1)}`]);
  });

  test('gives up a connection on which nothing was heard for a lease', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    for (let i = 0; i < 3; i++)
      expect(sentOf(stage.fire('heartbeat'), 'heartbeat')).toHaveLength(1);
    const outputs = stage.fire('heartbeat');
    expect(outputsOf(outputs, 'disconnect')).toHaveLength(1);
    expect(stage.timers.has('reconnect')).toBe(true);
  });

  test('gives up a socket that is never welcomed', () => {
    const stage = new ScriptedMachine();
    stage.give({ type: 'start' });
    stage.give({ type: 'socket_opened' });
    expect(outputsOf(stage.fire('handshake'), 'disconnect')).toHaveLength(1);
  });

  test.each([
    [401, 3],
    [403, 3],
    [404, 2],
  ])('ends when the first upgrade is answered with %i', (status, code) => {
    const stage = new ScriptedMachine();
    stage.give({ type: 'start' });
    const outputs = stage.give({ type: 'socket_refused', status, code: null, detail: 'No.' });
    expect(outputsOf(outputs, 'exit')).toEqual([{ type: 'exit', code, reason: 'No.' }]);
  });

  test('says once why it is refused when it comes back, for each reason', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    const said: string[] = [];
    const note = (outputs: ReturnType<typeof stage.give>) =>
      said.push(...outputsOf(outputs, 'log').map(({ detail }) => detail));
    note(stage.give({ type: 'socket_closed', detail: 'It was closed.' }));
    const refusals = ['Later.', 'Another key.', 'Later.', 'Another key.'];
    const refuse = (detail: string) => {
      stage.fire('reconnect');
      note(stage.give({ type: 'socket_refused', status: 421, code: null, detail }));
    };
    for (const detail of refusals) refuse(detail);
    const [later, another] = ['Later.', 'Another key.'].map(
      (why) => `${why} Trying again until it answers.`,
    );
    expect(said.slice(1)).toEqual([later, another]);
    stage.connect();
    stage.give({ type: 'socket_closed' });
    refuse('Another key.');
    expect(said.slice(1)).toEqual([later, another, another]);
  });

  test('joins as a new worker when its own token is refused at the start and it has another', () => {
    const stage = new ScriptedMachine({ identity: { workerId: 'old', workerToken: 'revoked' } });
    stage.give({ type: 'start' });
    const outputs = refuseOwn(stage);
    expect(outputsOf(outputs, 'log')).toMatchObject([{ event: 'registering_anew' }]);
    // The next start may still need it: nothing has taken its place.
    expect(outputsOf(outputs, 'forget_identity')).toEqual([]);
    stage.fire('reconnect');
    const [hello] = sentOf(stage.give({ type: 'socket_opened' }), 'hello');
    expect(hello).not.toHaveProperty('worker_id');
  });

  test('stays who it is when its own token is refused after it was welcome', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    stage.give({ type: 'socket_closed' });
    stage.fire('reconnect');
    refuseOwn(stage);
    stage.fire('reconnect');
    const [hello] = sentOf(stage.give({ type: 'socket_opened' }), 'hello');
    expect(hello).toMatchObject({ worker_id: 'w1' });
  });

  test('keeps trying while the coordinator is overloaded or shutting down', () => {
    const stage = new ScriptedMachine();
    stage.give({ type: 'start' });
    for (const status of [429, 503]) {
      stage.give({ type: 'socket_refused', status, code: null, detail: 'Later.' });
      expect(outputsOf(stage.fire('reconnect'), 'connect')).toHaveLength(1);
    }
  });
});

function refuseOwn(stage: ScriptedMachine) {
  const detail = 'The token was revoked.';
  return stage.give({ type: 'socket_refused', status: 401, code: ownTokenRefused, detail });
}

describe('heartbeats', () => {
  test('carry telemetry, the newest sequence and what is held for longer than an interval', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    stage.assign(task(0));
    stage.nowMs = 4000;
    stage.assign(task(1));
    const [heartbeat] = sentOf(stage.fire('heartbeat'), 'heartbeat');
    expect(heartbeat).toMatchObject({ assign_sequence: 2, telemetry: { cpu_load_percent: 10 } });
    expect(heartbeat?.running).toEqual([]);
    const [next] = sentOf(stage.fire('heartbeat'), 'heartbeat');
    expect(next?.running).toEqual([
      { task_id: 'job-0', attempt: 1, token: 't0' },
      { task_id: 'job-1', attempt: 1, token: 't1' },
    ]);
  });

  test('measure the latency by their answer', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    const [heartbeat] = sentOf(stage.fire('heartbeat'), 'heartbeat');
    stage.nowMs += 12.345;
    stage.say(answer(heartbeat!.heartbeat_id));
    const [next] = sentOf(stage.say({ type: 'ping' }), 'heartbeat');
    expect(next?.telemetry.network_latency_ms).toBe(12.35);
  });

  test('obey the orders and the interval in their answer', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    stage.assign(task(0));
    const [heartbeat] = sentOf(stage.fire('heartbeat'), 'heartbeat');
    const stop = [{ task_id: 'job-0', attempt: 1, reason: 'attempt_timeout' }];
    const outputs = stage.say({
      ...answer(heartbeat!.heartbeat_id, { stop, heartbeat_interval_seconds: 60 }),
    });
    expect(stops(outputs)).toEqual([`0: ${key(0)} attempt_timeout`]);
    expect(outputsOf(stage.fire('heartbeat'), 'set_timer')[0]?.afterMs).toBe(60_000);
  });

  test('send a report again that was not answered for a lease', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    stage.assign(task(0));
    stage.finish(0, result(0));
    const repeated: number[] = [];
    for (let beat = 1; beat <= 8; beat++) {
      const outputs = stage.fire('heartbeat');
      if (sentOf(outputs, 'result').length > 0) repeated.push(beat);
      stage.say(answer(sentOf(outputs, 'heartbeat')[0]!.heartbeat_id));
    }
    expect(repeated).toEqual([4, 8]);
  });
});

describe('leaving', () => {
  test('finishes what runs, gives back what has not begun, says bye after the last ack', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    stage.assign(task(0), task(1));
    const outputs = stage.give({ type: 'leave' });
    expect(sentOf(outputs, 'release')[0]?.releases.map((r) => r.task_id)).toEqual(['job-1']);
    expect(sentOf(outputs, 'heartbeat')[0]).toMatchObject({ draining: true });
    expect(outputsOf(stage.finish(0, result(0)), 'exit')).toEqual([]);
    const last = stage.say(ack(0));
    expect(sent(last)).toEqual([{ type: 'bye', reason: 'drained' }]);
    expect(last.slice(-2).map((o) => o.type)).toEqual(['disconnect', 'exit']);
  });

  test('leaves at once when it holds nothing', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    const outputs = stage.give({ type: 'leave' });
    expect(sent(outputs)).toEqual([{ type: 'bye', reason: 'drained' }]);
    expect(outputsOf(outputs, 'exit')).toEqual([{ type: 'exit', code: 0, reason: 'drained' }]);
  });

  test('gives back at once what crossed on the way', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    stage.assign(task(0));
    stage.give({ type: 'leave' });
    expect(sentOf(stage.assign(task(1)), 'release')[0]?.releases).toHaveLength(1);
  });

  test('asks what runs for a checkpoint at once', () => {
    const stage = new ScriptedMachine({ slots: 2 });
    stage.connect();
    stage.assign(task(0), task(1));
    stage.executor({ type: 'started', slot: 1, key: key(1) });
    const outputs = stage.give({ type: 'leave' });
    expect(outputsOf(outputs, 'checkpoint')).toEqual([
      { type: 'checkpoint', slot: 1, key: key(1) },
    ]);
  });

  test('asks what runs for a checkpoint when the coordinator wants it drained', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    stage.assign(task(0));
    stage.executor({ type: 'started', slot: 0, key: key(0) });
    expect(outputsOf(stage.say({ type: 'drain', drain: true }), 'checkpoint')).toHaveLength(1);
    expect(outputsOf(stage.say({ type: 'drain', drain: false }), 'checkpoint')).toEqual([]);
  });

  test('gives up what still runs at the deadline, without a checkpoint at once', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    stage.assign(task(0));
    stage.give({ type: 'leave' });
    expect(stops(stage.fire('leave_deadline'))).toEqual([`0: ${key(0)} leaving`]);
    const end = stage.finish(0, { type: 'stopped', key: key(0), reason: 'leaving' });
    expect(sent(end)).toEqual([{ type: 'bye', reason: 'drained' }]);
  });

  test('says bye when the last checkpoint of what it gives up is acknowledged', () => {
    const { stage, saved } = givenUp();
    expect(saved.map(({ sequence }) => sequence)).toEqual([1]);
    expect(sent(stage.say(checkpointsAcked))).toMatchObject([
      { type: 'checkpoint', checkpoints: [{ sequence: 2 }] },
    ]);
    expect(sent(stage.say(checkpointsAcked))).toEqual([{ type: 'bye', reason: 'drained' }]);
  });

  test('does not wait longer for that answer than it may', () => {
    const { stage } = givenUp();
    expect(sent(stage.fire('leave_deadline'))).toEqual([{ type: 'bye', reason: 'given_up' }]);
  });

  test('names what it gives up as running, and sends its checkpoint again after a reconnect', () => {
    const { stage } = givenUp();
    stage.give({ type: 'socket_closed' });
    stage.fire('reconnect');
    const [hello] = sentOf(stage.give({ type: 'socket_opened' }), 'hello');
    expect(hello?.attempts).toMatchObject([{ task_id: 'job-0', state: 'running' }]);
    expect(sentOf(stage.welcome(), 'checkpoint')).toMatchObject([
      { checkpoints: [{ sequence: 2 }] },
    ]);
    expect(sent(stage.say(checkpointsAcked))).toEqual([{ type: 'bye', reason: 'drained' }]);
  });

  test('does not wait for an executor or a coordinator that says nothing', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    stage.assign(task(0));
    stage.give({ type: 'leave' });
    stage.give({ type: 'leave' });
    const outputs = stage.fire('leave_deadline');
    expect(outputsOf(outputs, 'exit')).toEqual([{ type: 'exit', code: 0, reason: 'given_up' }]);
    expect(stage.give({ type: 'leave' })).toEqual([]);
  });

  test('waits for welcome before it says what it gave back since hello', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    stage.assign(task(0), task(1));
    stage.finish(0, result(0, 100));
    stage.say(ack(0));
    stage.give({ type: 'socket_closed' });
    stage.executor({ type: 'returned', slot: 0, keys: [key(1)] });
    stage.fire('reconnect');
    stage.give({ type: 'socket_opened' });
    expect(outputsOf(stage.give({ type: 'leave' }), 'exit')).toEqual([]);
    expect(stage.machine.workload.held.size).toBe(1);
    stage.executor({ type: 'returned', slot: 0, keys: [key(1)] });
    const outputs = stage.welcome();
    expect(sent(outputs).map((m) => m.type)).toEqual(['release', 'bye']);
  });

  test('stays and takes nothing new while the coordinator drains it', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    stage.assign(task(0), task(1));
    expect(sentOf(stage.say({ type: 'drain', drain: true }), 'release')).toHaveLength(1);
    stage.finish(0, result(0));
    expect(outputsOf(stage.say(ack(0)), 'exit')).toEqual([]);
    stage.say({ type: 'drain', drain: false });
    expect(runs(stage.assign(task(2)))).toEqual([`0: ${key(2)}`]);
  });

  test('stops everything and stays away once it is deregistered', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    stage.assign(task(0), task(1));
    const outputs = stage.say({ type: 'deregistered', detail: 'Removed.' });
    expect(stops(outputs)).toEqual([`0: ${key(0)} revoked`]);
    expect(outputsOf(outputs, 'forget_identity')).toHaveLength(1);
    expect(outputsOf(outputs, 'exit')[0]).toMatchObject({ code: 0, reason: 'deregistered' });
  });

  test('registers anew after the pause when the database was cleared', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    stage.assign(task(0));
    stage.say({ type: 'deregistered', detail: 'Cleared.', register_after_seconds: 3 });
    expect(stage.timers.get('reconnect')).toBe(3100);
    stage.fire('reconnect');
    const [hello] = sentOf(stage.give({ type: 'socket_opened' }), 'hello');
    expect(hello).toMatchObject({ attempts: [] });
    expect(hello).not.toHaveProperty('worker_id');
  });

  test.each(['unknown_worker', 'not_yours'])(
    'registers anew when its hello is answered by %s',
    (code) => {
      const stage = new ScriptedMachine({ identity: { workerId: 'w0', workerToken: 'old' } });
      stage.give({ type: 'start' });
      stage.give({ type: 'socket_opened' });
      stage.say({ type: 'error', code, detail: 'Who?', fatal: true });
      stage.fire('reconnect');
      const [hello] = sentOf(stage.give({ type: 'socket_opened' }), 'hello');
      expect(hello).not.toHaveProperty('worker_id');
    },
  );
});

function ack(index: number) {
  const accepted = [{ task_id: `job-${index}`, attempt: 1, kind: 'result' as const }];
  return { type: 'ack' as const, accepted };
}

function answer(heartbeat_id: number, more: object = {}) {
  const heartbeat = {
    heartbeat_id,
    stop: [],
    heartbeat_interval_seconds: 5,
    drain: false,
    warnings: [],
    ...more,
  };
  return { type: 'ack' as const, accepted: [], heartbeat };
}

const checkpointsAcked: CoordinatorMessage = {
  type: 'ack',
  accepted: [{ task_id: 'job-0', attempt: 1, kind: 'checkpoint' }],
};

/** Its attempt was stopped by the deadline for leaving; two checkpoints are on their way. */
function givenUp() {
  const stage = new ScriptedMachine();
  stage.connect();
  stage.assign(task(0));
  stage.give({ type: 'leave' });
  stage.fire('leave_deadline');
  const saved = [1, 2].flatMap((sequence) =>
    sentOf(stage.executor(checkpoint(0, sequence)), 'checkpoint').flatMap((m) => m.checkpoints),
  );
  const end = stage.finish(0, { type: 'stopped', key: key(0), reason: 'leaving' });
  expect(sent(end)).toEqual([]);
  return { stage, saved };
}
