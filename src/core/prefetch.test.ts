// How much a worker may hold beyond its slots: a ramp for short tasks, nothing for long ones.

import { describe, expect, test } from 'vitest';
import { mayTakeOneMore } from './prefetch.ts';
import { defaultSchedulerConfig } from './state.ts';
import { ScriptedCore } from './testing/scripted-core.ts';

/** A core whose worker has completed so many tasks of the given length, one after another. */
function measured(tasks: number, runMs: number, slots = 1, settings = {}): ScriptedCore {
  const core = new ScriptedCore(settings);
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
    const { settings, queue } = core.state;
    const none = { settings: { ...settings, maxPrefetch: 0, prefetchMs: 0 }, queue };
    core.run('j', 20, 'w');
    const entry = core.job('j').entries[0]!;
    expect(mayTakeOneMore(none, core.worker('w'), entry, core.at)).toBe(false);
  });
});

describe('a worker with a full backlog', () => {
  /** It has a backlog of short tasks of priority 0, as full as it gets. */
  function full(
    slots = 1,
    algorithm: 'priority' | 'fifo' = 'priority',
    settings = { maxPrefetch: 16 },
  ): ScriptedCore {
    const core = measured(12, 0.01, slots, settings);
    const config = { ...defaultSchedulerConfig, algorithm };
    core.give({ type: 'configure', config, at: core.at });
    fill(core);
    return core;
  }

  /** How many of another job it takes on top. */
  function takes(core: ScriptedCore, priority: number, id = 'urgent'): number {
    core.submit(id, { taskCount: 9, priority });
    let count = 0;
    while (Array.isArray(core.tryAssign(id, count, 'w'))) count++;
    return count;
  }

  test('takes one for each slot of what is more important, though it is not measured', () => {
    expect(takes(full(), 1)).toBe(1);
    expect(takes(full(3), 1)).toBe(3);
  });

  test('takes nothing more of what is as important, or less', () => {
    expect(takes(full(), 0)).toBe(0);
    expect(takes(full(), -1)).toBe(0);
  });

  test('takes nothing more where priorities do not count', () => {
    expect(takes(full(1, 'fifo'), 1)).toBe(0);
  });

  test('takes a backlog of what is more important once that is measured', () => {
    const core = full();
    takes(core, 1);
    core.complete(core.assignedTo('w', 'urgent'), { runMs: 4 });
    let index = 1;
    while (Array.isArray(core.tryAssign('urgent', index, 'w'))) index++;
    // 20 ms of work, whatever waits that is less important.
    expect(index - 1).toBe(5);
  });

  test('takes what is most important past what is important', () => {
    const core = full();
    takes(core, 1);
    expect(takes(core, 2, 'most')).toBe(1);
    expect(takes(core, 1, 'late')).toBe(0);
  });

  test('takes nothing while all its slots have a task that takes long', () => {
    const core = full();
    core.start(core.assignedTo('w', 'j'));
    expect(takes(core, 1)).toBe(0);
  });

  test('takes nothing when it has reported nothing for a second', () => {
    const core = full();
    core.at += 1000;
    expect(takes(core, 1)).toBe(0);
  });

  test('holds no more than two backlogs, however many priorities there are', () => {
    const core = full(1, 'priority', { maxPrefetch: 4 });
    expect(core.worker('w').activeTasks).toBe(1 + 4);
    const more = [1, 2, 3, 4, 5, 6].map((priority) => takes(core, priority, `p${priority}`));
    expect(more).toEqual([1, 1, 1, 1, 0, 0]);
  });

  test('is asked for what is least important when it does not move', () => {
    const core = full();
    takes(core, 1);
    const said = core.give({ type: 'recall_attempts', worker: core.worker('w'), at: core.at });
    const { activeTasks } = core.worker('w');
    expect(said).toHaveLength(activeTasks - 1);
    const kept = [...core.worker('w').attempts].find(({ recalled }) => !recalled);
    expect(kept?.task.job.spec.id).toBe('urgent');
  });
});
