import { describe, expect, test } from 'vitest';
import type { ExecutorEvent, ExecutorOutcome, ExecutorProgram, ExecutorTask } from '../executor.ts';
import { TaskViews } from './task-views.ts';

const program: ExecutorProgram = {
  jobId: 'job',
  kind: 'javascript',
  source: '',
  checkpointIntervalMs: null,
};

function task(key: string, more: Partial<ExecutorTask> = {}): ExecutorTask {
  return {
    key,
    owner: 'anna',
    taskId: key,
    index: 0,
    attempt: 1,
    inputJson: '1',
    stateJson: null,
    progress: 0,
    timeoutMs: null,
    ...more,
  };
}

const started = (key: string): ExecutorEvent => ({ type: 'started', slot: 0, key });
const progressed = (key: string, progress: number): ExecutorEvent => ({
  type: 'progress',
  slot: 0,
  key,
  progress,
  message: null,
});
const saved = (key: string, progress: number): ExecutorEvent => ({
  type: 'checkpoint',
  slot: 0,
  key,
  sequence: 1,
  progress,
  state: { encoding: 'json', text: '1' },
  runMs: 1,
});
const finished = (...outcomes: ExecutorOutcome[]): ExecutorEvent => ({
  type: 'finished',
  slot: 0,
  outcomes,
});
const result = (key: string, runMs: number): ExecutorOutcome => ({
  type: 'result',
  key,
  valueJson: '1',
  runMs,
  cpuSeconds: 0,
});

describe('a task', () => {
  test('is seen from when it has begun until it has ended, and counted before', () => {
    const views = new TaskViews();
    views.ran(program, [task('a'), task('b')]);
    expect([views.size, views.list(0)]).toEqual([2, []]);
    views.heard(started('a'), 100);
    expect(views.list(600)).toEqual([
      { key: 'a', jobId: 'job', owner: 'anna', progress: null, ranMs: 500, leftMs: null },
    ]);
    views.heard(finished(result('a', 600)), 700);
    views.heard({ type: 'returned', slot: 0, keys: ['b'] }, 700);
    expect([views.size, views.list(700)]).toEqual([0, []]);
  });

  test('takes as long as its progress lets expect', () => {
    const views = new TaskViews();
    views.ran(program, [task('a')]);
    views.heard(started('a'), 0);
    views.heard(progressed('a', 0.25), 1_000);
    expect(views.list(2_000)).toMatchObject([{ progress: 0.25, leftMs: 6_000 }]);
  });

  test('that goes on from a checkpoint is measured by what it did here', () => {
    const views = new TaskViews();
    views.ran(program, [task('a', { stateJson: '1', progress: 0.5 })]);
    views.heard(started('a'), 0);
    expect(views.list(1_000)).toMatchObject([{ progress: 0.5, leftMs: null }]);
    views.heard(progressed('a', 0.75), 1_000);
    expect(views.list(2_000)).toMatchObject([{ leftMs: 2_000 }]);
  });

  test('without progress takes as long as others of its job, and then nobody knows', () => {
    const views = new TaskViews();
    views.ran(program, [task('a'), task('b')]);
    views.heard(finished(result('a', 10_000)), 0);
    views.heard(started('b'), 0);
    expect(views.list(4_000)).toMatchObject([{ leftMs: 6_000 }]);
    expect(views.list(11_000)).toMatchObject([{ leftMs: null }]);
  });
});

describe('while the device rests', () => {
  test('what is saved is that of tasks that were handed over and of those that are still here', () => {
    const views = new TaskViews();
    views.ran(program, [task('a'), task('b'), task('c')]);
    for (const key of ['a', 'b', 'c']) views.heard(started(key), 0);
    views.restBegins();
    views.heard(saved('a', 0.62), 1);
    views.heard(saved('b', 0.27), 1);
    views.heard(finished({ type: 'stopped', key: 'a', reason: 'leaving' }), 2);
    views.heard(finished({ type: 'stopped', key: 'c', reason: 'cancelled' }), 2);
    expect(views.saved()).toEqual([0.62, 0.27]);
    views.restBegins();
    expect(views.saved()).toEqual([0.27]);
  });
});
