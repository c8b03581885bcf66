import { describe, expect, test } from 'vitest';
import { story } from './story.ts';
import { StoryLog } from './story-log.ts';
import { ScriptedCore } from '../testing/scripted-core.ts';

/** Failed once, lost once, running again. */
function stage(): ScriptedCore {
  const core = new ScriptedCore();
  core.at = 1000;
  core.submit('j', { taskCount: 2 });
  core.join('w1');
  core.join('w2');
  core.wait(20);
  core.fail(core.run('j', 0, 'w1'));
  core.wait(500);
  core.run('j', 0, 'w2');
  core.close('w2');
  core.wait(10_000);
  core.assign('j', 0, 'w1');
  return core;
}

describe('the story of a task', () => {
  test('says what its record knows', () => {
    expect(story(stage().task('j', 0)).split('\n')).toEqual([
      'task j.0: assigned, attempt 3',
      '  job j: running, 2 tasks (1 assigned, 0 running, 0 completed, 0 failed, 0 cancelled)',
      '  budgets used: 1 of 3 errors, 0 of 3 time-outs, 1 of 5 losses',
      '  attempt 1 on w1: failed',
      '  attempt 2 on w2: lost',
      '  attempt 3 on w1: assigned +10.520 s, not sent, not started',
      '  rather not on w1, w2',
      '  waits for the report of w1',
    ]);
  });

  test('says everything that happened when somebody kept a log', () => {
    const core = stage();
    expect(core.log.lines('j', 0)).toEqual([
      '+0.000 s job submitted',
      '+0.020 s attempt 1 assigned to w1',
      '+0.020 s attempt 1 on w1 started',
      '+0.020 s attempt 1 on w1 failed (Error), charged as error',
      '+0.020 s requeued, may be assigned in 500 ms',
      '+0.520 s may be assigned again',
      '+0.520 s attempt 2 assigned to w2',
      '+0.520 s attempt 2 on w2 started',
      '+10.520 s attempt 2 on w2 lost (connection_lost), charged as loss',
      '+10.520 s requeued, may be assigned at once',
      '+10.520 s attempt 3 assigned to w1',
    ]);
    expect(core.story('j', 0)).toContain('  +10.520 s attempt 3 assigned to w1');
  });

  test.each([
    [
      'waits until +0.520 s for its next attempt',
      (core: ScriptedCore) => core.fail(core.run('j', 0, 'w1')),
    ],
    ['waits for a worker', (core) => core.release(core.assign('j', 0, 'w1'), 'released')],
    ['completed by attempt 1 +0.020 s', (core) => core.complete(core.run('j', 0, 'w1'))],
    [
      'failed for good +0.020 s: Error: boom',
      (core) => core.fail(core.run('j', 0, 'w1'), { retryable: false }),
    ],
    [
      'cancelled with its job +0.020 s',
      (core) => {
        core.run('j', 0, 'w1');
        core.give({ type: 'cancel_job', jobId: 'j', at: core.at });
      },
    ],
  ] satisfies [string, (core: ScriptedCore) => unknown][])('ends with: %s', (last, act) => {
    const core = new ScriptedCore();
    core.submit('j', { taskCount: 2 });
    core.join('w1');
    core.wait(20);
    act(core);
    expect(core.story('j', 0).split('\n').at(-1)?.trim()).toBe(last);
  });
});

describe('the log of stories', () => {
  test('keeps the newest lines of the newest subjects', () => {
    const core = new ScriptedCore();
    core.submit('j', { taskCount: 3, maxAttempts: 99, retryDelayMs: 0 });
    core.join('w');
    for (let attempt = 1; attempt <= 9; attempt++) core.fail(core.run('j', 0, 'w'));
    core.complete(core.run('j', 0, 'w'));
    core.complete(core.run('j', 1, 'w'));
    const log = new StoryLog({ subjects: 1, lines: 4 });
    log.feed(core.events.filter((event) => event.type !== 'task_assigned'));
    expect(log.lines('j', 0)).toEqual([]);
    expect(log.lines('j', 1)).toHaveLength(2);
    const small = new StoryLog({ subjects: 9, lines: 4 });
    small.feed(core.events);
    expect(small.lines('j', 0)).toHaveLength(4 + 1);
  });
});
