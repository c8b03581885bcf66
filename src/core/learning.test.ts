// What a report says of its worker is seen by the next decision.

import { expect, test } from 'vitest';
import { takeSnapshot } from './state.ts';
import { ScriptedCore } from './testing/scripted-core.ts';

function stage() {
  const core = new ScriptedCore();
  core.submit('j', { taskCount: 9, maxAttempts: 3 });
  core.join('w');
  core.join('other');
  return core;
}

test('a result and a failure are in the view of their worker at once', () => {
  const core = stage();
  core.complete(core.run('j', 0, 'w'), { runMs: 200, energyJoules: 3 });
  expect(core.worker('w').observed).toMatchObject({
    completed: 1,
    failed: 0,
    busySeconds: 0.2,
    smoothedTaskMs: 200,
    energyJoules: 3,
  });
  core.fail(core.run('j', 1, 'w'), { runMs: 100 });
  expect(core.worker('w').observed).toMatchObject({ completed: 1, failed: 1 });
  expect(core.worker('w').observed.busySeconds).toBeCloseTo(0.3, 12);
});

test('nothing else of the snapshot is made anew: not its rows, nor the views of other workers', () => {
  const core = stage();
  const before = takeSnapshot(core.state);
  const views = before.workers.map(({ observed }) => observed);
  core.complete(core.run('j', 0, 'w'));
  const after = takeSnapshot(core.state);
  expect(after.workers).toBe(before.workers);
  expect(after.version).toBeGreaterThan(before.version);
  expect(after.workers.map(({ observed }, row) => observed === views[row])).toEqual([false, true]);
});

test('what the device measured stays as it was at its heartbeat', () => {
  const core = stage();
  const measured = { ...core.worker('w').observed, cpuLoadPercent: 70 };
  core.hello('w', [], { measured });
  core.complete(core.run('j', 0, 'w'));
  expect(core.worker('w').observed).toMatchObject({ cpuLoadPercent: 70, completed: 1 });
});
