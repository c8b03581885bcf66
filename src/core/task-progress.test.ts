import { describe, expect, test } from 'vitest';
import { jobProgress } from './task-progress.ts';
import { ScriptedCore } from './testing/scripted-core.ts';

function stage(taskCount: number, given: object = {}) {
  const core = new ScriptedCore();
  core.submit('j', { taskCount, retryDelayMs: 0, ...given });
  core.join('w1', { slots: 4 });
  core.join('w2', { slots: 4 });
  return { core, progress: () => jobProgress(core.job('j')) };
}

describe('the progress of a job', () => {
  test('counts the shares of tasks that run, and of each what was reported last', () => {
    const { core, progress } = stage(4);
    const [first, second] = [core.run('j', 0, 'w1'), core.run('j', 1, 'w2')];
    expect(progress()).toBe(0);
    core.progress(first, 0.5);
    core.progress(second, 0.1);
    core.progress(second, 0.3);
    expect(progress()).toBe(0.2);
    core.complete(first);
    expect(progress()).toBe(0.325);
  });

  test('loses what is lost, and keeps what the next attempt resumes from', () => {
    const { core, progress } = stage(1);
    const held = core.run('j', 0, 'w1');
    core.checkpoint(held, 1, 0.4);
    core.progress(held, 0.9);
    expect(progress()).toBe(0.9);
    core.fail(held);
    expect(progress()).toBe(0);
    core.run('j', 0, 'w2');
    expect(progress()).toBe(0.4);
  });

  test('takes the attempt that is farther when a task has a copy', () => {
    const { core, progress } = stage(1, { speculation: { maxCopies: 1, maxShare: 1 } });
    const held = core.run('j', 0, 'w1');
    core.progress(held, 0.25);
    core.start(core.copy('j', 0, 'w2'));
    expect(progress()).toBe(0.25);
  });

  test('does not count what was cancelled', () => {
    const { core, progress } = stage(4);
    core.complete(core.run('j', 0, 'w1'));
    core.progress(core.run('j', 1, 'w1'), 0.9);
    core.give({ type: 'cancel_job', jobId: 'j', at: core.at });
    expect(progress()).toBe(0.25);
  });
});
