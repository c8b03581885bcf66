// Workers that do not take what they are given.

import { describe, expect, test } from 'vitest';
import { ScriptedCore } from './testing/scripted-core.ts';

const battery = 'battery at 7 %';
const pauses = { rejected: 'placement_refused' };

/** A job with tasks, and workers that run them. */
function stage(given: Parameters<ScriptedCore['submit']>[1] = {}) {
  const core = new ScriptedCore({ leaseMs: 1e12 });
  core.submit('j', { taskCount: 5, ...given });
  core.join('phone', { slots: 3 });
  core.join('pc', { slots: 3 });
  return core;
}

/** How long the phone gets nothing of the job from now on. */
function pauseMs(core: ScriptedCore): number {
  const pause = core.job('j').refusals.get(core.worker('phone'));
  return Math.max(0, (pause?.until ?? 0) - core.at);
}

function refuseOnce(core: ScriptedCore, message: string | null = battery): number {
  core.wait(pauseMs(core));
  core.release(core.assign('j', 0, 'phone'), 'refused', message);
  return pauseMs(core);
}

describe('a worker that refuses', () => {
  test('pauses for the job, twice as long from offer to offer, up to ten minutes', () => {
    const core = stage();
    const told = Array.from({ length: 12 }, () => refuseOnce(core) / 1000);
    expect(told).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]);
    expect(core.tryAssign('j', 0, 'phone')).toEqual(pauses);
    core.wait(599_999);
    expect(core.tryAssign('j', 0, 'phone')).toEqual(pauses);
    core.wait(1);
    expect(core.tryAssign('j', 0, 'phone')).toEqual(['j.0 #13 assigned to phone']);
  });

  test('keeps no task from other workers, and no other job from itself', () => {
    const core = stage();
    refuseOnce(core);
    expect(core.tryAssign('j', 0, 'pc')).toEqual(['j.0 #2 assigned to pc']);
    core.submit('other');
    expect(core.tryAssign('other', 0, 'phone')).toEqual(['other.0 #1 assigned to phone']);
  });

  test('pauses no shorter than a failed task of its job', () => {
    expect(refuseOnce(stage({ retryDelayMs: 30_000 }))).toBe(30_000);
    const core = stage({ retryDelayMs: 900_000 });
    expect([refuseOnce(core), refuseOnce(core)]).toEqual([900_000, 900_000]);
  });

  test('has refused one offer when it refuses all that it was given before it spoke', () => {
    const core = stage();
    const given = [0, 1, 2].map((index) => core.assign('j', index, 'phone'));
    core.release(given[0]!, 'refused');
    core.release(given[1]!, 'refused');
    core.wait(500);
    core.release(given[2]!, 'refused');
    expect(pauseMs(core)).toBe(1000);
    core.wait(1000);
    core.release(core.assign('j', 0, 'phone'), 'refused');
    expect(pauseMs(core)).toBe(2000);
  });

  test('begins anew when it has completed or failed a task of the job', () => {
    for (const end of ['complete', 'fail'] as const) {
      const core = stage();
      refuseOnce(core);
      refuseOnce(core);
      core.wait(2000);
      core[end](core.run('j', 0, 'phone'));
      expect(core.job('j').refusals.size).toBe(0);
    }
  });

  test('pauses as long when the clock of the coordinator is set', () => {
    const core = stage();
    refuseOnce(core);
    core.at += 3_600_000;
    core.give({ type: 'set_clock', byMs: 3_600_000, at: core.at });
    expect(pauseMs(core)).toBe(1000);
  });

  test('is forgotten with its registration once more have come than are there', () => {
    const core = stage();
    refuseOnce(core);
    core.give({ type: 'deregister_worker', workerId: 'phone', at: core.at });
    for (const name of ['a', 'b']) {
      core.join(name);
      core.release(core.assign('j', 0, name), 'refused');
    }
    core.give({ type: 'deregister_worker', workerId: 'pc', at: core.at });
    core.join('c');
    core.release(core.assign('j', 0, 'c'), 'refused');
    expect(Array.from(core.job('j').refusals.keys(), ({ id }) => id)).toEqual(['a', 'b', 'c']);
  });
});

