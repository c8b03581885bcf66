import { describe, expect, test } from 'vitest';
import type { RestOrder } from './machine.ts';
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

const paused: RestOrder = { because: 'paused', keeps: false };
const hidden: RestOrder = { because: 'hidden', keeps: true, leaseSeconds: 300 };
const ref = (index: number) => ({ task_id: `job-${index}`, attempt: 1, token: `t${index}` });
const rest = (order: RestOrder | null) => ({ type: 'rest', rest: order }) as const;
const started = (index: number, slot = 0) => ({ type: 'started', slot, key: key(index) }) as const;
const stopped = (index: number) =>
  ({ type: 'stopped', key: key(index), reason: 'leaving' }) as const;
const acceptedState = (index: number) =>
  ({
    type: 'ack',
    accepted: [{ task_id: `job-${index}`, attempt: 1, kind: 'checkpoint' }],
  }) as const;

/** One attempt runs, one waits. */
function working(options: ConstructorParameters<typeof ScriptedMachine>[0] = {}) {
  const stage = new ScriptedMachine(options);
  stage.connect();
  stage.assign(task(0), task(1));
  stage.executor(started(0));
  return stage;
}

describe('a rest that gives back what runs', () => {
  test('releases what has not begun, tells the rest to stop, and says so at once', () => {
    const stage = working();
    const outputs = stage.give(rest(paused));
    expect(sentOf(outputs, 'release')[0]?.releases).toEqual([ref(1)]);
    expect(stops(outputs)).toEqual([`0: ${key(0)} leaving`]);
    expect(sent(outputs).map(({ type }) => type)).toEqual(['heartbeat', 'release']);
    expect(sentOf(outputs, 'heartbeat')[0]?.rest).toEqual({ because: 'paused' });
  });

  test('sends the last checkpoint first and releases when it is acknowledged', () => {
    const stage = working();
    stage.give(rest(paused));
    expect(sentOf(stage.executor(checkpoint(0, 1)), 'checkpoint')).toHaveLength(1);
    expect(sentOf(stage.finish(0, stopped(0)), 'release')).toEqual([]);
    expect(sentOf(stage.say(acceptedState(0)), 'release')[0]?.releases).toEqual([ref(0)]);
    expect(stage.machine.workload.held.size).toBe(0);
  });

  test('releases at once what has no checkpoint', () => {
    const stage = working();
    stage.give(rest(paused));
    expect(sentOf(stage.finish(0, stopped(0)), 'release')[0]?.releases).toEqual([ref(0)]);
  });

  test('reports what comes to its end in spite of the stop', () => {
    const stage = working();
    stage.give(rest(paused));
    const outputs = stage.finish(0, result(0));
    expect(sentOf(outputs, 'result')[0]?.results[0]).toMatchObject(ref(0));
    expect(sentOf(outputs, 'release')).toEqual([]);
  });

  test('takes back what its child had not begun, and releases it', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    stage.assign(task(0));
    stage.give(rest(paused));
    const outputs = stage.executor({ type: 'returned', slot: 0, keys: [key(0)] });
    expect(sentOf(outputs, 'release')[0]?.releases).toEqual([ref(0)]);
    expect(runs(outputs)).toEqual([]);
  });

  test('holds on to what has begun until there is a connection to release it over', () => {
    const stage = working();
    stage.give({ type: 'socket_closed' });
    stage.give(rest(paused));
    stage.executor(checkpoint(0, 1));
    stage.finish(0, stopped(0));
    stage.fire('reconnect');
    const [hello] = sentOf(stage.give({ type: 'socket_opened' }), 'hello');
    expect(hello?.attempts).toMatchObject([{ ...ref(0), state: 'running' }]);
    const outputs = stage.welcome();
    expect(sentOf(outputs, 'checkpoint')).toHaveLength(1);
    expect(sentOf(outputs, 'release')).toEqual([]);
    expect(sentOf(stage.say(acceptedState(0)), 'release')[0]?.releases).toEqual([ref(0)]);
  });

  test('releases after the welcome what has begun and has no checkpoint', () => {
    const stage = working();
    stage.give({ type: 'socket_closed' });
    stage.give(rest(paused));
    stage.finish(0, stopped(0));
    expect(sentOf(stage.connect(), 'release')[0]?.releases).toEqual([ref(0)]);
  });

  test('stops what runs when it follows a rest in which everything went on', () => {
    const stage = working();
    stage.give(rest(hidden));
    expect(stops(stage.give(rest(paused)))).toEqual([`0: ${key(0)} leaving`]);
  });

  test('is not undone for what was told to stop, and takes tasks again at once', () => {
    const stage = working();
    stage.give(rest(paused));
    const outputs = stage.give(rest(null));
    expect(sentOf(outputs, 'heartbeat')[0]).not.toHaveProperty('rest');
    stage.assign(task(2));
    const after = stage.finish(0, stopped(0));
    expect(sentOf(after, 'release')[0]?.releases).toEqual([ref(0)]);
    expect(runs(after)).toEqual([`0: ${key(2)}`]);
  });
});

