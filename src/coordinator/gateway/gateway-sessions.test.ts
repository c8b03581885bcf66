// Connections of workers at a member that does not decide, with a trunk that a test plays.

import { beforeEach, describe, expect, test } from 'vitest';
import { ScriptedWorker } from '../../../test/support/scripted-worker.ts';
import { VirtualRuntime } from '../../../test/support/virtual-runtime.ts';
import type { BareAssignMessage } from '../../protocol/bare-assign.ts';
import type { CoordinatorMessage, WorkerMessage } from '../../protocol/messages.ts';
import type { OutfitReading } from '../../store/reading.ts';
import { StoreFault } from '../../store/store.ts';
import type { TrunkEars, TrunkPort } from '../port/trunk.ts';
import { GatewaySessions } from './gateway-sessions.ts';

type Said = readonly [string, ...unknown[]];

let runtime: VirtualRuntime;
let sessions: GatewaySessions;
let errors: string[];
let inputs: (index: number) => string;

beforeEach(() => {
  runtime = new VirtualRuntime();
  errors = [];
  inputs = (index) => `"input ${index}"`;
  const store: OutfitReading = {
    readInputs: async (_key, indices) => indices.map((index) => inputs(index)),
    findProgram: async () => ({ sha256: 'p', json: '{"kind":"javascript","source":"code"}' }),
    findProgramHash: async () => 'p',
    readCheckpointState: async () => undefined,
    readBlob: async () => undefined,
  };
  const onError = ({ message }: Error) => void errors.push(message);
  sessions = new GatewaySessions({ store, runtime, onError });
});

function beginTrunk() {
  const said: Said[] = [];
  const trunk: TrunkPort = {
    open: (n, { token }) => said.push(['open', n, token]),
    pass: (n, messages) => said.push(['in', n, messages]),
    gone: (n) => said.push(['gone', n]),
    unreadable: (n, ref, problem) => said.push(['unreadable', n, ref.task_id, problem]),
    damaged: (taskId, id) => said.push(['damaged', taskId, id]),
    isBehind: false,
    caughtUp: async () => undefined,
  };
  const ears = sessions.begin(trunk);
  const passed = () =>
    said.flatMap(([kind, , messages]) => (kind === 'in' ? (messages as WorkerMessage[]) : []));
  return { said, ears, passed };
}

const welcome: CoordinatorMessage = {
  type: 'welcome',
  protocol: 1,
  worker_id: 'w',
  worker_token: 'own',
  heartbeat_interval_seconds: 5,
  lease_seconds: 15,
  drain: false,
  stop: [],
};

function joined(ears: TrunkEars, n: number, life: ScriptedWorker['life'] = {}): ScriptedWorker {
  const worker = new ScriptedWorker({ name: 'w' });
  worker.life = life;
  worker.connect({ sessions });
  ears.out(n, [welcome]);
  worker.take();
  return worker;
}

function bare(sequence: number, ...indices: number[]): BareAssignMessage {
  const about = { attempt_timeout_seconds: null, checkpoint_interval_seconds: null };
  return {
    type: 'bare_assign',
    sequence,
    jobs: { j: { key: 1, range_start: null, kind: 'javascript', about } },
    assignments: indices.map((index) => ({
      task_id: `j.${index}`,
      job_id: 'j',
      index,
      attempt: 1,
      token: 't',
    })),
  };
}

test('while there is no trunk nobody is served', () => {
  expect(() => sessions.open({ send: () => {}, close: () => {} })).toThrow('stopped');
  const { ears } = beginTrunk();
  ears.lost('gone');
  expect(() => sessions.open({ send: () => {}, close: () => {} })).toThrow('stopped');
});

test('what is said goes there, and what is answered comes back, in order behind what is read', async () => {
  const { said, ears, passed } = beginTrunk();
  const worker = joined(ears, 1);
  ears.out(1, [bare(1, 0, 1), { type: 'drain', drain: true }]);
  expect(worker.take()).toEqual([]);
  await runtime.settle();
  expect(worker.take()).toMatchObject([
    {
      type: 'assign',
      sequence: 1,
      programs: { j: { program: { kind: 'javascript', sha256: 'p', source: 'code' } } },
      assignments: [{ input: 'input 0' }, { input: 'input 1' }],
    },
    { type: 'drain', drain: true },
  ]);
  worker.complete('j.0', 7);
  worker.drop();
  expect(said[0]).toEqual(['open', 1, null]);
  expect(passed().map(({ type }) => type)).toEqual(['hello', 'result']);
  expect(said.at(-1)).toEqual(['gone', 1]);
  expect(sessions.size).toBe(0);
});

