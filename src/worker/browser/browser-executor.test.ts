// Which frames the executor orders, and what becomes of attempts when none comes. Tests with real frames are
// in test/e2e.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ExecutorEvent, ExecutorProgram, ExecutorTask } from '../executor.ts';
import { BrowserExecutor, type BrowserExecutorOptions } from './browser-executor.ts';
import type { FrameOrderMessage } from './frame-source.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

class Stage {
  readonly orders: FrameOrderMessage[] = [];
  readonly events: ExecutorEvent[] = [];
  readonly frameless: (string | null)[] = [];
  readonly executor: BrowserExecutor;

  constructor(options: Partial<BrowserExecutorOptions> = {}) {
    this.executor = new BrowserExecutor({
      slots: 1,
      spares: 0,
      listener: (event) => this.events.push(event),
      tellPage: (order) => this.orders.push(order),
      onFrameless: (why) => this.frameless.push(why),
      ...options,
    });
  }

  get opened(): number[] {
    return this.orders.flatMap(({ type, id }) => (type === 'open_frame' ? [id] : []));
  }

  get closed(): number[] {
    return this.orders.flatMap(({ type, id }) => (type === 'close_frame' ? [id] : []));
  }
}

const program: ExecutorProgram = {
  jobId: 'job',
  kind: 'javascript',
  source: 'export default 1',
  checkpointIntervalMs: null,
};
const task: ExecutorTask = {
  key: 'task#1',
  owner: 'somebody',
  taskId: 'task',
  index: 0,
  attempt: 1,
  inputJson: '1',
  stateJson: null,
  progress: 0,
  timeoutMs: null,
};

test('orders a frame for each slot, and none beside where there is no room for spares', () => {
  expect(new Stage({ slots: 3 }).opened).toEqual([1, 2, 3]);
});

test('orders frames for slots that come into use, and removes those of slots that are not used', () => {
  const stage = new Stage({ slots: 1 });
  stage.executor.setSlots(3);
  expect([stage.executor.slots, stage.opened]).toEqual([3, [1, 2, 3]]);
  stage.executor.setSlots(1);
  expect([stage.executor.slots, stage.closed]).toEqual([1, [2, 3]]);
  stage.executor.setSlots(2);
  expect(stage.opened).toEqual([1, 2, 3, 4]);
});

test('attempts for which no frame comes are given back: they have not begun', async () => {
  const stage = new Stage();
  stage.executor.run(0, program, [task]);
  for (const [id, waitMs] of [
    [1, 200],
    [2, 400],
    [3, 800],
  ] as const) {
    stage.executor.heard({ type: 'frame_failed', id, why: 'no memory' });
    await vi.advanceTimersByTimeAsync(waitMs);
  }
  expect(stage.events).toEqual([{ type: 'returned', slot: 0, keys: ['task#1'] }]);
  expect(stage.opened).toEqual([1, 2, 3, 4]);
  expect(stage.frameless).toEqual(['its frame did not open no memory']);
});

test('closing it removes every frame, and nothing is told afterwards', async () => {
  const stage = new Stage({ slots: 2 });
  stage.executor.run(0, program, [task]);
  await stage.executor.close();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([stage.opened, stage.closed, stage.events]).toEqual([[1, 2], [1, 2], []]);
});
