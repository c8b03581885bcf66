// Counters of owners: they move with those of all, and go with the last job.

import { describe, expect, test } from 'vitest';
import { adminOwner, countersOf } from './owner.ts';
import { ScriptedCore } from './testing/scripted-core.ts';

function stage(): ScriptedCore {
  const core = new ScriptedCore();
  core.submit('a', { taskCount: 2, owner: 'ann' });
  core.submit('b', { taskCount: 3, owner: 'bob' });
  core.submit('plain', { taskCount: 4 });
  core.join('w', { slots: 4 });
  return core;
}

const end = (core: ScriptedCore, jobId: string) => {
  core.give({ type: 'cancel_job', jobId, at: core.at });
  core.give({ type: 'delete_job', jobId, at: core.at });
};

describe('the counters of an owner', () => {
  test('move with its jobs alone; the admin has what the others leave', () => {
    const core = stage();
    core.complete(core.run('a', 0, 'w'));
    core.run('plain', 0, 'w');
    const { state } = core;
    const moved = { jobs: 1, pendingJobs: 0, runningJobs: 1, decisions: 1 };
    expect(countersOf(state, 'ann')).toMatchObject({ ...moved, tasks: 2, tasksCompleted: 1 });
    expect(countersOf(state, adminOwner)).toEqual({
      ...countersOf(state, 'ann'),
      tasks: 4,
      tasksCompleted: 0,
      openTasks: 4,
      storedBytes: 0,
    });
    expect(countersOf(state, 'bob')).toMatchObject({ jobs: 1, pendingJobs: 1, decisions: 0 });
    expect(countersOf(state, 'nobody')).toMatchObject({ jobs: 0, tasks: 0 });
  });

  test('have the tasks that have not ended, whatever becomes of the others', () => {
    const core = stage();
    const open = (owner: string) => countersOf(core.state, owner).openTasks;
    core.give({ type: 'hold_job', jobId: 'b', at: core.at });
    expect([open('ann'), open('bob'), open(adminOwner)]).toEqual([2, 3, 4]);
    core.complete(core.run('a', 0, 'w'));
    core.give({ type: 'cancel_job', jobId: 'b', at: core.at });
    expect([open('ann'), open('bob'), open(adminOwner)]).toEqual([1, 0, 4]);
    end(core, 'a');
    core.give({ type: 'delete_job', jobId: 'b', at: core.at });
    expect(core.state.counters.openTasks).toBe(4);
  });

  test('have what its jobs keep, until they are deleted; of the admin nothing is counted', () => {
    const core = stage();
    const stored = (owner: string) => countersOf(core.state, owner).storedBytes;
    const { spec } = core.state.jobs.get('a')!;
    const more = { ...spec, id: 'more', key: 99 };
    core.give({ type: 'submit_job', spec: more, storedBytes: 100, at: core.at });
    const result = core.run('a', 0, 'w');
    core.complete(result);
    core.complete(core.run('plain', 0, 'w'));
    const ofResult = core.state.jobs.get('a')!.storedBytes;
    expect(ofResult).toBeGreaterThan(0);
    expect([stored('ann'), stored('bob'), stored(adminOwner)]).toEqual([100 + ofResult, 0, 0]);
    end(core, 'more');
    expect(stored('ann')).toBe(ofResult);
    expect(core.state.counters.storedBytes).toBe(ofResult);
  });

  test('go with its last job: owners without jobs take no room', () => {
    const core = stage();
    core.submit('again', { taskCount: 5, owner: 'ann' });
    end(core, 'a');
    expect(countersOf(core.state, 'ann')).toMatchObject({ jobs: 1, cancelledJobs: 0, tasks: 5 });
    end(core, 'again');
    expect([...core.state.ownerCounters.keys()]).toEqual(['bob']);
    end(core, 'plain');
    expect(countersOf(core.state, adminOwner)).toMatchObject({ jobs: 0, tasks: 0 });
    core.give({ type: 'clear', at: core.at });
    expect(core.state.ownerCounters.size).toBe(0);
  });
});
