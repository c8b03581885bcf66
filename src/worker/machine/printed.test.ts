// What tasks print, on its way to the coordinator: in time, in order, bounded, and never twice.

import { expect, test } from 'vitest';
import type { MachineOutput } from './machine.ts';
import { key, result, ScriptedMachine, sent, sentOf, task } from './testing/scripted-machine.ts';

const printed = { attempt: 100, worker: 150 };

function running(count = 1): ScriptedMachine {
  const stage = new ScriptedMachine({ slots: count, tuning: { printed } });
  stage.connect();
  stage.assign(...Array.from({ length: count }, (_, index) => task(index)));
  for (let slot = 0; slot < count; slot++) {
    stage.executor({ type: 'started', slot, key: key(slot) });
  }
  return stage;
}

function print(stage: ScriptedMachine, text: string, index = 0): MachineOutput[] {
  return stage.executor({ type: 'output', slot: index, key: key(index), text });
}

function told(outputs: readonly MachineOutput[]) {
  const entries = sentOf(outputs, 'output').flatMap((message) => message.outputs);
  return entries.map(({ task_id, text, left_out }) => [task_id, text, left_out ?? 0]);
}

test('is gathered for a moment, then sent once and without progress', () => {
  const stage = running();
  expect(sent(print(stage, 'one\n'))).toEqual([]);
  print(stage, 'two\n');
  const outputs = stage.fire('flush');
  expect(told(outputs)).toEqual([['job-0', 'one\ntwo\n', 0]]);
  expect(sentOf(outputs, 'progress')).toEqual([]);
  print(stage, 'three\n');
  expect(told(stage.fire('flush'))).toEqual([['job-0', 'three\n', 0]]);
});

test('comes before the result of its attempt', () => {
  const stage = running();
  print(stage, 'last words\n');
  const outputs = stage.finish(0, result(0));
  expect(sent(outputs).map(({ type }) => type)).toEqual(['output', 'result']);
  expect(told(outputs)).toEqual([['job-0', 'last words\n', 0]]);
});

test('too much of one attempt is left out, and counted with its next text', () => {
  const stage = running();
  print(stage, 'a'.repeat(130));
  print(stage, 'b'.repeat(5));
  expect(told(stage.fire('flush'))).toEqual([['job-0', 'a'.repeat(100), 0]]);
  stage.nowMs += 1000;
  print(stage, 'c');
  expect(told(stage.fire('flush'))).toEqual([['job-0', 'c', 35]]);
});

test('what was left out at last is counted before the result', () => {
  const stage = running();
  print(stage, 'a'.repeat(130));
  expect(told(stage.finish(0, result(0)))).toEqual([
    ['job-0', 'a'.repeat(100), 0],
    ['job-0', '', 30],
  ]);
});

test('all attempts together have a bound, too', () => {
  const stage = running(2);
  print(stage, 'a'.repeat(100), 0);
  print(stage, 'b'.repeat(100), 1);
  expect(told(stage.fire('flush'))).toEqual([
    ['job-0', 'a'.repeat(100), 0],
    ['job-1', 'b'.repeat(50), 0],
  ]);
});

test('what waits for its moment without a connection is lost, and counted', () => {
  const stage = running();
  print(stage, 'lost');
  stage.give({ type: 'socket_closed' });
  expect(told(stage.fire('flush'))).toEqual([]);
  print(stage, 'lost');
  stage.connect();
  expect(told(stage.finish(0, result(0)))).toEqual([['job-0', 'lost', 4]]);
});

test('an attempt that is not wanted any more says nothing', () => {
  const stage = running();
  print(stage, 'x');
  const order = { task_id: 'job-0', attempt: 1, reason: 'cancelled' };
  const outputs = stage.say({ type: 'cancel', attempts: [order] });
  expect(told([...outputs, ...print(stage, 'y')])).toEqual([]);
  expect(told(stage.fire('flush'))).toEqual([]);
});