describe('a rest in which everything goes on', () => {
  test('asks for checkpoints, releases what has not begun, and asks for its lease', () => {
    const stage = working();
    const outputs = stage.give(rest(hidden));
    expect(stops(outputs)).toEqual([]);
    expect(outputsOf(outputs, 'checkpoint').map((each) => each.key)).toEqual([key(0)]);
    expect(sentOf(outputs, 'release')[0]?.releases).toEqual([ref(1)]);
    const [heartbeat] = sentOf(outputs, 'heartbeat');
    expect(heartbeat).toMatchObject({ rest: { because: 'hidden' }, lease_seconds: 300 });
  });

  test('keeps the running attempt over a lost connection, and asks for its lease again', () => {
    const stage = working();
    stage.give(rest(hidden));
    stage.give({ type: 'socket_closed' });
    stage.fire('reconnect');
    const [hello] = sentOf(stage.give({ type: 'socket_opened' }), 'hello');
    expect(hello?.rest).toEqual({ because: 'hidden' });
    expect(hello?.attempts).toMatchObject([{ ...ref(0), state: 'running' }]);
    expect(sentOf(stage.welcome(), 'heartbeat')[0]?.lease_seconds).toBe(300);
    expect(sentOf(stage.finish(0, result(0)), 'result')).toHaveLength(1);
  });

  test('does not take back a recalled attempt that runs', () => {
    const stage = working();
    stage.give(rest(hidden));
    const recall = stage.say({ type: 'recall', attempts: [ref(0)] });
    expect(stops(recall)).toEqual([]);
    expect(sent(recall)).toEqual([]);
  });
});

describe('a rest and the connection', () => {
  test('says in its hello that it rests, from before the start on', () => {
    const stage = new ScriptedMachine();
    stage.give(rest(paused));
    stage.give({ type: 'start' });
    const [hello] = sentOf(stage.give({ type: 'socket_opened' }), 'hello');
    expect(hello?.rest).toEqual({ because: 'paused' });
    expect(sentOf(stage.welcome(), 'heartbeat')).toEqual([]);
  });

  test.each([
    ['begins', null, paused, { because: 'paused' }],
    ['ends', paused, null, undefined],
  ] as const)('tells after the welcome that it %s since the hello', (_, before, after, said) => {
    const stage = new ScriptedMachine();
    stage.give(rest(before));
    stage.give({ type: 'start' });
    stage.give({ type: 'socket_opened' });
    expect(sent(stage.give(rest(after)))).toEqual([]);
    expect(sentOf(stage.welcome(), 'heartbeat')[0]?.rest).toEqual(said);
  });

  test('releases an assignment that has crossed its beginning', () => {
    const stage = working();
    stage.give(rest(hidden));
    const outputs = stage.assign(task(5));
    expect(sentOf(outputs, 'release')[0]?.releases).toEqual([ref(5)]);
    expect(runs(outputs)).toEqual([]);
  });

  test('does nothing when it is told the same again', () => {
    const stage = working();
    stage.give(rest(hidden));
    expect(stage.give(rest({ ...hidden }))).toEqual([]);
  });
});