describe('a worker that refuses one job after another', () => {
  /** Jobs of one task each. */
  function manyJobs() {
    const core = new ScriptedCore({ leaseMs: 1e12 });
    core.join('phone', { slots: 9 });
    core.join('pc', { slots: 9 });
    for (let i = 0; i < 20; i++) core.submit(`j${i}`);
    return core;
  }
  const restMs = (core: ScriptedCore) =>
    Math.max(0, (core.worker('phone').unwilling?.until ?? 0) - core.at);
  const refuse = (core: ScriptedCore, i: number) => {
    core.wait(restMs(core));
    core.release(core.assign(`j${i}`, 0, 'phone'), 'refused', battery);
    return restMs(core) / 1000;
  };

  test('pauses for all from the third job on, longer from offer to offer, up to ten minutes', () => {
    const core = manyJobs();
    const told = Array.from({ length: 14 }, (_, i) => refuse(core, i));
    expect(told).toEqual([0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]);
    expect(core.tryAssign('j19', 0, 'phone')).toEqual(pauses);
    expect(core.tryAssign('j19', 0, 'pc')).toEqual(['j19.0 #1 assigned to pc']);
    core.wait(600_000);
    expect(core.tryAssign('j18', 0, 'phone')).toEqual(['j18.0 #1 assigned to phone']);
  });

  test('pauses for one offer when it refuses all that it was given at once', () => {
    const core = manyJobs();
    const given = [0, 1, 2, 3, 4, 5].map((i) => core.assign(`j${i}`, 0, 'phone'));
    for (const attempt of given) core.release(attempt, 'refused');
    expect(restMs(core)).toBe(1000);
  });

  test('begins anew when it has completed or failed anything', () => {
    for (const end of ['complete', 'fail'] as const) {
      const core = manyJobs();
      for (let i = 0; i < 5; i++) refuse(core, i);
      core.wait(restMs(core));
      core[end](core.run('j9', 0, 'phone'));
      expect(core.worker('phone').unwilling).toBeNull();
      expect([refuse(core, 10), refuse(core, 11), refuse(core, 12)]).toEqual([0, 0, 1]);
    }
  });

  test('pauses as long when the clock of the coordinator is set', () => {
    const core = manyJobs();
    for (let i = 0; i < 3; i++) refuse(core, i);
    core.at += 3_600_000;
    core.give({ type: 'set_clock', byMs: 3_600_000, at: core.at });
    expect(restMs(core)).toBe(1000);
  });

  test('does not pause for other jobs when it refuses those of two, however often', () => {
    const core = manyJobs();
    core.submit('large', { taskCount: 5 });
    refuse(core, 0);
    for (let i = 0; i < 6; i++) {
      const pause = core.job('large').refusals.get(core.worker('phone'))?.until ?? 0;
      core.wait(Math.max(0, pause - core.at));
      core.release(core.assign('large', 0, 'phone'), 'refused');
    }
    expect(restMs(core)).toBe(0);
  });
});

describe('a worker that releases what nobody recalled', () => {
  test('is offered the job again at once three times, and then pauses', () => {
    const core = stage();
    const told = Array.from({ length: 6 }, () => {
      core.wait(pauseMs(core) + 1);
      core.release(core.assign('j', 0, 'phone'), 'released');
      return pauseMs(core);
    });
    expect(told).toEqual([0, 0, 0, 1000, 2000, 4000]);
  });

  test('does not pause when it was asked to, or takes nothing new anyway', () => {
    const core = stage();
    const held = core.assign('j', 0, 'phone');
    core.give({ type: 'drain_worker', workerId: 'phone', at: core.at });
    core.release(held, 'released');
    expect(core.job('j').refusals.size).toBe(0);
  });
});

describe('the history', () => {
  const kept = (core: ScriptedCore) =>
    core.state.dirty.ended.map(({ attempt, count, workerId, outcome, errorMessage }) => [
      `#${attempt}`,
      count,
      workerId,
      outcome,
      errorMessage,
    ]);

  test('keeps one row of all refusals of a worker in a row, with the newest reason', () => {
    const core = stage();
    refuseOnce(core, 'battery at 9 %');
    core.release(core.assign('j', 0, 'pc'), 'refused');
    refuseOnce(core, 'battery at 8 %');
    refuseOnce(core);
    expect(kept(core)).toEqual([
      ['#1', 1, 'phone', 'refused', 'battery at 9 %'],
      ['#2', 1, 'pc', 'refused', 'The worker gave no reason.'],
      ['#1', 2, 'phone', 'refused', 'battery at 8 %'],
      ['#1', 3, 'phone', 'refused', battery],
    ]);
  });

  test('begins another row when the task was taken meanwhile', () => {
    const core = stage();
    refuseOnce(core);
    core.fail(core.run('j', 0, 'pc'));
    core.wait(10_000);
    refuseOnce(core);
    expect(kept(core).map(([attempt, count]) => [attempt, count])).toEqual([
      ['#1', 1],
      ['#2', 1],
      ['#3', 1],
    ]);
  });

  test('keeps what was given back, and nothing of what was recalled before it began', () => {
    const core = new ScriptedCore();
    core.submit('j', { taskCount: 9 });
    core.join('w', { slots: 1 });
    core.run('j', 0, 'w');
    core.give({ type: 'leave_worker', workerId: 'w', at: core.at });
    core.hello('w');
    core.complete(core.run('j', 0, 'w'));
    const behind = core.assign('j', 1, 'w');
    core.give({ type: 'drain_worker', workerId: 'w', at: core.at });
    core.release(behind, 'released');
    expect(kept(core).map((row) => row.slice(0, 4))).toEqual([['#1', 1, 'w', 'released']]);
  });
});
