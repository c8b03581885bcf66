// A slot with children that have no processes: which child gets which attempt, and what becomes of an
// attempt when its child ends. Tests with real children are in test/e2e.

import { afterEach, expect, test, vi } from 'vitest';
import type { ExecutorEvent, ExecutorProgram, ExecutorTask } from '../executor.ts';
import type { EndCause } from './child.ts';
import { SlotRunner } from './slot-runner.ts';
import { doneAgain, doneResult } from '../sandbox/messages.ts';
import { FakeChild } from './testing/fake-child.ts';

const closing: SlotRunner[] = [];
afterEach(() => {
  for (const slot of closing.splice(0)) slot.close();
});

class Stage {
  readonly children: FakeChild[] = [];
  readonly heard: string[] = [];
  readonly slot: SlotRunner;

  constructor() {
    this.slot = new SlotRunner({
      index: 0,
      listener: (event) => this.heard.push(...brief(event)),
      softKillMs: 100,
      takeChild: (listener, memoryMb, serves) => {
        const child = new FakeChild(this.children.length);
        child.memoryLimitMb = memoryMb;
        child.serves = serves;
        child.listener = listener;
        child.isReady = true;
        this.children.push(child);
        return child;
      },
      onOutput: null,
      outputLimit: 100,
      memoryLimitMb: 100,
      meanTimeBetweenLossesMs: () => 1,
      childrenShareProcess: true,
      withoutChild: 'failed',
      onUnsaved: () => {},
    });
    closing.push(this.slot);
    this.slot.warmUp();
  }

  /** A task per name, of the owner that the name begins with: `a1`. */
  async give(jobId: string, ...names: string[]): Promise<void> {
    this.slot.run(programOf(jobId), names.map(taskOf));
    await Promise.resolve();
  }

  /** Ends the child of the slot; the next one is handed its attempts. */
  async end(cause: EndCause): Promise<void> {
    this.child.end(cause);
    await Promise.resolve();
  }

  async finish(...numbers: number[]): Promise<void> {
    this.child.finish(...numbers);
    await Promise.resolve();
  }

  get child(): FakeChild {
    return this.children.at(-1)!;
  }
}

function programOf(jobId: string): ExecutorProgram {
  return { jobId, kind: 'javascript', sha256: 'hash', source: 'x', checkpointIntervalMs: null };
}

function taskOf(name: string): ExecutorTask {
  const about = { key: name, owner: name[0]!, taskId: name, index: 0, attempt: 1 };
  return { ...about, inputJson: '1', stateJson: null, progress: 0, timeoutMs: null };
}

function brief(event: ExecutorEvent): string[] {
  switch (event.type) {
    case 'finished':
      return event.outcomes.map((each) => {
        if (each.type === 'result') return `${each.key} done`;
        return `${each.key} ${each.type === 'failure' ? each.errorType : each.reason}`;
      });
    case 'returned':
      return event.keys.map((key) => `${key} returned`);
    case 'checkpoint':
      return [`${event.key} checkpoint ${event.sequence}`];
    default:
      return [`${event.key} ${event.type}`];
  }
}

test('hands a child the attempts of one owner, and the rest to another in their order', async () => {
  const stage = new Stage();
  await stage.give('job', 'a1', 'a2');
  await stage.give('other', 'b1');
  await stage.give('job', 'a3');
  const [first] = stage.children;
  expect(first!.runs).toEqual(['job: a1 a2']);
  await stage.finish(1);
  expect(stage.children).toHaveLength(1);
  await stage.finish(2);
  expect(first!.endCause).toBe('retired');
  expect(stage.child.runs).toEqual(['other: b1']);
  await stage.finish(1);
  expect(stage.child.runs).toEqual(['job: a3']);
  await stage.finish(1);
  expect(stage.children.map(({ owner }) => owner)).toEqual(['a', 'b', 'a']);
  expect(stage.heard).toEqual(['a1 done', 'a2 done', 'b1 done', 'a3 done']);
});

test('runs a program that asks for more memory in a child of its own, and then goes back', async () => {
  const stage = new Stage();
  stage.slot.run({ ...programOf('large'), memoryMb: 700 }, [taskOf('a1'), taskOf('a2')]);
  await stage.give('job', 'a3');
  expect(stage.children.map(({ runs }) => runs)).toEqual([[], ['large: a1 a2']]);
  await stage.finish(1, 2);
  expect(stage.children.map(({ memoryLimitMb }) => memoryLimitMb)).toEqual([100, 700, 100]);
  expect(stage.child.runs).toEqual(['job: a3']);
  expect(stage.children.map(({ endCause }) => endCause)).toEqual(['retired', 'retired', null]);
});

