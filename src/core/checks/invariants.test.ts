// Every invariant is broken once by hand, so that none of them holds by never looking.

import { describe, expect, test } from 'vitest';
import { checkInvariants } from './invariants.ts';
import { ScriptedCore } from '../testing/scripted-core.ts';

/** Tasks 0 running, 1 assigned, 2 failed and paused, 3 given back, 4 completed, 5 fresh. */
function stage(): ScriptedCore {
  const core = new ScriptedCore();
  core.submit('j', { taskCount: 6, attemptTimeoutMs: 60_000 });
  core.submit('other', { priority: 3 });
  core.join('w', { slots: 5 });
  core.join('away');
  core.close('away');
  const held = [0, 1, 2, 3, 4].map((index) => core.assign('j', index, 'w'));
  core.start(held[0]!);
  core.fail(held[2]!);
  core.release(held[3]!, 'released');
  core.complete(held[4]!);
  return core;
}

type Damage = (core: ScriptedCore) => void;

const damages: readonly [what: string, damage: Damage, said: string][] = [
  [
    'a wrong count of a job',
    (core) => core.job('j').counts.running++,
    'job j counts 2 running, has 1',
  ],
  [
    'a lost final task',
    (core) => core.job('j').counts.completed--,
    'job j counts 0 completed, has 1',
  ],
  [
    'a status that does not fit',
    (core) => void (core.job('j').status = 'pending'),
    'its tasks say running',
  ],
  ['an open job with an end', (core) => void (core.job('j').completedAt = 1), 'ended at a time'],
  ['a cursor that went too far', (core) => core.job('j').entries[0]!.cursor++, 'has 0 fresh'],
  [
    'a queued entry not marked',
    (core) => void (core.job('j').entries[0]!.queued = false),
    'is not queued and has work',
  ],
  [
    'a task that is due twice',
    (core) => core.job('j').entries[0]!.due.push(3),
    'index 3 is due twice',
  ],
  [
    'a waiting task that is not due',
    (core) => core.job('j').entries[0]!.due.pop(),
    'has 0 due, 1 that wait',
  ],
  [
    'a wrong task that is due',
    (core) => {
      core.job('j').entries[0]!.due.pop();
      core.job('j').entries[0]!.due.push(4);
    },
    'index 4 is due and may not be assigned now',
  ],
  [
    'a second live attempt',
    (core) => (core.task('j', 0).live = [...core.task('j', 0).live, ...core.task('j', 1).live]),
    'the task has 2 live attempts',
  ],
  [
    'a live attempt of a task that ended',
    (core) => (core.task('j', 4).live = core.task('j', 1).live),
    'the task is completed with 1 live attempts',
  ],
  [
    'a start that is not known',
    (core) => void (core.task('j', 1).live[0]!.startedAt = 5),
    'is assigned, which it is not',
  ],
  [
    'an attempt that nobody has',
    (core) => core.worker('w').attempts.delete(core.task('j', 0).live[0]!),
    'does not have the attempt',
  ],
  [
    'a worker that is gone',
    (core) => core.state.workers.delete('w'),
    'worker w is gone and has the task',
  ],
  [
    'an old attempt that is live',
    (core) => core.task('j', 0).attempt++,
    'attempt 1 is live and not the newest',
  ],
  [
    'an acceptance of nothing',
    (core) => void (core.task('j', 4).accepted = null),
    'with a wrong acceptance',
  ],
  [
    'a pause without a deadline',
    (core) => core.state.deadlines.disarm(core.task('j', 2).retry!),
    'the deadline of the retry is not armed',
  ],
  [
    'a pause with another end',
    (core) => void core.task('j', 2).notBefore++,
    'armed for another moment',
  ],
  [
    'a time limit that is not armed',
    (core) => core.state.deadlines.disarm(core.task('j', 0).live[0]!.timeout!),
    'the time limit is not armed',
  ],
  [
    'a wrong count of a worker',
    (core) => core.worker('w').activeTasks++,
    'worker w counts 3, has 2',
  ],
  ['less than no work', (core) => void (core.worker('w').queuedMs = -1), 'worker w has -1 ms'],
  [
    'a wrong sum of work',
    (core) => void (core.worker('w').queuedMs = 7),
    'counts 7 ms of queued work',
  ],
  [
    'a worker that is offline and busy',
    (core) => void (core.worker('w').connection = { state: 'offline' }),
    'is offline and has attempts',
  ],
  [
    'a connection without a lease',
    (core) => core.state.deadlines.disarm(core.worker('w').lease),
    'wrong lease',
  ],
  [
    'a grace that does not end',
    (core) => core.state.deadlines.disarm(core.worker('away').grace),
    'wrong grace',
  ],
  ['a wrong total', (core) => core.state.counters.runningJobs++, '2 running jobs, in memory 1'],
  ['totals that do not add up', (core) => core.state.counters.jobs++, '3 jobs, by status 2'],
  [
    'an entry that left its lane',
    (core) => {
      const entry = core.job('j').entries[0]!;
      core.state.queue.remove(entry);
      entry.queued = true;
    },
    'job j is marked and not queued',
  ],
  [
    'a lane out of order',
    (core) => [...core.state.queue.lanes()][0]!.entries.reverse(),
    'is out of order',
  ],
  [
    'a deadline that nobody has',
    (core) =>
      void (core.task('j', 0).live[0]!.timeout = { ...core.task('j', 0).live[0]!.timeout! }),
    'a deadline (attempt_timeout) is armed and nobody has it',
  ],
  [
    'a delivery that is still waited for',
    (core) => {
      const attempt = core.task('j', 0).live[0]!;
      attempt.sequence = 1;
      attempt.delivery = { kind: 'delivery', attempt, at: 0, position: 0 };
    },
    'the time of its delivery runs',
  ],
  [
    'a deadline in the wrong place',
    (core) => void (core.worker('w').lease.at = -1),
    'the deadlines are out of order',
  ],
];

describe('the invariants', () => {
  test('hold when nothing is broken', () => {
    expect(() => checkInvariants(stage().state)).not.toThrow();
    expect(() => checkInvariants(stage().state, { deep: false })).not.toThrow();
  });

  test.each(damages)('find %s', (_, damage, said) => {
    const core = stage();
    damage(core);
    expect(() => checkInvariants(core.state)).toThrow(said);
  });

  test('tell the story of the task', () => {
    const core = stage();
    core.task('j', 0).attempt++;
    expect(() => checkInvariants(core.state)).toThrow(
      /^Bug: .*\nThe story of the task:\ntask j\.0: running/,
    );
  });
});
