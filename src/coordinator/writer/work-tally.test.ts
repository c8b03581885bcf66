import { expect, test } from 'vitest';
import { ScriptedCore } from '../../core/testing/scripted-core.ts';
import { tallyWork } from './work-tally.ts';

test('a failed probe whose task waits again counts as a try again', () => {
  const core = new ScriptedCore({ quarantineAfterBlames: 1 });
  core.submit('j', { taskCount: 2, retryDelayMs: 0 });
  for (const worker of ['bad', 'good']) core.join(worker);
  core.fail(core.assign('j', 0, 'bad'));
  core.complete(core.assign('j', 0, 'good'));
  core.waitAlive(60_000, 'bad', 'good');
  const probe = core.assign('j', 1, 'bad');
  const before = core.events.length;
  expect(core.fail(probe)).toEqual([
    'j.1 #1 failed (Error), charged: error',
    expect.stringContaining('worker bad quarantined'),
    'j.1 requeued',
  ]);
  expect(tallyWork(core.events.slice(before), core.at, core.state.generation)).toMatchObject([
    { workerId: 'bad', failed: 1, retried: 1 },
  ]);
});