test('lends a child what a program names before it tells of it, and takes it back with the program', async () => {
  const stage = new Stage();
  const blobs = new Map([['f00', { bytes: Uint8Array.of(1) }]]);
  stage.slot.run({ ...programOf('job'), blobs, sharedJson: '[1]' }, [taskOf('a1')]);
  await stage.give('plain', 'a2');
  const programs = stage.child.told.filter(([kind]) => kind === 'program');
  const extras = {
    kind: 'javascript',
    memoryMb: 100,
    sharedJson: '[1]',
    blobs: [['f00', 'file of f00']],
  };
  expect(programs.map((program) => program[7])).toEqual([extras, undefined]);
  expect([...stage.child.lentTo]).toEqual(['job']);
  await stage.finish(1, 2);
  stage.slot.forget('job');
  expect(stage.child.told.at(-1)).toEqual(['forget', 'job']);
  expect([...stage.child.lentTo]).toEqual([]);
});

test('attempts whose files cannot be lent fail, and those behind them run', async () => {
  const stage = new Stage();
  stage.child.lendingFault = new Error('ENOSPC');
  const blobs = new Map([['f00', { bytes: Uint8Array.of(1) }]]);
  stage.slot.run({ ...programOf('job'), blobs }, [taskOf('a1'), taskOf('a2')]);
  await stage.give('plain', 'a3');
  expect(stage.heard).toEqual(['a1 file_unavailable', 'a2 file_unavailable']);
  expect(stage.child.runs).toEqual(['plain: a3']);
  stage.child.lendingFault = null;
  stage.slot.run({ ...programOf('job'), blobs }, [taskOf('a4')]);
  await Promise.resolve();
  expect(stage.child.runs).toEqual(['plain: a3', 'job: a4']);
});

/** Which kinds there are is known where programs are submitted; here they are names. */
const ofKind = (jobId: string, kind: string): ExecutorProgram => ({
  ...programOf(jobId),
  ...({ kind } as Pick<ExecutorProgram, 'kind'>),
});

test('a guest whose kind is not shared has a child of its job alone, until that is forgotten', async () => {
  const stage = new Stage();
  stage.slot.run(ofKind('p', 'python'), [taskOf('a1'), taskOf('a2')]);
  stage.slot.run(ofKind('q', 'python'), [taskOf('a3')]);
  stage.slot.run(ofKind('w', 'wasm'), [taskOf('a4')]);
  await stage.give('job', 'a5');
  expect(stage.child.runs).toEqual(['p: a1 a2']);
  await stage.finish(1, 2);
  expect(stage.child.runs).toEqual(['q: a3']);
  await stage.finish(1);
  expect(stage.child.runs).toEqual(['w: a4', 'job: a5']);
  const serves = ['javascript', 'python', 'python', 'javascript'];
  expect(stage.children.map((child) => child.serves)).toEqual(serves);
  await stage.finish(1, 2);

  stage.slot.run(ofKind('r', 'python'), [taskOf('a6')]);
  await vi.waitUntil(() => stage.child.runs[0] === 'r: a6', { interval: 1 });
  await stage.finish(1);
  expect(stage.child.serves).toBe('python');
  stage.slot.forget('r');
  await Promise.resolve();
  expect([stage.children[4]!.endCause, stage.child.serves]).toEqual(['retired', 'javascript']);
});

test('a guest that asks to be run again goes on from its checkpoint in the same child, first of all', async () => {
  const stage = new Stage();
  stage.slot.run(ofKind('w', 'wasm'), [{ ...taskOf('a1'), timeoutMs: 1000 }]);
  await stage.give('job', 'a2');
  stage.child.begin(1);
  stage.child.say(['checkpoint', 1, 1, 0.5, 3, '{"i":1}']);
  stage.child.say(['done', [1, doneAgain, '', 3, 0, 2, doneResult, '1', 0, 0]]);
  expect(stage.heard).toEqual(['a1 checkpoint 1', 'a2 done']);
  await vi.waitUntil(() => stage.child.runs.length > 2, { interval: 1 });
  const last = stage.child.told.at(-1)!;
  expect(last.slice(0, 2)).toEqual(['run', 'w']);
  expect((last[2] as unknown[]).slice(1)).toEqual(['a1', 0, 1, '1', '{"i":1}', 0.5]);
  stage.child.begin(3);
  stage.child.say(['checkpoint', 3, 1, 1, 3, '{"i":2}']);
  stage.child.say(['done', [3, doneResult, '1', 0, 0]]);
  expect(stage.heard.slice(2)).toEqual(['a1 checkpoint 2', 'a1 done']);
  expect(stage.children).toHaveLength(1);
});

