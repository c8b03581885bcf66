// Attempts of several owners: which owner a slot serves next, and how long the others wait.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Assignment } from '../../protocol/messages.ts';
import type { ExecutorOutcome } from '../executor.ts';
import { defaultTuning, type MachineOutput } from './machine.ts';
import { outputsOf, ScriptedMachine, task } from './testing/scripted-machine.ts';

/** An attempt of a job that belongs to the owner: `a1` is task 1 of job a of owner a. */
function of(owner: string, index: number): Assignment {
  return task(index, { task_id: `${owner}${index}`, job_id: `job-of-${owner}`, owner });
}

/** A machine whose slots have run short tasks of these owners, one each. */
function served(...owners: string[]): ScriptedMachine {
  const stage = new ScriptedMachine({ slots: owners.length });
  stage.connect();
  stage.assign(...owners.map((owner) => of(owner, 0)));
  owners.forEach((owner, slot) => stage.finish(slot, done(`${owner}0#1`)));
  return stage;
}

function done(key: string, runMs = 0.01): ExecutorOutcome {
  return { type: 'result', key, valueJson: '1', runMs, cpuSeconds: 0 };
}

/** `slot: tasks` of every hand-over. */
function runs(outputs: readonly MachineOutput[]): string[] {
  return outputsOf(outputs, 'run').map(
    ({ slot, tasks }) => `${slot}: ${tasks.map(({ taskId }) => taskId).join(' ')}`,
  );
}

describe('a slot', () => {
  test('takes attempts of the owner that it served last, whoever came first', () => {
    const stage = served('a', 'b');
    expect(runs(stage.assign(of('b', 1), of('a', 1)))).toEqual(['0: a1', '1: b1']);
  });

  test('takes those of another when there are none of its own', () => {
    const stage = served('a', 'b');
    expect(runs(stage.assign(of('c', 1), of('c', 2)))).toEqual(['0: c1', '1: c2']);
  });

  test('that holds something is handed nothing of another owner behind it', () => {
    const stage = served('a');
    expect(runs(stage.assign(of('a', 1), of('b', 1), of('a', 2)))).toEqual(['0: a1', '0: a2']);
    expect(runs(stage.finish(0, done('a1#1')))).toEqual([]);
    expect(runs(stage.finish(0, done('a2#1')))).toEqual(['0: b1']);
  });

  test('takes what is more important of another owner before those of its own', () => {
    const stage = served('a');
    const urgent = { ...of('b', 1), priority: 1 };
    expect(runs(stage.assign(of('a', 1), of('a', 2), urgent))).toEqual(['0: b1']);
    expect(runs(stage.finish(0, done('b1#1')))).toEqual(['0: a1 a2']);
  });

  test('does not idle because its owner is served elsewhere', () => {
    const stage = served('a', 'b');
    expect(runs(stage.assign(of('a', 1)))).toEqual(['0: a1']);
    stage.executor({ type: 'started', slot: 0, key: 'a1#1' });
    expect(runs(stage.assign(of('a', 2)))).toEqual(['1: a2']);
  });

  test('lets an attempt pass only until others have waited for a second', () => {
    const stage = served('a');
    stage.assign(of('a', 1));
    stage.executor({ type: 'started', slot: 0, key: 'a1#1' });
    stage.assign(of('b', 1), ...Array.from({ length: 8 }, (_, i) => of('a', i + 2)));
    // The mean is 300 ms then: three of them are what b1 may bear.
    const order = orderFrom(stage, 'a1#1', 1_500, 300);
    expect(order).toEqual(['a2', 'a3', 'a4', 'b1', 'a5', 'a6', 'a7', 'a8', 'a9']);
  });

  test('lets attempts of unknown length pass four times', () => {
    const stage = served('a');
    const fresh = (i: number) => ({ ...of('a', i), job_id: `job-${i}` });
    stage.assign(fresh(1));
    stage.assign(of('b', 1), ...Array.from({ length: 6 }, (_, i) => fresh(i + 2)));
    const order = orderFrom(stage, 'a1#1', 1, 1);
    expect(order).toEqual(['a2', 'a3', 'a4', 'a5', 'b1', 'a6', 'a7']);
  });
});

