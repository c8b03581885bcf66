// A worker whose coordinator is gone tries the others that it was told of, and always comes back to its own.

import { describe, expect, test } from 'vitest';
import type { CoordinatorMessage } from '../../protocol/messages.ts';
import {
  outputsOf,
  result,
  ScriptedMachine,
  sent,
  sentOf,
  task,
} from './testing/scripted-machine.ts';

const coordinators = ['http://b', 'http://c'];
const lost = { type: 'socket_closed', detail: 'Nothing listens.' } as const;

function stage(mayGoTo: ((url: string) => boolean) | undefined = () => true): ScriptedMachine {
  return new ScriptedMachine(mayGoTo === undefined ? {} : { mayGoTo });
}

/** Where it connects next. */
function next(machine: ScriptedMachine): string | undefined {
  const [connect] = outputsOf(machine.fire('reconnect'), 'connect');
  return connect === undefined ? 'nowhere' : connect.to;
}

function tries(machine: ScriptedMachine, count: number): (string | undefined)[] {
  return Array.from({ length: count }, () => {
    machine.give(lost);
    return next(machine);
  });
}

/** Welcomed by its own coordinator, which is gone then; it connects to `http://b`. */
function away(): ScriptedMachine {
  const machine = stage();
  machine.connect({ coordinators });
  machine.assign(task(0));
  expect(tries(machine, 2)).toEqual([undefined, 'http://b']);
  return machine;
}

test('tries its own first, then each of the others, then its own again', () => {
  const machine = stage();
  machine.connect({ coordinators });
  expect(tries(machine, 7)).toEqual([
    undefined,
    'http://b',
    'http://c',
    undefined,
    'http://b',
    'http://c',
    undefined,
  ]);
});

test('goes only where the device lets it', () => {
  const machine = stage((url) => url !== 'http://b');
  machine.connect({ coordinators });
  expect(tries(machine, 3)).toEqual([undefined, 'http://c', undefined]);
  const other = new ScriptedMachine();
  other.connect({ coordinators });
  expect(tries(other, 3)).toEqual([undefined, undefined, undefined]);
});

test('remembers only those of the newest welcome', () => {
  const machine = away();
  machine.give({ type: 'socket_opened' });
  machine.welcome({ coordinators: ['http://d'] });
  expect(tries(machine, 3)).toEqual([undefined, 'http://d', undefined]);
});

test('takes what it holds along, and returns to its own after that connection', () => {
  const machine = away();
  machine.finish(0, result(0));
  const [hello] = sentOf(machine.give({ type: 'socket_opened' }), 'hello');
  expect(hello).toMatchObject({ worker_id: 'w1', worker_token: 'secret' });
  expect(hello?.attempts.map(({ state }) => state)).toEqual(['finished']);
  expect(sentOf(machine.welcome(), 'result')).toHaveLength(1);
  expect(tries(machine, 2)).toEqual([undefined, undefined]);
});

describe('what another coordinator says before it is welcome there', () => {
  test.each([401, 403, 404, 503])('a refusal with %i does not end it', (status) => {
    const machine = away();
    const refused = {
      type: 'socket_refused',
      status,
      code: 'deregistered',
      detail: 'No.',
    } as const;
    const outputs = machine.give(refused);
    expect(outputsOf(outputs, 'exit')).toEqual([]);
    expect(outputsOf(outputs, 'forget_identity')).toEqual([]);
    expect(next(machine)).toBe('http://c');
  });

  test.each<CoordinatorMessage>([
    { type: 'deregistered', detail: 'Who?', register_after_seconds: 0 },
    { type: 'deregistered', detail: 'Who?' },
    { type: 'error', code: 'unknown_worker', detail: 'Who?', fatal: true },
    { type: 'error', code: 'forbidden', detail: 'Who?', fatal: true },
  ])('%j costs it neither its name nor its work', (message) => {
    const machine = away();
    machine.give({ type: 'socket_opened' });
    const outputs = machine.say(message);
    expect(outputs.map(({ type }) => type)).toContain('disconnect');
    expect(outputsOf(outputs, 'exit')).toEqual([]);
    expect(outputsOf(outputs, 'forget_identity')).toEqual([]);
    expect(machine.machine.workload.held.size).toBe(1);
    expect(next(machine)).toBe('http://c');
  });

  test('another version of the protocol does not end it', () => {
    const machine = away();
    machine.give({ type: 'socket_opened' });
    expect(outputsOf(machine.welcome({ protocol: 2 }), 'exit')).toEqual([]);
    expect(next(machine)).toBe('http://c');
  });
});

test('a coordinator that has welcomed it is believed wherever it is', () => {
  const machine = away();
  machine.give({ type: 'socket_opened' });
  machine.welcome();
  const outputs = machine.say({ type: 'deregistered', detail: 'Away.' });
  expect(outputsOf(outputs, 'exit')).toMatchObject([{ code: 0 }]);
  expect(sent(outputs)).toEqual([]);
});

test('goes to none while it has no name that another would know', () => {
  const machine = stage();
  machine.connect({ coordinators });
  machine.say({ type: 'deregistered', detail: 'Cleared.', register_after_seconds: 1 });
  expect(next(machine)).toBeUndefined();
  expect(tries(machine, 2)).toEqual([undefined, undefined]);
});
