// What the clock over a child believes of what the child says about itself.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ChildAttempts } from './child-attempts.ts';
import { ChildWatch } from './child-watch.ts';
import { FakeChild } from './testing/fake-child.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

class Stage {
  readonly child = new FakeChild(1);
  readonly held = new ChildAttempts();
  readonly overdue: number[] = [];
  readonly watch = new ChildWatch({
    held: this.held,
    child: () => this.child,
    softKillMs: 100,
    onStarted: (held) => {
      held.isStarted = true;
    },
    onOverdue: (held) => {
      held.stop = 'deadline';
      this.overdue.push(held.number);
      this.watch.look();
    },
  });

  /** Attempts that may run for a second each. */
  constructor(count: number) {
    const program = { jobId: 'job', kind: 'javascript', source: '' } as const;
    for (let number = 1; number <= count; number++) {
      const about = { key: `t${number}`, owner: 'a', taskId: `t${number}`, index: 0, attempt: 1 };
      const task = { ...about, inputJson: '1', stateJson: null, progress: 0, timeoutMs: 1_000 };
      const queued = { program: { ...program, checkpointIntervalMs: null }, task, again: null };
      this.held.add(queued, number, 0, false);
    }
    this.watch.begin();
    this.watch.handedOver();
  }

  /** For so long; every 100 ms the child does this, and says something. */
  async pass(seconds: number, each: (round: number) => void = () => {}): Promise<void> {
    for (let round = 0; round < seconds * 10; round++) {
      each(round);
      this.watch.heard();
      await vi.advanceTimersByTimeAsync(100);
    }
  }
}

test('ends an attempt at its deadline', async () => {
  const stage = new Stage(1);
  stage.child.begin(1);
  await stage.pass(2);
  expect(stage.overdue).toEqual([1]);
  expect(stage.child.endCause).toBe('stopped');
});

test('notes the order to stop for the attempt that runs, once', async () => {
  const stage = new Stage(3);
  stage.child.begin(1);
  await stage.pass(0.05);
  // The second one has not begun: there is room for one order, and it would take the place of another.
  stage.held.byNumber(2)!.stop = 'cancelled';
  stage.watch.look();
  expect(stage.child.stopNotes).toEqual([]);
  stage.held.removeFirst();
  stage.child.begin(2);
  await stage.pass(0.1);
  expect(stage.child.stopNotes).toEqual([[2, false]]);
});

test.each([
  ['cancelled', false],
  ['revoked', false],
  ['leaving', true],
  ['deadline', true],
] as const)(
  'the order for one that is stopped as %s asks for a last checkpoint: %s',
  (stop, last) => {
    const stage = new Stage(1);
    stage.child.begin(1);
    stage.held.first()!.stop = stop;
    stage.watch.look();
    expect(stage.child.stopNotes).toEqual([[1, last]]);
  },
);

test('ends an attempt at its deadline though the child names one that is over', async () => {
  const stage = new Stage(2);
  stage.child.begin(1);
  await stage.pass(0.5);
  stage.held.removeFirst();
  await stage.pass(10, () => stage.child.begin(1));
  expect(stage.overdue).toEqual([2]);
  expect(stage.child.endCause).toBe('stopped');
});

test.each([
  ['none', 0],
  ['one that it does not hold', 7],
  ['a negative number', -1],
])('ends an attempt at its deadline though the child names %s', async (_, position) => {
  const stage = new Stage(1);
  await stage.pass(70, () => stage.child.begin(position));
  expect(stage.overdue).toEqual([1]);
  expect(stage.child.endCause).toBe('stopped');
});

test('does not believe a position that goes back', async () => {
  const stage = new Stage(3);
  await stage.pass(1.5, (round) => stage.child.begin(round % 2 === 0 ? 2 : 1));
  expect(stage.overdue).toEqual([2]);
});

test('gives every attempt its whole time while the positions move forward', async () => {
  const stage = new Stage(3);
  for (const number of [1, 2, 3]) {
    stage.child.begin(number);
    await stage.pass(0.9);
    stage.held.removeFirst();
  }
  expect(stage.overdue).toEqual([]);
});

test('ends a child that is silent and begins nothing, as before', async () => {
  const stage = new Stage(2);
  stage.child.begin(1);
  await stage.pass(0.5);
  stage.held.removeFirst();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(stage.child.endCause).toBe('unresponsive');
  expect(stage.overdue).toEqual([]);
});

test('a child that has become idle is looked at after half a second, and not before', () => {
  const stage = new Stage(1);
  stage.held.removeFirst();
  stage.watch.heard();
  stage.watch.lookWhenIdle();
  expect(vi.getTimerCount()).toBe(1);
  const idleFrom = performance.now();
  vi.advanceTimersToNextTimer();
  expect(performance.now() - idleFrom).toBe(500);
  expect(stage.child.told).toEqual([['ping']]);
});
