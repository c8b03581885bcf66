// Jobs that have ended are kept for as long as was asked, and not longer: exactly these events.

import { describe, expect, test } from 'vitest';
import type { JobSpec } from './records.ts';
import type { CoreSettings } from './settings.ts';
import { ScriptedCore } from './testing/scripted-core.ts';

const day = 86_400_000;

/** A core in which jobs end as soon as they are submitted. */
class EndingCore extends ScriptedCore {
  constructor(settings: Partial<CoreSettings> = {}) {
    super(settings);
    this.join('w');
  }

  end(id: string, given: Partial<JobSpec> = {}): void {
    this.submit(id, given);
    this.hear('w');
    this.complete(this.run(id, 0, 'w'));
  }

  /** Without what becomes of the worker meanwhile. */
  pass(ms: number): string[] {
    return this.waitAlive(ms, 'w').filter((line) => line.startsWith('retention'));
  }
}

describe('a job that has ended', () => {
  test('is kept for good when nobody says otherwise', () => {
    const core = new EndingCore();
    core.end('j');
    expect(core.state.retention.position).toBe(-1);
    expect(core.expireJobs()).toEqual(['retention planned for Infinity']);
  });

  test('is looked for when its time is over, and removed then', () => {
    const core = new EndingCore({ keepMs: 60_000 });
    core.at = 1000;
    core.end('j');
    expect(core.pass(59_900)).toEqual([]);
    expect(core.expireJobs()).toEqual(['retention planned for 61000']);
    expect(core.pass(100)).toEqual(['retention due']);
    expect(core.expireJobs()).toEqual(['job j expired', 'retention planned for 61050']);
    expect(core.state.jobs.has('j')).toBe(false);
    expect(core.state.counters).toMatchObject({ jobs: 0, completedJobs: 0, tasks: 0 });
    expect(core.expireJobs()).toEqual(['retention planned for Infinity']);
  });

  test('is kept for as long as it says itself, longer or shorter than the others', () => {
    const core = new EndingCore({ keepMs: 60_000 });
    core.end('short', { retainMs: 10_000 });
    core.end('usual');
    core.end('long', { retainMs: 100_000 });
    core.at = 10_000;
    expect(core.expireJobs()).toEqual(['job short expired', 'retention planned for 10050']);
    core.at = 60_000;
    expect(core.expireJobs()).toEqual(['job usual expired', 'retention planned for 60050']);
    expect(core.expireJobs()).toEqual(['retention planned for 100000']);
  });

  test('goes when there are too many, the one that ended first before the others', () => {
    const core = new EndingCore({ keepJobs: 2 });
    for (const id of ['a', 'b', 'c', 'd']) {
      core.at += 1000;
      core.end(id, { retainMs: day });
    }
    expect(core.state.retention.at).toBe(3050);
    expect(core.expireJobs()).toEqual([
      'job a expired',
      'job b expired',
      'retention planned for 4050',
    ]);
    expect(core.expireJobs()).toEqual([`retention planned for ${3000 + day}`]);
  });

  test('is not counted as one too many when its time is over anyway', () => {
    const core = new EndingCore({ keepJobs: 1 });
    core.end('old', { retainMs: day });
    core.at = 1000;
    core.end('over', { retainMs: 0 });
    expect(core.expireJobs()).toEqual(['job over expired', 'retention planned for 1050']);
  });

  test('stays when it goes on, was deleted or cleared away since it was read', () => {
    const core = new EndingCore({ keepMs: 0 });
    const { at } = core;
    core.submit('retried', { maxAttempts: 1 });
    core.fail(core.run('retried', 0, 'w'));
    core.end('deleted');
    const read = [core.job('retried'), core.job('deleted')];
    core.give({ type: 'retry_job', jobId: 'retried', at });
    core.give({ type: 'delete_job', jobId: 'deleted', at });
    expect(core.expireJobs(read)).toEqual(['retention planned for 50']);
    core.end('cleared');
    const cleared = [core.job('cleared')];
    core.give({ type: 'clear', at });
    expect(core.expireJobs(cleared)).toEqual(['retention planned for 50']);
    expect(core.expireJobs()).toEqual(['retention planned for Infinity']);
  });
});

describe('the next look for jobs', () => {
  test('comes again when nobody could look', () => {
    const core = new EndingCore({ keepMs: 5000 });
    core.end('j');
    expect(core.pass(5000)).toEqual(['retention due']);
    expect(core.pass(60_000)).toEqual(['retention due']);
  });

  test('is not forgotten for a job that ends in the batch of a look', () => {
    const core = new EndingCore({ keepMs: 5000 });
    core.end('late');
    expect(core.expireJobs([])).toEqual(['retention planned for 5000']);
  });

  test('stays where it is when the clock is set: the ends of jobs keep their stamps', () => {
    const core = new EndingCore({ keepMs: day });
    core.end('j');
    core.at += 3_600_000;
    core.give({ type: 'set_clock', byMs: 3_600_000, at: core.at });
    expect(core.state.retention.at).toBe(day);
  });
});

describe('when the clock is far ahead of what it was', () => {
  const setClock = (core: EndingCore, byMs: number) => {
    core.at += byMs;
    core.give({ type: 'set_clock', byMs, at: core.at });
  };

  test('no job is removed for its age within a day, and then those that are still old', () => {
    const core = new EndingCore({ keepMs: 7 * day });
    core.end('j');
    setClock(core, 400 * day);
    expect(core.expireJobs()).toEqual([`retention planned for ${core.at + day}`]);
    core.wait(day - 1);
    expect(core.expireJobs()).toEqual([`retention planned for ${core.at + 50}`]);
    core.wait(50);
    expect(core.expireJobs()).toContain('job j expired');
  });

  test('nothing is lost when it is set right meanwhile', () => {
    const core = new EndingCore({ keepMs: 7 * day });
    core.end('j');
    setClock(core, 400 * day);
    core.expireJobs();
    core.wait(60_000);
    setClock(core, -400 * day);
    // It was planned for the end of the hold, under the wrong clock.
    expect(core.state.retention.at).toBeLessThan(2 * day);
    core.wait(2 * day);
    expect(core.expireJobs()).toEqual([`retention planned for ${7 * day}`]);
  });

  test('jobs beyond the number that is kept go all the same', () => {
    const core = new EndingCore({ keepMs: 7 * day, keepJobs: 1 });
    core.end('a');
    core.end('b');
    setClock(core, 400 * day);
    expect(core.expireJobs()).toContain('job a expired');
  });

  test('a small step is no reason to wait', () => {
    const core = new EndingCore({ keepMs: 3_600_000 });
    core.end('j');
    setClock(core, day);
    expect(core.expireJobs()).toContain('job j expired');
  });
});

test('what has happened is counted for good, whatever is removed', () => {
  const core = new EndingCore({ keepMs: 0 });
  core.submit('failed', { maxAttempts: 1 });
  core.fail(core.run('failed', 0, 'w'));
  core.end('done', { taskCount: 1 });
  core.expireJobs();
  core.give({ type: 'clear', at: core.at });
  expect(core.state.counters).toMatchObject({ jobs: 0, tasks: 0, tasksCompleted: 0 });
  expect(core.state.totals).toMatchObject({
    jobsSubmitted: 2,
    jobsCompleted: 1,
    jobsFailed: 1,
    jobsRemoved: { deleted: 0, expired: 2, cleared: 0 },
    tasksSubmitted: 2,
    tasksCompleted: 1,
    tasksFailed: 1,
    attempts: { failed: 1, lost: 0 },
  });
});
