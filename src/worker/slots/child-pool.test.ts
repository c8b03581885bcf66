import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ChildPool } from './child-pool.ts';
import type { ChildListener } from './child.ts';
import { settleMs } from './spares.ts';
import { FakeChild } from './testing/fake-child.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A pool for one slot. */
class Stage {
  readonly started: FakeChild[] = [];
  readonly pool = new ChildPool<FakeChild>({
    start: () => {
      const child = new FakeChild(this.started.length);
      this.started.push(child);
      return child;
    },
    most: 3,
    areServed: () => this.serving?.isReady === true,
  });
  serving: FakeChild | null = null;

  take(): FakeChild {
    this.serving = this.pool.take(deaf);
    return this.serving;
  }

  /** Starts that many children at once, each of which takes 300 ms. */
  takeAll(count: number): void {
    const first = this.take();
    vi.advanceTimersByTime(300);
    first.becomeReady();
    this.pool.worked();
    for (let i = 0; i < count; i++) {
      this.serving?.kill('retired');
      this.take();
    }
  }

  /** Children that were started and neither taken nor ended. */
  get spares(): number {
    return this.started.filter((child) => child !== this.serving && child.endCause === null).length;
  }
}

const deaf: ChildListener = { childReady() {}, childSaid() {}, childEnded() {} };

test('starts no spare before the slots have their children, and none before attempts come', () => {
  const stage = new Stage();
  const first = stage.take();
  stage.pool.worked();
  expect(stage.started).toEqual([first]);
  first.becomeReady();
  expect(stage.spares).toBe(0);
  vi.advanceTimersByTime(settleMs);
  expect(stage.spares).toBe(1);

  const idle = new Stage();
  idle.take().becomeReady();
  expect(idle.spares).toBe(0);
});

test('gives a warm spare, and starts the next one', () => {
  const stage = new Stage();
  stage.take().becomeReady();
  stage.pool.worked();
  vi.advanceTimersByTime(settleMs);
  stage.started[1]!.becomeReady();
  expect(stage.take()).toBe(stage.started[1]);
  expect(stage.started).toHaveLength(3);
});

test('gives the one that is ready before one that was started earlier', () => {
  const stage = new Stage();
  stage.takeAll(30);
  const [first, second] = stage.started.slice(-3);
  second!.becomeReady();
  expect(stage.take()).toBe(second);
  expect(stage.take()).toBe(first);
});

test('has several while they are taken quickly, one afterwards, none at rest', () => {
  const stage = new Stage();
  stage.takeAll(30);
  expect(stage.spares).toBe(3);
  vi.advanceTimersByTime(10_000);
  expect(stage.spares).toBe(1);
  vi.advanceTimersByTime(30_000);
  expect(stage.spares).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test('starts no more spares after one that could not start, until a child is ready again', () => {
  const stage = new Stage();
  stage.take().becomeReady();
  stage.pool.worked();
  vi.advanceTimersByTime(settleMs);
  expect(stage.started).toHaveLength(2);
  stage.started[1]!.end(null);
  stage.pool.worked();
  expect(stage.started).toHaveLength(2);
  stage.take().becomeReady();
  expect(stage.started).toHaveLength(4);
});

test('replaces a spare that has ended by itself', () => {
  const stage = new Stage();
  stage.take().becomeReady();
  stage.pool.worked();
  vi.advanceTimersByTime(settleMs);
  stage.started[1]!.becomeReady();
  stage.started[1]!.end(null);
  expect(stage.started).toHaveLength(3);
});

test('starts nothing once it is closed', () => {
  const stage = new Stage();
  stage.take().becomeReady();
  stage.pool.close();
  stage.pool.worked();
  expect(stage.started).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
});
