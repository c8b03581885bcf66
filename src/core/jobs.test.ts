// What clients ask of jobs, and what becomes of the tasks: exactly these events.

import { describe, expect, test } from 'vitest';
import { ScriptedCore } from './testing/scripted-core.ts';

const retry = (core: ScriptedCore, jobId: string) =>
  core.give({ type: 'retry_job', jobId, at: core.at });
const cancel = (core: ScriptedCore, jobId: string) =>
  core.give({ type: 'cancel_job', jobId, at: core.at });

describe('a job that is submitted', () => {
  test('is pending, has no task records, and is counted', () => {
    const core = new ScriptedCore();
    expect(core.submit('j', { taskCount: 1_000_000 })).toEqual(['job j submitted']);
    expect(core.job('j')).toMatchObject({ status: 'pending', startedAt: null });
    expect(core.job('j').tasks.size).toBe(0);
    expect(core.state.counters).toMatchObject({ jobs: 1, pendingJobs: 1, tasks: 1_000_000 });
  });

  test('runs with its first assignment, and is pending again when nothing had begun', () => {
    const core = new ScriptedCore();
    core.submit('j');
    core.join('w');
    const held = core.assign('j', 0, 'w');
    expect(core.state.counters).toMatchObject({ pendingJobs: 0, runningJobs: 1 });
    core.release(held, 'released');
    expect(core.job('j').status).toBe('pending');
    core.run('j', 0, 'w');
    core.give({ type: 'leave_worker', workerId: 'w', at: core.at });
    expect(core.job('j').status).toBe('running');
  });

  test('is completed with its last task', () => {
    const core = new ScriptedCore();
    core.submit('j', { taskCount: 2 });
    core.join('w', { slots: 2 });
    const [one, two] = [core.run('j', 0, 'w'), core.run('j', 1, 'w')];
    expect(core.complete(two)).toEqual(['j.1 #1 completed']);
    core.at = 70;
    expect(core.complete(one)).toEqual(['j.0 #1 completed', 'job j finished: completed']);
    expect(core.job('j')).toMatchObject({ completedAt: 70, error: null });
    expect(core.state.counters).toMatchObject({ completedJobs: 1, tasksCompleted: 2 });
  });
});

describe('a job that is cancelled', () => {
  test('revokes what runs and cancels what waits', () => {
    const core = new ScriptedCore();
    core.submit('j', { taskCount: 6, retryDelayMs: 5000 });
    core.join('w', { slots: 3 });
    core.complete(core.run('j', 0, 'w'));
    const held = core.run('j', 1, 'w');
    core.fail(core.run('j', 2, 'w'));
    core.release(core.assign('j', 3, 'w'), 'released');
    expect(cancel(core, 'j')).toEqual([
      'j.1 #1 revoked (cancelled)',
      'job j cancelled',
      'job j finished: cancelled',
    ]);
    expect(core.job('j').counts).toMatchObject({ completed: 1, failed: 0, cancelled: 5 });
    expect(core.state.queue.isEmpty).toBe(true);
    expect(core.complete(held)).toEqual({ rejected: 'stale_attempt' });
    expect(core.wait(10_000)).toEqual([]);
  });

  test('must exist and not be final', () => {
    const core = new ScriptedCore();
    expect(cancel(core, 'j')).toEqual({ rejected: 'unknown_job' });
    core.submit('j');
    core.join('w');
    core.complete(core.run('j', 0, 'w'));
    expect(cancel(core, 'j')).toEqual({ rejected: 'job_is_final' });
  });
});

