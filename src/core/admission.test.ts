// A worker that waits for a person to let it in, and what it is called.

import { describe, expect, test } from 'vitest';
import { ScriptedCore } from './testing/scripted-core.ts';
import { workerStatus } from './worker-status.ts';

const minute = 60_000;

function stage(): ScriptedCore {
  const core = new ScriptedCore();
  core.submit('j', { taskCount: 3 });
  core.join('w', { name: 'device' }, { waitsUntil: core.at + minute });
  return core;
}

function answer(core: ScriptedCore, type: 'approve_worker' | 'refuse_worker', workerId = 'w') {
  return core.give({ type, workerId, at: core.at });
}

describe('a worker that waits', () => {
  test('is given nothing, by an assignment or as a copy', () => {
    const core = stage();
    expect(workerStatus(core.worker('w'))).toBe('waiting');
    expect(core.tryAssign('j', 0, 'w')).toEqual({ rejected: 'placement_refused' });
    expect(core.worker('w').attempts.size).toBe(0);
  });

  test('is given work as soon as a person lets it in, which a second answer does not change', () => {
    const core = stage();
    expect(answer(core, 'approve_worker')).toEqual(['worker w approved']);
    expect(workerStatus(core.worker('w'))).toBe('online');
    core.assign('j', 0, 'w');
    expect(answer(core, 'approve_worker')).toEqual([]);
    expect(answer(core, 'refuse_worker')).toEqual({ rejected: 'not_waiting' });
  });

  test('is gone when it is refused', () => {
    const core = stage();
    expect(answer(core, 'refuse_worker')).toEqual(['worker w refused']);
    expect(core.state.workers.has('w')).toBe(false);
    expect(answer(core, 'approve_worker')).toEqual({ rejected: 'unknown_worker' });
  });

  test('is gone when nobody answers in time, however alive it is', () => {
    const core = stage();
    expect(core.waitAlive(minute - 1, 'w')).not.toContain('worker w not let in');
    expect(core.waitAlive(1, 'w')).toContain('worker w not let in');
    expect(core.state.workers.has('w')).toBe(false);
  });

  test('is not let in any more when its time is over', () => {
    const core = stage();
    const command = { type: 'approve_worker', workerId: 'w', at: core.at + minute } as const;
    expect(core.give(command)).toEqual({ rejected: 'unknown_worker' });
  });

  test('waits on while it is away, and when it comes back', () => {
    const core = stage();
    core.close('w');
    core.hello('w');
    expect(core.tryAssign('j', 0, 'w')).toEqual({ rejected: 'placement_refused' });
    core.give({ type: 'set_clock', byMs: 10 * minute, at: core.at + 10 * minute });
    expect(core.worker('w').waitsUntil).toBe(core.worker('w').admission.at);
  });

  test.each(['approve_worker', 'refuse_worker'] as const)('%s of nobody is refused', (type) => {
    expect(answer(stage(), type, 'nobody')).toEqual({ rejected: 'unknown_worker' });
  });
});

describe('a worker that was named', () => {
  test('keeps the name, whatever it says at its next hello', () => {
    const core = stage();
    const rename = { type: 'rename_worker', workerId: 'w', name: 'desk', at: core.at } as const;
    expect(core.give(rename)).toEqual(['worker w renamed to desk']);
    expect(core.give(rename)).toEqual([]);
    core.hello('w', [], { name: 'device' });
    expect(core.worker('w').name).toBe('desk');
    expect(core.give({ ...rename, workerId: 'nobody' })).toEqual({ rejected: 'unknown_worker' });
  });

  test('has it from its registration on when it was named before', () => {
    const core = stage();
    core.join('other', { name: 'device' }, { givenName: 'desk' });
    expect(core.worker('other').name).toBe('desk');
  });
});