describe('a rest, a drain and a departure', () => {
  test('goes on resting when the drain ends, and draining when the rest ends', () => {
    const stage = new ScriptedMachine();
    stage.connect();
    const drain = (isOn: boolean) => stage.say({ type: 'drain', drain: isOn });
    drain(true);
    stage.give(rest(paused));
    drain(false);
    expect(runs(stage.assign(task(0)))).toEqual([]);
    drain(true);
    stage.give(rest(null));
    expect(runs(stage.assign(task(1)))).toEqual([]);
    drain(false);
    expect(runs(stage.assign(task(2)))).toEqual([`0: ${key(2)}`]);
  });

  test('says that it leaves and that it rests, and leaves when all is given back', () => {
    const stage = working();
    stage.give({ type: 'leave' });
    const outputs = stage.give(rest(paused));
    expect(sentOf(outputs, 'heartbeat')[0]).toMatchObject({
      draining: true,
      rest: { because: 'paused' },
    });
    stage.executor(checkpoint(0, 1));
    expect(outputsOf(stage.finish(0, stopped(0)), 'exit')).toEqual([]);
    const last = stage.say(acceptedState(0));
    expect(sent(last).map(({ type }) => type)).toEqual(['release', 'bye']);
    expect(outputsOf(last, 'exit')).toHaveLength(1);
  });

  test('takes nothing when the rest ends while it leaves', () => {
    const stage = working();
    stage.give(rest(hidden));
    stage.give({ type: 'leave' });
    stage.give(rest(null));
    expect(runs(stage.assign(task(4)))).toEqual([]);
  });
});

describe('the number of slots', () => {
  test('is said in a new hello, and no result is lost by it', () => {
    const stage = working({ slots: 2 });
    stage.finish(0, result(0));
    const outputs = stage.give({ type: 'slots', slots: 3 });
    expect(outputsOf(outputs, 'disconnect')).toHaveLength(1);
    stage.fire('reconnect');
    const [hello] = sentOf(stage.give({ type: 'socket_opened' }), 'hello');
    expect(hello?.device.slots).toBe(3);
    expect(hello?.attempts[0]).toEqual({ ...ref(0), state: 'finished' });
    expect(sentOf(stage.welcome(), 'result')[0]?.results[0]).toMatchObject(ref(0));
  });

  test('changes without a connection, which is not made for that', () => {
    const stage = working({ slots: 2 });
    stage.give({ type: 'socket_closed' });
    expect(stage.give({ type: 'slots', slots: 1 })).toEqual([]);
    stage.finish(0, result(0));
    expect(sentOf(stage.connect(), 'result')).toHaveLength(1);
  });

  test('is not said again when it is the same', () => {
    expect(working({ slots: 2 }).give({ type: 'slots', slots: 2 })).toEqual([]);
  });

  test('lets what runs in the others finish, and hands them nothing new', () => {
    const stage = working({ slots: 2 });
    stage.executor(started(1, 1));
    stage.give({ type: 'slots', slots: 1 });
    stage.connect();
    stage.assign(task(2), task(3));
    expect(runs(stage.finish(1, result(1, 500)))).toEqual([]);
    expect(runs(stage.finish(0, result(0, 500)))).toEqual([`0: ${key(2)}`]);
  });

  test('takes back what waits behind a long task in a slot that is not used any more', () => {
    const stage = new ScriptedMachine({ slots: 2 });
    stage.connect();
    // The job is known to be short, so that a slot is handed several.
    for (let i = 10; i < 20; i++) {
      stage.assign(task(i));
      stage.finish(0, result(i));
    }
    stage.assign(...Array.from({ length: 8 }, (_, i) => task(i)));
    stage.executor(started(4, 1));
    const outputs = stage.give({ type: 'slots', slots: 1 });
    expect(stops(outputs)).toEqual([5, 6, 7].map((i) => `1: ${key(i)} revoked`));
  });
});