describe('a job that is retried', () => {
  test('runs its failed tasks again: attempts count on, budgets begin anew', () => {
    const core = new ScriptedCore();
    core.submit('j', { taskCount: 2, maxAttempts: 1 });
    core.join('w');
    core.complete(core.run('j', 0, 'w'));
    core.fail(core.run('j', 1, 'w'));
    expect(core.job('j').status).toBe('failed');
    expect(retry(core, 'j')).toEqual(['job j retried']);
    expect(core.job('j')).toMatchObject({ status: 'running', completedAt: null, error: null });
    expect(core.task('j', 1)).toMatchObject({ status: 'pending', attempt: 1, errors: 0 });
    expect(core.state.counters).toMatchObject({ runningJobs: 1, failedJobs: 0 });
    const again = core.run('j', 1, 'w');
    expect(again.attempt).toBe(2);
    expect(core.complete(again)).toEqual(['j.1 #2 completed', 'job j finished: completed']);
  });

  test('brings back what was cancelled with it, never assigned or not', () => {
    const core = new ScriptedCore();
    core.submit('j', { taskCount: 4, maxAttempts: 1, onTaskFailure: 'fail_job' });
    core.join('w', { slots: 2 });
    core.run('j', 0, 'w');
    core.fail(core.run('j', 1, 'w'));
    expect(core.job('j').counts).toMatchObject({ failed: 1, cancelled: 3 });
    retry(core, 'j');
    for (const index of [0, 1, 2, 3]) core.complete(core.run('j', index, 'w'));
    expect(core.job('j').status).toBe('completed');
  });

  test('may still be running', () => {
    const core = new ScriptedCore();
    core.submit('j', { taskCount: 2, maxAttempts: 1 });
    core.join('w', { slots: 2 });
    const held = core.run('j', 0, 'w');
    core.fail(core.run('j', 1, 'w'));
    expect(retry(core, 'j')).toEqual(['job j retried']);
    core.complete(held);
    expect(core.tryAssign('j', 1, 'w')).toEqual(['j.1 #2 assigned to w']);
  });

  test('must have something that failed', () => {
    const core = new ScriptedCore();
    expect(retry(core, 'j')).toEqual({ rejected: 'unknown_job' });
    core.submit('j');
    expect(retry(core, 'j')).toEqual({ rejected: 'nothing_to_retry' });
    cancel(core, 'j');
    expect(retry(core, 'j')).toEqual({ rejected: 'nothing_to_retry' });
  });
});

describe('a database that is cleared', () => {
  test('forgets everything; what runs is revoked and what is due is disarmed', () => {
    const core = new ScriptedCore();
    core.submit('j', { taskCount: 3, attemptTimeoutMs: 1000 });
    core.join('w', { slots: 2 });
    core.join('gone');
    core.close('gone');
    const held = core.run('j', 0, 'w');
    core.fail(core.run('j', 1, 'w'));
    expect(core.give({ type: 'clear', at: core.at })).toEqual([
      'j.0 #1 revoked (cleared)',
      'cleared: generation 2',
    ]);
    const { jobs, workers, queue, deadlines, counters } = core.state;
    expect([jobs.size, workers.size, queue.isEmpty, deadlines.size]).toEqual([0, 0, true, 0]);
    expect(counters).toMatchObject({ jobs: 0, tasks: 0, tasksCompleted: 0 });
    expect(core.complete(held)).toEqual({ rejected: 'stale_attempt' });
  });

  test('takes new work as if it were new', () => {
    const core = new ScriptedCore();
    core.give({ type: 'clear', at: 0 });
    core.submit('j');
    core.join('w');
    expect(core.complete(core.run('j', 0, 'w'))).toContain('job j finished: completed');
  });

  test('keeps the configuration of the scheduler', () => {
    const core = new ScriptedCore();
    const config = { ...core.state.config, algorithm: 'edas' as const, updatedAt: 5 };
    expect(core.give({ type: 'configure', config, at: 5 })).toEqual(['scheduler edas']);
    core.give({ type: 'clear', at: 6 });
    expect(core.state.config).toEqual(config);
  });
});

describe('a job with priorities of its tasks', () => {
  const priorities = { taskCount: 4, taskPriorities: Int16Array.of(1, 9, 1, 9) };

  test('is one entry per priority, each in order of index', () => {
    const core = new ScriptedCore();
    core.submit('j', priorities);
    const entries = core.job('j').entries.map(({ priority, indices }) => [priority, ...indices!]);
    expect(entries).toEqual([
      [9, 1, 3],
      [1, 0, 2],
    ]);
  });

  test('lets each entry hand out its own next task', () => {
    const core = new ScriptedCore();
    core.submit('j', priorities);
    core.join('w', { slots: 9 });
    const refused = { rejected: 'placement_refused' };
    expect(core.tryAssign('j', 3, 'w')).toEqual(refused);
    const first = core.assign('j', 1, 'w');
    core.assign('j', 0, 'w');
    core.release(first, 'released');
    expect(core.tryAssign('j', 3, 'w')).toEqual(refused);
    core.assign('j', 1, 'w');
    core.assign('j', 3, 'w');
    core.assign('j', 2, 'w');
    expect(core.state.queue.isEmpty).toBe(true);
  });
});