test('a dispatch that is being read has not arrived, whatever the worker has', async () => {
  const { ears, passed } = beginTrunk();
  const worker = joined(ears, 1);
  inputs = () => `"${'x'.repeat(1_200_000)}"`;
  ears.out(1, [bare(1, 0, 1)]);
  await runtime.settle();
  expect(worker.takeOnly('assign')).toHaveLength(2);
  worker.heartbeat();
  ears.out(1, [bare(2, 2)]);
  worker.heartbeat();
  await runtime.settle();
  worker.heartbeat();
  const told = passed().flatMap((each) =>
    each.type === 'heartbeat' ? [each.assign_sequence] : [],
  );
  expect(told).toEqual([1, 1, 2]);
});

test('what is damaged is told, and a database that cannot be reached ends the connection alone', async () => {
  const { said, ears } = beginTrunk();
  const worker = joined(ears, 1);
  inputs = (index) => {
    if (index === 1) throw new StoreFault('value_damaged', 'It is damaged.');
    return '0';
  };
  ears.out(1, [bare(1, 0, 1)]);
  await runtime.settle();
  expect(worker.takeOnly('assign')).toMatchObject([{ assignments: [{ index: 0 }] }]);
  const problem = 'The input cannot be read: It is damaged.';
  expect(said.filter(([kind]) => kind === 'unreadable')).toEqual([
    ['unreadable', 1, 'j.1', problem],
  ]);
  inputs = () => {
    throw new StoreFault('store_read_failed', 'Nobody answers.');
  };
  ears.out(1, [bare(2, 2)]);
  await runtime.settle();
  expect(said.filter(([kind]) => kind === 'unreadable')).toHaveLength(1);
  expect(errors).toEqual(['Nobody answers.']);
  expect(worker.closedFor).toBe('the coordinator failed at this frame');
  expect(said.at(-1)).toEqual(['gone', 1]);
});

test('a connection that the leader ends is closed, and that is not told to the leader', () => {
  const { said, ears } = beginTrunk();
  const worker = joined(ears, 1);
  ears.end(1, 'deregistered', undefined);
  expect(worker.closedFor).toBe('deregistered');
  expect(said.map(([kind]) => kind)).toEqual(['open', 'in']);
});

test('a worker that says nothing of its starts is closed with the trunk', () => {
  const { said, ears } = beginTrunk();
  const worker = joined(ears, 1);
  ears.lost('the leader is gone');
  expect(worker.closedFor).toBe('the leader is gone');
  expect(said.map(([kind]) => kind)).toEqual(['open', 'in']);
});

