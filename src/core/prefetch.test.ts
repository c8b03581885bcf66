// How much a worker may hold beyond its slots: a ramp for short tasks, nothing for long ones.

import { describe, expect, test } from 'vitest';
import { mayTakeOneMore } from './prefetch.ts';
import { ScriptedCore } from './testing/scripted-core.ts';

/** A core whose worker has completed so many tasks of the given length, one after another. */
function measured(tasks: number, runMs: number, slots = 1): ScriptedCore {
  const core = new ScriptedCore();
  core.submit('j', { taskCount: 100_000 });
  core.join('w', { slots });
  for (let index = 0; index < tasks; index++) {
    core.at += 1;
    core.complete(core.run('j', index, 'w'), { runMs });
  }
  return core;
}

/** How many more it takes before it is full. */
function fill(core: ScriptedCore): number {
  const entry = core.job('j').entries[0]!;
  const from = entry.cursor;
  while (Array.isArray(core.tryAssign('j', entry.cursor, 'w')))
    if (entry.cursor > from + 999) break;
  return entry.cursor - from;
}

describe('a worker', () => {
  test('holds no more than its slots before anything is measured', () => {
    const core = new ScriptedCore();
    core.submit('j', { taskCount: 9 });
    core.join('w', { slots: 2 });
    expect(fill(core)).toBe(2);
  });

  test('holds one more after its first report, twice as many after each', () => {
    expect([1, 2, 3, 4].map((reports) => fill(measured(reports, 0.01)))).toEqual([
      1 + 1,
      1 + 2,
      1 + 4,
      1 + 8,
    ]);
  });

  test('holds at most 20 ms of measured work per slot', () => {
    expect(fill(measured(20, 2))).toBe(10);
    expect(fill(measured(20, 2, 3))).toBe(30);
  });

  test('holds nothing beyond its slots when tasks are long', () => {
    expect(fill(measured(20, 30))).toBe(1);
  });

  test('begins anew on every connection', () => {
    const core = measured(6, 0.01);
    core.hello('w');
    expect(fill(core)).toBe(1);
  });

  test('takes many reports of one moment for one step of the ramp', () => {
    const core = measured(3, 0.01, 2);
    const held = [3, 4, 5, 6].map((index) => core.run('j', index, 'w'));
    const before = core.worker('w').prefetch;
    core.at += 1;
    for (const each of held) core.complete(each, { runMs: 0.01 });
    expect(core.worker('w').prefetch).toBe(before * 2);
  });

  test('never holds more than the setting allows', () => {
    const core = measured(20, 0.000_001);
    expect(core.worker('w').prefetch).toBe(core.state.settings.maxPrefetch);
    const { settings } = core.state;
    const none = { ...settings, maxPrefetch: 0, prefetchMs: 0 };
    core.run('j', 20, 'w');
    expect(mayTakeOneMore(none, core.worker('w'), core.job('j'))).toBe(false);
  });
});
