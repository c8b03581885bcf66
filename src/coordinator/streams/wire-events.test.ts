// Events are told after the commit, when more may have happened to what they are about.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Executed } from '../../core/execute.ts';
import { RandomCluster } from '../../core/testing/random-cluster.ts';
import { steps } from '../../core/testing/random-steps.ts';
import { type Said, ScriptedCore } from '../../core/testing/scripted-core.ts';
import { wireEvent } from './wire-events.ts';

/** Keeps what would be told of each event at once. */
class HeardCore extends ScriptedCore {
  readonly heard: string[] = [];

  override told(executed: Executed): Said {
    for (const event of executed.events) this.heard.push(JSON.stringify(wireEvent(event) ?? null));
    return super.told(executed);
  }
}

test('whatever happens after an event, the same is told of it', () => {
  fc.assert(
    fc.property(fc.array(steps, { minLength: 30, maxLength: 100, size: 'max' }), (all) => {
      const core = new HeardCore({ quarantineAfterBlames: 1 });
      const cluster = new RandomCluster(core);
      for (const step of all) cluster.take(step);
      cluster.heal();
      const toldLater = core.events.map((event) => JSON.stringify(wireEvent(event) ?? null));
      expect(toldLater).toEqual(core.heard);
    }),
    { numRuns: 40 },
  );
});
