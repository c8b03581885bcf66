// Another leader greets the worker on the connection that is open: it says hello again, and goes on as after a reconnect.

import { expect, test } from 'vitest';
import type { CoordinatorMessage } from '../../protocol/messages.ts';
import {
  checkpoint,
  failure,
  outputsOf,
  result,
  runs,
  ScriptedMachine,
  sent,
  sentOf,
  stops,
  task,
} from './testing/scripted-machine.ts';

function greet(id: number): CoordinatorMessage {
  return { type: 'greet', id };
}

test('says hello on the open connection, naming the greeting and all that it holds', () => {
  const stage = new ScriptedMachine();
  stage.connect();
  stage.assign(task(0), task(1), task(2));
  stage.finish(0, result(0, 100));
  const outputs = stage.say(greet(7));
  expect(sent(outputs).map(({ type }) => type)).toEqual(['hello']);
  const [hello] = sentOf(outputs, 'hello');
  expect(hello).toMatchObject({ greeting: 7, worker_id: 'w1', worker_token: 'secret' });
  expect(hello?.attempts.map((a) => `${a.task_id} ${a.token} ${a.state}`)).toEqual([
    'job-0 t0 finished',
    'job-1 t1 running',
    'job-2 t2 queued',
  ]);
  expect(outputs.filter(({ type }) => type === 'connect' || type === 'disconnect')).toEqual([]);
  expect(stage.machine.connectionState).toBe('greeting');
});

test('names no greeting when it says hello on a new connection', () => {
  const stage = new ScriptedMachine();
  stage.connect();
  stage.say(greet(7));
  stage.give({ type: 'socket_closed' });
  stage.fire('reconnect');
  expect(sentOf(stage.give({ type: 'socket_opened' }), 'hello')[0]).not.toHaveProperty('greeting');
});

test('counts every hello of this start, on whatever connection', () => {
  const stage = new ScriptedMachine({ instance: 'a1' });
  const hellos = [
    ...sentOf(
      [...stage.give({ type: 'start' }), ...stage.give({ type: 'socket_opened' })],
      'hello',
    ),
    ...sentOf(stage.say(greet(1)), 'hello'),
    ...sentOf(stage.say(greet(2)), 'hello'),
  ];
  stage.give({ type: 'socket_closed' });
  stage.fire('reconnect');
  hellos.push(...sentOf(stage.give({ type: 'socket_opened' }), 'hello'));
  expect(hellos.map(({ instance, connection }) => `${instance} ${connection}`)).toEqual([
    'a1 1',
    'a1 2',
    'a1 3',
    'a1 4',
  ]);
});

test('sends again what was sent and not acknowledged, after welcome and not before', () => {
  const stage = new ScriptedMachine({ slots: 2 });
  stage.connect();
  stage.assign(task(0), task(1));
  stage.finish(0, result(0, 100));
  stage.executor({ type: 'started', slot: 1, key: 'job-1#1' });
  stage.executor(checkpoint(1, 3, 1));
  stage.say(greet(1));
  expect(sent(stage.executor(checkpoint(1, 4, 1)))).toEqual([]);
  const outputs = stage.welcome();
  expect(sent(outputs).map(({ type }) => type)).toEqual(['started', 'checkpoint', 'result']);
  expect(sentOf(outputs, 'checkpoint')[0]?.checkpoints.map((c) => c.sequence)).toEqual([4]);
  expect(sentOf(outputs, 'result')[0]?.results.map((r) => r.task_id)).toEqual(['job-0']);
});

test('does not report what ends between hello and welcome before it is welcome', () => {
  const stage = new ScriptedMachine();
  stage.connect();
  stage.assign(task(0), task(1));
  stage.say(greet(1));
  const outputs = stage.finish(0, failure(0));
  expect(sent(outputs)).toEqual([]);
  expect(runs(outputs)).toEqual(['0: job-1#1']);
  expect(sentOf(stage.welcome(), 'failure')[0]?.failures.map((f) => f.task_id)).toEqual(['job-0']);
});

