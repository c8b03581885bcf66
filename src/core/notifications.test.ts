// Whoever is to be told of the end of a job is owed a notification with the end itself, and it is tried until
// it is delivered or given up.

import { describe, expect, test } from 'vitest';
import type { JobSpec } from './records.ts';
import type { NotifyTarget } from './notifications.ts';
import { defaultCoreSettings } from './settings.ts';
import { ScriptedCore } from './testing/scripted-core.ts';

const told = (host: string, on: NotifyTarget['on']): NotifyTarget => ({
  url: `https://${host}/`,
  host,
  on,
  secret: null,
});
const always = told('all.example', ['completed', 'failed', 'cancelled']);
const failures = told('failures.example', ['failed']);

function stage(given: Partial<JobSpec> = {}): ScriptedCore {
  const core = new ScriptedCore();
  core.join('w');
  core.submit('j', { notify: [failures, always], maxAttempts: 1, ...given });
  return core;
}

/** Lets the job of one task fail. */
function fail(core: ScriptedCore) {
  return core.fail(core.run('j', 0, 'w'));
}

describe('a job that ends', () => {
  test('owes a notification to each who asked for this end, after the end', () => {
    const core = stage();
    core.at = 500;
    expect(core.complete(core.run('j', 0, 'w'))).toEqual([
      'j.0 #1 completed',
      'job j finished: completed',
      'notification 1 of j to target 1 owed',
    ]);
    expect(core.notifications).toEqual([
      {
        id: 1,
        jobKey: core.state.jobs.get('j')?.spec.key,
        jobId: 'j',
        target: 1,
        host: 'all.example',
        status: 'completed',
        completed: 1,
        failed: 0,
        cancelled: 0,
        startedAt: 500,
        endedAt: 500,
        attempts: 0,
        outcome: 'due',
        nextAt: 500,
        answer: null,
        triedAt: null,
      },
    ]);
  });

  test('owes both when both asked', () => {
    const core = stage();
    expect((fail(core) as string[]).slice(-2)).toEqual([
      'notification 1 of j to target 0 owed',
      'notification 2 of j to target 1 owed',
    ]);
  });

  test('owes nothing to who asked for other ends, or when nobody asked', () => {
    const core = stage({ notify: [failures] });
    expect(core.give({ type: 'cancel_job', jobId: 'j', at: core.at })).toEqual([
      'job j cancelled',
      'job j finished: cancelled',
    ]);
    core.submit('k');
    expect(core.complete(core.run('k', 0, 'w'))).toHaveLength(2);
    expect(core.notifications).toEqual([]);
  });

  test('owes another one when it ends again, and both say what they were made for', () => {
    const core = stage({ notify: [always] });
    fail(core);
    core.give({ type: 'retry_job', jobId: 'j', at: core.at });
    core.complete(core.run('j', 0, 'w'));
    expect(core.notifications.map(({ id, status }) => [id, status])).toEqual([
      [1, 'failed'],
      [2, 'completed'],
    ]);
  });
});

describe('a notification that was tried', () => {
  function owed() {
    const core = stage({ notify: [always] });
    core.complete(core.run('j', 0, 'w'));
    return core;
  }

  test('is over when it was delivered', () => {
    const core = owed();
    expect(core.tried(core.notifications[0]!, 'delivered', '204')).toEqual([
      'notification 1 of j to target 0 tried 1 times: delivered',
    ]);
    expect(core.notifications).toMatchObject([
      { outcome: 'delivered', nextAt: null, answer: '204', attempts: 1, triedAt: core.at },
    ]);
  });

  test('is given up when the receiver wants no more', () => {
    const core = owed();
    expect(core.tried(core.notifications[0]!, 'refused', '410')).toEqual([
      'notification 1 of j to target 0 tried 1 times: given_up',
    ]);
  });

  test('is tried eight times within some hours, ever less often, then it is given up', () => {
    const core = owed();
    core.chance = 0;
    const pauses: (number | null)[] = [];
    for (let attempt = 1; attempt <= 8; attempt++) {
      const [before] = core.notifications;
      core.at = before!.nextAt!;
      core.tried(before!, 'failed');
      const { nextAt, outcome } = core.notifications[0]!;
      pauses.push(nextAt === null ? null : nextAt - core.at);
      expect(outcome).toBe(attempt < 8 ? 'due' : 'given_up');
    }
    const [hour, second] = [3_600_000, 1000];
    expect(pauses).toEqual([
      10 * second,
      40 * second,
      160 * second,
      640 * second,
      2560 * second,
      2 * hour,
      2 * hour,
      null,
    ]);
  });

  test('comes again up to a quarter later, by chance', () => {
    const core = owed();
    core.chance = 0.999_999;
    core.tried(core.notifications[0]!, 'failed');
    const { notifyPauseMs } = defaultCoreSettings;
    expect(core.notifications[0]!.nextAt! - core.at).toBe(notifyPauseMs * 1.25);
  });
});
