// Whatever is asked of the core, in whatever order, keeps the invariants and the legal moves (the
// scripted core checks both after every command), and a healthy cluster then ends every job.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isFinalJob } from './job-status.ts';
import { RandomCluster } from './testing/random-cluster.ts';
import { steps } from './testing/random-steps.ts';

test('keeps the invariants and the legal moves, and ends every job once it is healthy', () => {
  fc.assert(
    fc.property(fc.array(steps, { minLength: 30, maxLength: 150, size: 'max' }), (all) => {
      const cluster = new RandomCluster();
      for (const step of all) cluster.take(step);
      cluster.heal();
      const left = [...cluster.core.state.jobs.values()].filter((job) => !isFinalJob(job.status));
      expect(left.map((job) => job.spec.id)).toEqual([]);
    }),
    { numRuns: 200 },
  );
});