test.each([
  ['and was told to stop is stopped', true, 'a1 cancelled'],
  ['and has left no checkpoint has failed', false, 'a1 sandbox_crashed'],
])('a guest that asks to be run again %s', async (_what, isStopped, end) => {
  const stage = new Stage();
  stage.slot.run(ofKind('w', 'wasm'), [taskOf('a1')]);
  await Promise.resolve();
  if (isStopped) stage.slot.stop('a1', 'cancelled');
  stage.child.say(['done', [1, doneAgain, '', 3, 0]]);
  expect(stage.heard).toEqual([end]);
});

test('a guest that asks to be run again and again has its time limit once', async () => {
  const stage = new Stage();
  stage.slot.run(ofKind('w', 'wasm'), [{ ...taskOf('a1'), timeoutMs: 5 }]);
  await Promise.resolve();
  for (let number = 1; number <= 5; number++) {
    stage.child.say(['checkpoint', number, 1, 0.5, 3, '{"i":1}']);
    stage.child.say(['done', [number, doneAgain, '', 0, 0]]);
  }
  expect(stage.heard.at(-1)).toBe('a1 attempt_timeout');
});

test('a guest that goes on keeps its checkpoint when its child ends before it has begun', async () => {
  const stage = new Stage();
  stage.slot.run(ofKind('w', 'wasm'), [taskOf('a1')]);
  await Promise.resolve();
  stage.child.begin(1);
  stage.child.say(['checkpoint', 1, 1, 0.5, 3, '{"i":1}']);
  stage.child.say(['done', [1, doneAgain, '', 3, 0]]);
  await stage.end(null);
  expect(stage.children).toHaveLength(2);
  expect(stage.child.told.at(-1)![2]).toContain('{"i":1}');
  expect(stage.heard).toEqual(['a1 checkpoint 1']);
});

test('keeps a child that has served nobody for whoever comes', async () => {
  const stage = new Stage();
  await stage.give('job', 'b1');
  expect(stage.children).toHaveLength(1);
  expect(stage.child.runs).toEqual(['job: b1']);
});

test('keeps a child for all jobs of its owner', async () => {
  const stage = new Stage();
  for (let i = 1; i <= 500; i++) {
    await stage.give(`job-${i}`, `a${i}`);
    await stage.finish(i);
  }
  expect(stage.children).toHaveLength(1);
  const known = stage.child.told.filter(([type]) => type === 'program').length;
  const forgotten = stage.child.told.filter(([type]) => type === 'forget').length;
  expect([known, known - forgotten]).toEqual([500, 64]);
});

test('wakes a child once for what it forgets, learns and runs', async () => {
  const stage = new Stage();
  for (let i = 1; i <= 64; i++) {
    await stage.give(`job-${i}`, `a${i}`);
    await stage.finish(i);
  }
  const { wokenTimes, told } = stage.child;
  const before = told.length;
  stage.slot.run(programOf('one'), [taskOf('a65')]);
  await stage.give('two', 'a66');
  const kinds = ['forget', 'program', 'run', 'forget', 'program', 'run'];
  expect(told.slice(before).map(([kind]) => kind)).toEqual(kinds);
  expect(stage.child.wokenTimes).toBe(wokenTimes + 1);
});

test('tells a child the text of a program once for all jobs that have it', async () => {
  const stage = new Stage();
  const told = () =>
    stage.child.told.flatMap((message) =>
      message[0] === 'program' ? [`${message[1]}: ${message[3] ?? '-'}`] : [],
    );
  await stage.give('job', 'a1');
  await stage.give('same', 'a2');
  expect(told()).toEqual(['job: x', 'same: -']);
  // Another child has to be told anew.
  await stage.end(null);
  await stage.give('third', 'b1');
  await stage.give('fourth', 'b2');
  expect(told()).toEqual(['third: x', 'fourth: -']);
});

test('tells a child that a job is over, at the latest when its last attempt is done', async () => {
  const stage = new Stage();
  await stage.give('job', 'a1', 'a2');
  stage.slot.forget('job');
  await stage.finish(1);
  expect(stage.child.told.at(-1)![0]).toBe('run');
  await stage.finish(2);
  expect(stage.child.told.at(-1)).toEqual(['forget', 'job']);
});

test.each([
  ['out_of_memory', 'out_of_memory'],
  [null, 'sandbox_crashed'],
] as const)(
  'an attempt that ran alone in its child is blamed for its end (%s)',
  async (cause, errorType) => {
    const stage = new Stage();
    await stage.give('job', 'a1', 'a2', 'a3');
    await stage.finish(1);
    stage.child.begin(2);
    await stage.end(cause);
    expect(stage.heard).toEqual(['a1 done', `a2 ${errorType}`, 'a3 returned']);
  },
);