test('stops what the new leader does not want, and nothing else', () => {
  const stage = new ScriptedMachine({ slots: 2 });
  stage.connect();
  stage.assign(task(0), task(1));
  stage.say(greet(1));
  const stop = [{ task_id: 'job-1', attempt: 1, reason: 'stale_attempt' }];
  expect(stops(stage.welcome({ stop }))).toEqual(['1: job-1#1 revoked']);
});

test('does not say of what it gave back in the same frame: hello does not name it', () => {
  const stage = new ScriptedMachine();
  stage.connect();
  stage.assign(task(0), task(1));
  const attempts = [{ task_id: 'job-1', attempt: 1 }];
  const outputs = stage.say({ type: 'recall', attempts }, { type: 'ping' }, greet(1));
  expect(sent(outputs).map(({ type }) => type)).toEqual(['hello']);
  expect(sentOf(outputs, 'hello')[0]?.attempts.map((a) => a.task_id)).toEqual(['job-0']);
  expect(sentOf(stage.welcome(), 'release')).toEqual([]);
});

test('releases after welcome what it gave back since hello', () => {
  const stage = new ScriptedMachine();
  stage.connect();
  stage.assign(task(0), task(1));
  stage.say(greet(1));
  expect(sent(stage.give({ type: 'leave' }))).toEqual([]);
  const [release] = sentOf(stage.welcome(), 'release');
  expect(release?.releases.map((ref) => ref.task_id)).toEqual(['job-1']);
});

test('takes the numbers of the new leader from the first on', () => {
  const stage = new ScriptedMachine({ slots: 4 });
  stage.connect();
  stage.assign(task(0));
  stage.assign(task(1));
  stage.say(greet(1));
  stage.welcome();
  expect(runs(stage.assign(task(2)))).toEqual(['2: job-2#1']);
  expect(sentOf(stage.say({ type: 'ping' }), 'heartbeat')[0]?.assign_sequence).toBe(1);
});

test('sends no heartbeat until it is welcome', () => {
  const stage = new ScriptedMachine();
  stage.connect();
  stage.say(greet(1));
  expect(stage.timers.has('heartbeat')).toBe(false);
  expect(sent(stage.say({ type: 'ping' }))).toEqual([]);
  stage.welcome();
  expect(sentOf(stage.fire('heartbeat'), 'heartbeat')).toHaveLength(1);
});

test('gives up the connection when no welcome follows', () => {
  const stage = new ScriptedMachine();
  stage.connect();
  stage.say(greet(1));
  expect(outputsOf(stage.fire('handshake'), 'disconnect')).toHaveLength(1);
  expect(stage.timers.has('reconnect')).toBe(true);
});

test('comes back without a long pause when a connection that has lived ends while it is greeted', () => {
  const stage = new ScriptedMachine({ random: () => 1 });
  stage.give({ type: 'start' });
  for (let i = 0; i < 6; i++) {
    stage.give({ type: 'socket_closed' });
    stage.fire('reconnect');
  }
  stage.give({ type: 'socket_opened' });
  stage.welcome();
  stage.nowMs += 60_000;
  stage.say(greet(1));
  const outputs = stage.give({ type: 'socket_closed' });
  expect(outputsOf(outputs, 'set_timer')).toEqual([
    { type: 'set_timer', timer: 'reconnect', afterMs: 200 },
  ]);
});

test('answers the newest greeting when the leader changes before it was welcome', () => {
  const stage = new ScriptedMachine();
  stage.give({ type: 'start' });
  stage.give({ type: 'socket_opened' });
  const [hello] = sentOf(stage.say(greet(1)), 'hello');
  expect(hello).toMatchObject({ greeting: 1, connection: 2, attempts: [] });
  expect(hello).not.toHaveProperty('worker_id');
  expect(sentOf(stage.say(greet(2)), 'hello')).toMatchObject([{ greeting: 2, connection: 3 }]);
  expect(outputsOf(stage.welcome(), 'save_identity')).toHaveLength(1);
});

test('passes over a greeting when it has no connection', () => {
  const stage = new ScriptedMachine();
  stage.connect();
  stage.give({ type: 'socket_closed' });
  const outputs = stage.say(greet(1));
  expect(sent(outputs)).toEqual([]);
  expect(outputsOf(outputs, 'log').map(({ event }) => event)).toEqual(['message_ignored']);
});