/** The order in which a single slot is handed the queued attempts, once its running one has finished. */
function orderFrom(stage: ScriptedMachine, key: string, firstMs: number, restMs: number): string[] {
  const order: string[] = [];
  let [run] = outputsOf(stage.finish(0, done(key, firstMs)), 'run');
  while (run !== undefined) {
    order.push(...run.tasks.map(({ taskId }) => taskId));
    const ends = run.tasks.map((each) => done(each.key, restMs));
    [run] = outputsOf(stage.finish(0, ...ends), 'run');
  }
  return order;
}

const deed = fc.oneof(
  fc.record({
    do: fc.constant('assign' as const),
    owner: fc.constantFrom('a', 'b', 'c'),
    job: fc.integer({ min: 0, max: 3 }),
    count: fc.integer({ min: 1, max: 30 }),
  }),
  fc.record({
    do: fc.constant('finish' as const),
    slot: fc.integer({ min: 0, max: 2 }),
    runMs: fc.constantFrom(0.01, 2, 40, 400, 5_000),
  }),
  fc.record({ do: fc.constant('crash' as const), slot: fc.integer({ min: 0, max: 2 }) }),
);

test('runs everything, keeps owners apart, and nobody is passed by more than the bound', () => {
  fc.assert(
    fc.property(fc.array(deed, { maxLength: 60 }), (deeds) => {
      const play = new Play();
      for (const each of deeds) {
        if (each.do === 'assign') play.assign(each.owner, each.job, each.count);
        else if (each.do === 'finish') play.finish(each.slot, each.runMs);
        else play.crash(each.slot);
      }
      play.finishAll();
      expect(play.queued).toEqual([]);
      expect(play.mostPassedMs).toBeLessThanOrEqual(defaultTuning.passedWorkMs + 1e-6);
    }),
    { numRuns: 500 },
  );
});

/** The queue and the work that has passed each attempt, counted independently of the machine. */
class Play {
  queued: string[] = [];
  mostPassedMs = 0;
  private readonly stage = new ScriptedMachine({ slots: 3 });
  private readonly slots: string[][] = [[], [], []];
  private readonly passedMs = new Map<string, number>();
  private count = 0;

  constructor() {
    this.stage.connect();
  }

  assign(owner: string, job: number, count: number): void {
    const assignments = Array.from({ length: count }, () => {
      const task_id = `t${++this.count}`;
      return task(0, { task_id, job_id: `${owner}-${job}`, owner });
    });
    this.queued.push(...assignments.map(({ task_id }) => `${task_id}#1`));
    this.observe(this.stage.assign(...assignments));
  }

  finish(slot: number, runMs: number): void {
    const keys = this.slots[slot]!.splice(0);
    if (keys.length > 0) this.observe(this.stage.finish(slot, ...keys.map((k) => done(k, runMs))));
  }

  /** What the slot holds comes back to the head of the queue. */
  crash(slot: number): void {
    const keys = this.slots[slot]!.splice(0);
    if (keys.length === 0) return;
    for (const key of keys) this.passedMs.delete(key);
    this.queued.unshift(...keys);
    this.observe(this.stage.executor({ type: 'returned', slot, keys }));
  }

  finishAll(): void {
    for (let i = 0; i < 3000 && this.slots.some((keys) => keys.length > 0); i++) {
      this.finish(i % 3, 1);
    }
  }

  private observe(outputs: readonly MachineOutput[]): void {
    for (const { slot, tasks } of outputsOf(outputs, 'run')) {
      for (const { key } of tasks) {
        this.pass(key);
        this.slots[slot]!.push(key);
      }
    }
  }

  private pass(key: string): void {
    const at = this.queued.indexOf(key);
    const { job } = this.stage.machine.workload.held.get(key)!;
    const expectedMs = job.pace.meanMs ?? defaultTuning.passedWorkMs / 4;
    for (const waiting of this.queued.slice(0, at)) {
      const passedMs = (this.passedMs.get(waiting) ?? 0) + expectedMs;
      this.passedMs.set(waiting, passedMs);
      this.mostPassedMs = Math.max(this.mostPassedMs, passedMs);
    }
    this.queued.splice(at, 1);
  }
}