describe('a worker that knows greet', () => {
  const life = { instance: 'first', connection: 1 };

  test('keeps its connection, is greeted on the next trunk, and only its answer is passed on', async () => {
    const first = beginTrunk();
    const worker = joined(first.ears, 1, life);
    first.ears.out(1, [bare(1, 0)]);
    await runtime.settle();
    worker.take();
    first.ears.lost('the leader is gone');
    worker.complete('j.0', 7);
    const next = beginTrunk();
    expect(worker.take()).toEqual([{ type: 'greet', id: 1 }]);
    worker.heartbeat('j.0');
    worker.answerGreeting(0);
    expect(next.said).toEqual([]);
    worker.life = { instance: 'first', connection: 2 };
    worker.answerGreeting(1, [worker.held('j.0', 'finished')]);
    expect(next.said).toMatchObject([
      ['open', 2, null],
      ['in', 2, [{ type: 'hello', greeting: 1, connection: 2 }]],
    ]);
    next.ears.out(2, [welcome, bare(1, 5)]);
    await runtime.settle();
    expect(worker.take()).toMatchObject([
      { type: 'welcome' },
      { type: 'assign', sequence: 1, assignments: [{ index: 5 }] },
    ]);
    worker.heartbeat();
    expect(next.passed().at(-1)).toMatchObject({ type: 'heartbeat', assign_sequence: 1 });
    expect(worker.closedFor).toBeNull();
    expect(first.said.at(-1)![0]).toBe('in');
  });

  test('is sent nothing that was read for the trunk before', async () => {
    const first = beginTrunk();
    const worker = joined(first.ears, 1, life);
    first.ears.out(1, [bare(1, 0)]);
    first.ears.lost('gone');
    await runtime.settle();
    expect(worker.take()).toEqual([]);
    beginTrunk();
    expect(worker.take()).toEqual([{ type: 'greet', id: 1 }]);
  });

  test('is closed when it does not answer within two seconds', async () => {
    const first = beginTrunk();
    const worker = joined(first.ears, 1, life);
    first.ears.lost('gone');
    const next = beginTrunk();
    runtime.pass(1_999);
    await runtime.settle();
    expect(worker.closedFor).toBeNull();
    runtime.pass(2);
    await runtime.settle();
    expect(worker.closedFor).toBe('no hello in time');
    expect(next.said).toEqual([]);
  });

  test('is closed when there is no trunk for five seconds, or this member leads', async () => {
    const first = beginTrunk();
    const [one, other] = [joined(first.ears, 1, life), joined(first.ears, 2, life)];
    first.ears.lost('gone');
    other.drop();
    runtime.pass(5_001);
    await runtime.settle();
    expect(one.closedFor).toBe('gone');
    const next = beginTrunk();
    const third = joined(next.ears, 3, life);
    next.ears.lost('gone');
    sessions.giveUp('this one leads');
    expect(third.closedFor).toBe('this one leads');
  });

  test('is greeted again when the next trunk breaks before its hello', () => {
    const first = beginTrunk();
    const worker = joined(first.ears, 1, life);
    first.ears.lost('gone');
    beginTrunk().ears.lost('gone too');
    const third = beginTrunk();
    expect(worker.take()).toEqual([
      { type: 'greet', id: 1 },
      { type: 'greet', id: 2 },
    ]);
    worker.answerGreeting(1);
    worker.answerGreeting(2);
    expect(third.passed()).toMatchObject([{ greeting: 2 }]);
  });

  test.each([120, 6_000])(
    'is greeted in its turn where there are %i, those with a task first',
    async (count) => {
      const first = beginTrunk();
      const workers = Array.from({ length: count }, (_, i) => joined(first.ears, i + 1, life));
      const [idle, given, busy] = [workers[0]!, workers[count - 2]!, workers[count - 1]!];
      const done = workers[count - 3]!;
      for (let n = count - 2; n <= count; n++) first.ears.out(n, [bare(1, n)]);
      await runtime.settle();
      for (const worker of [done, given, busy]) worker.take();
      done.heartbeat();
      busy.heartbeat(`j.${count}`);
      first.ears.lost('the leader is gone');
      const next = beginTrunk();
      const greeted = () =>
        workers.filter(({ inbox }) => inbox.some(({ type }) => type === 'greet'));
      const round = Math.max(50, count / 100);
      expect(greeted()).toHaveLength(round);
      expect(greeted()).toEqual(expect.arrayContaining([idle, given, busy]));
      expect(greeted()).not.toContain(done);
      expect(busy.take()).toEqual([{ type: 'greet', id: 2 }]);
      busy.answerGreeting(2);
      expect(next.passed()).toMatchObject([{ type: 'hello', greeting: 2 }]);
      runtime.pass(50);
      await runtime.settle();
      expect(greeted()).toHaveLength(2 * round - 1);
      // Who waits for its turn is not closed meanwhile, and all are greeted within five seconds.
      for (let passed = 50; passed < 5_000; passed += 50) {
        for (const worker of greeted()) worker.drop();
        runtime.pass(50);
        await runtime.settle();
        if (greeted().length === count - 1) break;
      }
      expect(greeted()).toHaveLength(count - 1);
      expect(workers.filter(({ closedFor }) => closedFor !== null)).toEqual([]);
    },
  );

  test('is not greeted for a trunk that is gone before its turn', async () => {
    const first = beginTrunk();
    const workers = Array.from({ length: 51 }, (_, i) => joined(first.ears, i + 1, life));
    first.ears.lost('gone');
    beginTrunk().ears.lost('gone too');
    const last = workers[50]!;
    runtime.pass(1_000);
    await runtime.settle();
    expect(last.take()).toEqual([]);
    beginTrunk();
    runtime.pass(50);
    await runtime.settle();
    expect(last.take()).toEqual([{ type: 'greet', id: 101 }]);
  });

  test('that was not welcome yet has nothing to say hello with', () => {
    const { ears } = beginTrunk();
    const worker = new ScriptedWorker();
    worker.life = life;
    worker.connect({ sessions });
    ears.lost('gone');
    expect(worker.closedFor).toBe('gone');
  });
});
