// Workers that ask for their work (plain HTTP): an assignment waits until it is handed out, and is
// taken back, as if it had never been, when nobody asks for it in time.

import { describe, expect, test } from 'vitest';
import { ScriptedCore } from './testing/scripted-core.ts';
import { workerStatus } from './worker-status.ts';

function attach(core: ScriptedCore, workerId: string, asksForWork = false) {
  const { at } = core;
  return core.give({ type: 'attach_worker', workerId, connectionId: 77, asksForWork, at });
}

function deliver(core: ScriptedCore, index: number) {
  const attempt = core.task('j', index).live[0]!;
  return core.give({ type: 'deliver_attempt', attempt, sequence: 2, at: core.at });
}

/** A worker that is online because it called, with one task assigned to it. */
function stage() {
  const core = new ScriptedCore();
  core.submit('j', { taskCount: 2, maxAttempts: 1 });
  core.join('w');
  core.give({ type: 'leave_worker', workerId: 'w', at: 0 });
  attach(core, 'w');
  return { core, held: core.assign('j', 0, 'w') };
}

describe('a worker that asks for its work', () => {
  test('is online as long as it calls', () => {
    const core = new ScriptedCore();
    core.join('w');
    core.give({ type: 'leave_worker', workerId: 'w', at: 0 });
    expect(workerStatus(core.worker('w'))).toBe('offline');
    expect(attach(core, 'w')).toEqual(['worker w attached']);
    expect(attach(core, 'w')).toEqual(['worker w heard']);
    expect(core.wait(15_000)).toEqual(['worker w lost']);
    expect(attach(core, 'nobody')).toEqual({ rejected: 'unknown_worker' });
  });

  test('has what was handed out, like any other', () => {
    const { core, held } = stage();
    expect(deliver(core, 0)).toEqual(['j.0 #1 delivered']);
    core.wait(10_000);
    core.start(held);
    attach(core, 'w');
    expect(core.wait(10_000)).toEqual(['worker w lease renewed']);
    expect(core.complete(held)).toEqual(['j.0 #1 completed']);
  });

  test('loses, uncharged, what was handed out and is never named', () => {
    const { core, held } = stage();
    deliver(core, 0);
    core.wait(10_000);
    attach(core, 'w');
    expect(core.wait(10_000)).toEqual([
      'worker w lease renewed',
      'j.0 #1 lost (connection_lost)',
      'j.0 requeued',
    ]);
    expect(core.task('j', 0)).toMatchObject({ losses: 0, attempt: 1 });
    expect(core.complete(held)).toEqual(['j.0 #1 completed']);
  });

  test('loses an assignment that it does not fetch: the next attempt has its number and another token', () => {
    const { core, held } = stage();
    core.wait(5000);
    attach(core, 'w');
    expect(core.wait(10_000)).toContain('worker w slept');
    expect(core.task('j', 0)).toMatchObject({ status: 'pending', attempt: 0, losses: 0, past: [] });
    expect(core.state.dirty.ended).toMatchObject([
      { attempt: -1, workerId: 'w', outcome: 'withdrawn', token: null, count: 1 },
    ]);
    expect(core.complete(held)).toMatchObject({ rejected: expect.any(String) });
    core.join('other');
    expect(core.assign('j', 0, 'other')).toMatchObject({ attempt: 1 });
    expect(core.task('j', 0).live[0]?.token).not.toBe(held.token);
  });

  test('gets nothing new after that until it asks', () => {
    const { core } = stage();
    core.wait(5000);
    attach(core, 'w');
    core.wait(10_000);
    attach(core, 'w');
    expect(core.tryAssign('j', 0, 'w')).toEqual({ rejected: 'placement_refused' });
    expect(attach(core, 'w', true)).toEqual(['worker w attached']);
    expect(core.tryAssign('j', 0, 'w')).toEqual(['j.0 #1 assigned to w']);
  });

  test('is handed nothing that was taken back meanwhile', () => {
    const { core } = stage();
    const attempt = core.task('j', 0).live[0]!;
    core.give({ type: 'cancel_job', jobId: 'j', at: core.at });
    const late = { type: 'deliver_attempt', attempt, sequence: 2, at: core.at } as const;
    expect(core.give(late)).toEqual({ rejected: 'placement_refused' });
  });
});

test('a task that was taken back before its first delivery comes back with a retry', () => {
  const { core } = stage();
  core.join('other');
  core.fail(core.assign('j', 1, 'other'));
  core.wait(5000);
  attach(core, 'w');
  core.wait(10_000);
  expect(core.task('j', 0)).toMatchObject({ status: 'pending', attempt: 0 });
  core.give({ type: 'cancel_job', jobId: 'j', at: core.at });
  core.give({ type: 'retry_job', jobId: 'j', at: core.at });
  expect(core.job('j').entries[0]?.due.values()).toEqual([0, 1]);
});

describe('a job that is deleted', () => {
  const remove = (core: ScriptedCore) => core.give({ type: 'delete_job', jobId: 'j', at: core.at });

  test('is gone from every total', () => {
    const { core, held } = stage();
    core.complete(held);
    core.fail(core.assign('j', 1, 'w'));
    expect(remove(core)).toEqual(['job j deleted']);
    expect(core.state.counters).toMatchObject({
      jobs: 0,
      failedJobs: 0,
      tasks: 0,
      tasksCompleted: 0,
    });
    expect(core.complete(held)).toEqual({ rejected: 'stale_attempt' });
  });

  test('must exist and be final', () => {
    const { core } = stage();
    expect(remove(core)).toEqual({ rejected: 'job_not_final' });
    expect(remove(new ScriptedCore())).toEqual({ rejected: 'unknown_job' });
  });
});