test.each([
  ['out_of_memory', 'out_of_memory'],
  [null, 'sandbox_crashed'],
] as const)(
  'one behind another job runs again in a child of its own, and is blamed there (%s)',
  async (cause, errorType) => {
    const stage = new Stage();
    await stage.give('left', 'a1');
    await stage.give('job', 'a2', 'a3');
    await stage.finish(1);
    stage.child.begin(2);
    await stage.end(cause);
    expect(stage.heard).toEqual(['a1 done', 'a3 returned']);
    expect(stage.children).toHaveLength(2);
    expect(stage.child.runs).toEqual(['job: a2']);
    stage.child.begin(1);
    await stage.end(cause);
    expect(stage.heard.slice(2)).toEqual([`a2 ${errorType}`]);
    expect(stage.children).toHaveLength(3);
    expect(stage.child.runs).toEqual([]);
  },
);

test('a second try goes on from the newest checkpoint, and counts on', async () => {
  const stage = new Stage();
  await stage.give('left', 'a1');
  await stage.give('job', 'a2');
  await stage.finish(1);
  stage.child.begin(2);
  stage.child.say(['checkpoint', 2, 1, 0.25, 10, '{"i":1}']);
  stage.child.say(['checkpoint', 2, 2, 0.5, 20, '{"i":2}']);
  await stage.end('out_of_memory');
  expect(stage.child.told.at(-1)).toEqual(['run', 'job', [1, 'a2', 0, 1, '1', '{"i":2}', 0.5]]);
  stage.child.begin(1);
  stage.child.say(['checkpoint', 1, 1, 0.75, 10, '{"i":3}']);
  await stage.finish(1);
  expect(stage.heard).toEqual([
    'a1 done',
    'a2 checkpoint 1',
    'a2 checkpoint 2',
    'a2 checkpoint 3',
    'a2 done',
  ]);
});

test('a second try waits for the next child when its own ends before it has begun', async () => {
  const stage = new Stage();
  await stage.give('left', 'a1');
  await stage.give('job', 'a2');
  await stage.finish(1);
  stage.child.begin(2);
  await stage.end(null);
  await stage.end('unresponsive');
  expect(stage.children).toHaveLength(3);
  expect(stage.child.runs).toEqual(['job: a2']);
  await stage.finish(1);
  expect(stage.heard).toEqual(['a1 done', 'a2 done']);
});

test('one that was told to stop gets no second try', async () => {
  const stage = new Stage();
  await stage.give('left', 'a1');
  await stage.give('job', 'a2');
  await stage.finish(1);
  stage.child.begin(2);
  stage.slot.stop('a2', 'cancelled');
  await stage.end('stopped');
  expect(stage.heard).toEqual(['a1 done', 'a2 cancelled']);
  expect(stage.child.runs).toEqual([]);
});

test('a second try that is stopped while it waits is dropped', async () => {
  const stage = new Stage();
  await stage.give('left', 'a1');
  await stage.give('job', 'a2');
  await stage.finish(1);
  stage.child.begin(2);
  stage.child.end('out_of_memory');
  stage.slot.stop('a2', 'revoked');
  await Promise.resolve();
  expect(stage.child.runs).toEqual([]);
  expect(stage.heard).toEqual(['a1 done', 'a2 revoked']);
});

test('an attempt whose child ended together with others runs once more, and is charged then', async () => {
  const stage = new Stage();
  await stage.give('a', 'a1');
  stage.child.begin(1);
  stage.child.say(['checkpoint', 1, 1, 0.5, 10, '"half"']);
  stage.child.hadCompany = true;
  await stage.end(null);
  expect(stage.heard).toEqual(['a1 checkpoint 1']);
  expect(stage.child.told.at(-1)).toEqual(['run', 'a', [1, 'a1', 0, 1, '1', '"half"', 0.5]]);
  stage.heard.length = 0;
  stage.child.begin(1);
  stage.child.hadCompany = true;
  await stage.end(null);
  expect(stage.heard).toEqual(['a1 sandbox_crashed']);
});

test('a slot out of use runs what it holds to its end, and has no child then', async () => {
  const stage = new Stage();
  await stage.give('a', 'a1');
  const first = stage.child;
  stage.slot.use(false);
  expect(first.endCause).toBe(null);
  first.listener?.childSaid(first, ['done', [1, 0, '1', 1, 0]]);
  expect(first.endCause).toBe('retired');
  expect(stage.slot.child).toBe(null);
  stage.slot.use(true);
  expect(stage.slot.child).not.toBe(first);
});
