// A worker that fails what succeeds elsewhere must not eat the queue; a task that fails everywhere must
// not put a worker into quarantine.

import { describe, expect, test } from 'vitest';
import { workerStatus } from './worker-status.ts';
import { ScriptedCore } from './testing/scripted-core.ts';

function stage(): ScriptedCore {
  const core = new ScriptedCore();
  core.submit('j', { taskCount: 20, retryDelayMs: 0 });
  core.join('bad', { slots: 4 });
  core.join('good', { slots: 4 });
  return core;
}

/** The task fails on the one and succeeds on the other. */
function failThenSucceed(core: ScriptedCore, index: number): unknown {
  core.fail(core.run('j', index, 'bad'));
  core.wait(0);
  return core.complete(core.run('j', index, 'good'));
}

function quarantine(core: ScriptedCore): void {
  for (const index of [0, 1, 2]) failThenSucceed(core, index);
}

const refused = { rejected: 'placement_refused' };

describe('a worker', () => {
  test('is quarantined when the third task in a row that failed on it succeeds elsewhere', () => {
    const core = stage();
    failThenSucceed(core, 0);
    failThenSucceed(core, 1);
    expect(workerStatus(core.worker('bad'))).toBe('online');
    expect(failThenSucceed(core, 2)).toEqual([
      'j.2 #2 completed',
      'worker bad quarantined for 60000 ms',
    ]);
    expect(workerStatus(core.worker('bad'))).toBe('quarantined');
    expect(core.tryAssign('j', 3, 'bad')).toEqual(refused);
  });

  test('begins to count anew with every task that it completes', () => {
    const core = stage();
    failThenSucceed(core, 0);
    failThenSucceed(core, 1);
    core.complete(core.run('j', 2, 'bad'));
    failThenSucceed(core, 3);
    failThenSucceed(core, 4);
    expect(workerStatus(core.worker('bad'))).toBe('online');
  });

  test('is not to blame for a task that succeeds nowhere', () => {
    const core = new ScriptedCore();
    core.submit('j', { taskCount: 9, maxAttempts: 1 });
    core.join('w');
    for (let index = 0; index < 9; index++) core.fail(core.run('j', index, 'w'));
    expect(workerStatus(core.worker('w'))).toBe('online');
  });
});

describe('a worker in quarantine', () => {
  test('has what it has not begun recalled', () => {
    const core = stage();
    failThenSucceed(core, 0);
    failThenSucceed(core, 1);
    core.fail(core.run('j', 2, 'bad'));
    core.wait(0);
    const probed = core.assign('j', 2, 'good');
    core.assign('j', 3, 'bad');
    core.start(probed);
    expect(core.complete(probed)).toContain('j.3 #1 recalled');
  });

  test('may have one task at a time when the pause is over, and is released by its success', () => {
    const core = stage();
    quarantine(core);
    core.hear('bad');
    expect(core.waitAlive(60_000, 'bad', 'good')).toContain('worker bad probed');
    const probe = core.run('j', 3, 'bad');
    expect(core.tryAssign('j', 4, 'bad')).toEqual(refused);
    expect(core.complete(probe)).toEqual(['j.3 #1 completed', 'worker bad released']);
    expect(core.tryAssign('j', 4, 'bad')).toEqual(['j.4 #1 assigned to bad']);
    expect(core.tryAssign('j', 5, 'bad')).toEqual(['j.5 #1 assigned to bad']);
  });

  test('pauses twice as long after a failed probe, up to the longest pause', () => {
    const core = stage();
    quarantine(core);
    let index = 3;
    for (const pause of [120_000, 240_000, 480_000, 960_000, 1_920_000, 3_600_000, 3_600_000]) {
      core.waitAlive(3_600_000, 'bad', 'good');
      const said = core.fail(core.run('j', index, 'bad'));
      expect(said).toContain(`worker bad quarantined for ${pause} ms`);
      core.wait(0);
      core.complete(core.run('j', index++, 'good'));
    }
  });

  test('is trusted again when an operator resumes it', () => {
    const core = stage();
    quarantine(core);
    expect(core.give({ type: 'resume_worker', workerId: 'bad', at: core.at })).toEqual([
      'worker bad released',
    ]);
    expect(core.tryAssign('j', 3, 'bad')).toEqual(['j.3 #1 assigned to bad']);
  });

  test('stays in it while it is away, and its pause goes on', () => {
    const core = stage();
    quarantine(core);
    core.close('bad');
    core.waitAlive(60_000, 'good');
    core.hello('bad', [], { slots: 4 });
    expect(workerStatus(core.worker('bad'))).toBe('quarantined');
    expect(core.tryAssign('j', 3, 'bad')).toEqual(['j.3 #1 assigned to bad']);
  });
});
