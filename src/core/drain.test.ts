// A worker that drains or leaves hands over what it runs: at the next checkpoint, or at the deadline.

import { describe, expect, test } from 'vitest';
import { ScriptedCore } from './testing/scripted-core.ts';
import { workerStatus } from './worker-status.ts';

function stage(given: Parameters<ScriptedCore['submit']>[1] = {}): ScriptedCore {
  const core = new ScriptedCore();
  core.submit('j', { taskCount: 3, ...given });
  core.join('w', { slots: 3, name: 'vm-1' });
  core.join('other', { slots: 3 });
  return core;
}

function drain(core: ScriptedCore, deadlineMs?: number | null) {
  const command = { type: 'drain_worker', workerId: 'w', at: core.at } as const;
  if (deadlineMs === undefined) return core.give(command);
  return core.give({ ...command, deadline: deadlineMs === null ? null : core.at + deadlineMs });
}

function lastEnd(core: ScriptedCore): string | undefined {
  return core.events.findLast((event) => event.type === 'attempt_ended')?.errorMessage;
}

describe('a worker that drains', () => {
  test('hands a task over at its next checkpoint, which costs the task nothing', () => {
    const core = stage({ maxAttempts: 1, maxLostAttempts: 1 });
    const held = core.run('j', 0, 'w');
    core.checkpoint(held, 1, 0.2);
    expect(drain(core)).toEqual(['worker w drained']);
    core.wait(1000);
    expect(core.checkpoint(held, 2, 0.37, 1000)).toEqual([
      'j.0 #1 saved checkpoint 2 at 0.37',
      'j.0 #1 released (worker_drained)',
      'j.0 requeued',
    ]);
    expect(lastEnd(core)).toBe('Handed over at its checkpoint (37 %), because vm-1 drains.');
    const task = core.task('j', 0);
    expect(task).toMatchObject({ errors: 0, losses: 0, timeouts: 0, status: 'pending' });
    expect(task.recovery).toMatchObject({ reason: 'worker_drained', timeLostSeconds: 0 });
    core.assign('j', 0, 'other');
    expect(task.live[0]?.resumedFrom).toMatchObject({ progress: 0.37 });
  });

  test('keeps what never saves its state until that ends', () => {
    const core = stage();
    const held = core.run('j', 0, 'w');
    drain(core);
    expect(core.waitAlive(3_600_000, 'w', 'other')).not.toContain('j.0 requeued');
    expect(core.complete(held)).toContain('j.0 #1 completed');
  });

  test('may still bring the result of what it has handed over, until the order to stop arrives', () => {
    const core = stage();
    const held = core.run('j', 0, 'w');
    drain(core);
    core.checkpoint(held, 1, 0.9);
    expect(core.complete(held)).toContain('j.0 #1 completed');
  });

  test('hands over at a checkpoint that nobody had heard begin', () => {
    const core = stage();
    const held = core.assign('j', 0, 'w');
    drain(core);
    expect(core.checkpoint(held, 1, 0.5)).toEqual([
      'j.0 #1 started',
      'j.0 #1 saved checkpoint 1 at 0.5',
      'j.0 #1 released (worker_drained)',
      'j.0 requeued',
    ]);
    expect(core.task('j', 0).recovery).toMatchObject({ reason: 'worker_drained' });
  });

  test('lets a copy of the task go on alone', () => {
    const core = stage({ speculation: { maxCopies: 1, maxShare: 1 } });
    const held = core.run('j', 0, 'w');
    core.copy('j', 0, 'other');
    drain(core);
    expect(core.checkpoint(held, 1, 0.5)).toEqual([
      'j.0 #1 saved checkpoint 1 at 0.5',
      'j.0 #1 released (worker_drained)',
    ]);
    expect(core.task('j', 0).live).toMatchObject([{ attempt: 2, isCopy: false }]);
  });

  test('is given back at once what it has not fetched over plain HTTP', () => {
    const core = stage();
    const call = { workerId: 'w', connectionId: -1, asksForWork: true };
    core.give({ type: 'attach_worker', ...call, at: core.at });
    core.assign('j', 0, 'w');
    expect(drain(core)).toEqual([
      'worker w drained',
      'j.0 #1 recalled',
      'j.0 #1 released (worker_drained)',
      'j.0 requeued',
    ]);
  });
});

describe('the deadline of a drain', () => {
  test('gives back what still runs, from its last checkpoint', () => {
    const core = stage();
    const [saved, unsaved] = [core.run('j', 0, 'w'), core.run('j', 1, 'w')];
    core.checkpoint(saved, 1, 0.25);
    core.assign('j', 2, 'w');
    expect(drain(core, 5000)).toEqual(['worker w drained, 5000 ms to go', 'j.2 #1 recalled']);
    expect(core.waitAlive(4999, 'w', 'other')).not.toContain('worker w must be free');
    expect(core.wait(1)).toEqual([
      'j.0 #1 released (worker_drained)',
      'j.0 requeued',
      'j.1 #1 released (worker_drained)',
      'j.1 requeued',
      'j.2 #1 released (worker_drained)',
      'j.2 requeued',
      'worker w must be free',
    ]);
    expect(core.worker('w').attempts.size).toBe(0);
    expect(workerStatus(core.worker('w'))).toBe('draining');
    expect(core.task('j', 0)).toMatchObject({ losses: 0, recovery: { resumedFromProgress: 0.25 } });
    expect(core.task('j', 1)).toMatchObject({ losses: 0 });
    expect(unsaved.attempt).toBe(1);
  });

  test('is replaced by a later one, kept when none is said, and taken back', () => {
    const core = stage();
    core.run('j', 0, 'w');
    drain(core, 60_000);
    const { since } = core.worker('w').draining!;
    core.wait(10);
    expect(drain(core)).toEqual([]);
    expect(drain(core, 2000)).toEqual(['worker w drained, 2000 ms to go']);
    expect(core.worker('w').draining).toEqual({ since, deadline: core.at + 2000 });
    expect(drain(core, null)).toEqual(['worker w drained']);
    expect(core.waitAlive(61_000, 'w', 'other')).not.toContain('worker w must be free');
    drain(core, 2000);
    core.give({ type: 'resume_worker', workerId: 'w', at: core.at });
    expect(core.waitAlive(3000, 'w', 'other')).not.toContain('worker w must be free');
    expect(core.worker('w').attempts.size).toBe(1);
  });

  test('takes as long as before when the clock is set', () => {
    const core = stage();
    core.run('j', 0, 'w');
    drain(core, 5000);
    core.at += 100_000;
    core.give({ type: 'set_clock', byMs: 100_000, at: core.at });
    expect(core.worker('w').draining?.deadline).toBe(core.at + 5000);
    core.waitAlive(4999, 'w', 'other');
    expect(core.worker('w').attempts.size).toBe(1);
    core.wait(1);
    expect(core.worker('w').attempts.size).toBe(0);
  });
});

test('a worker that leaves hands over at the next checkpoint as well', () => {
  const core = stage();
  const held = core.run('j', 0, 'w');
  core.heartbeat('w', { leaving: true, held: [] });
  core.checkpoint(held, 1, 0.5);
  expect(lastEnd(core)).toBe('Handed over at its checkpoint (50 %), because vm-1 leaves.');
});
