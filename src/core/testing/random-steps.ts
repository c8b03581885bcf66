// What may happen to a cluster, as fast-check picks it: how often each, and with which numbers. A number
// picks one of those that are there when the step is taken.

import fc from 'fast-check';
import type { JobSpec } from '../records.ts';

const small = fc.nat({ max: 7 });
const which = fc.nat({ max: 1000 });

const specs: fc.Arbitrary<Partial<JobSpec>> = fc.record({
  taskCount: fc.integer({ min: 1, max: 6 }),
  priority: fc.integer({ min: -2, max: 2 }),
  maxAttempts: fc.integer({ min: 1, max: 3 }),
  maxLostAttempts: fc.integer({ min: 1, max: 3 }),
  retryDelayMs: fc.constantFrom(0, 1000),
  attemptTimeoutMs: fc.constantFrom(null, 3000),
  onTaskFailure: fc.constantFrom('continue', 'fail_job'),
  lateResults: fc.constantFrom('accept', 'reject'),
  requirements: fc.constantFrom(null, { type: ['pc'] }),
  speculation: fc.constantFrom(
    null,
    null,
    { maxCopies: 1, maxShare: 1 },
    { maxCopies: 2, maxShare: 1 },
  ),
  retainMs: fc.constantFrom(null, null, 3000),
  hold: fc.constantFrom(false, false, false, true),
});

/** What clients, workers, operators and time may do. */
export const steps = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      spec: specs,
      prioritised: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('join' as const),
      slots: fc.integer({ min: 1, max: 3 }),
      waitMs: fc.constantFrom(null, null, null, 4000),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({ do: fc.constant('assign' as const), entry: which, worker: which }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('copy' as const), held: which, worker: which }),
  },
  {
    weight: 16,
    arbitrary: fc.record({
      do: fc.constant('report' as const),
      held: which,
      kind: fc.constantFrom(
        'start',
        'progress',
        'complete',
        'fail',
        'refused',
        'released',
        'timeout',
        'checkpoint',
      ),
      lie: fc.constantFrom(null, null, null, null, 'token', 'attempt', 'worker'),
      chance: fc.constantFrom(0, 0.5, 0.99),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('hello' as const, 'heartbeat' as const),
      worker: which,
      named: fc.array(which, { maxLength: 4 }),
      state: fc.constantFrom('queued', 'running', 'finished'),
      frame: fc.nat({ max: 3 }),
      leaving: fc.boolean(),
      rest: fc.constantFrom(null, null, null, 'charging', 'hidden'),
      leaseMs: fc.constantFrom(null, null, 30_000),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(10, 10, 800, 800, 800, 4000, 6000, 16_000),
      alive: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'close',
        'drain',
        'drain soon',
        'resume',
        'leave',
        'deregister',
        'approve',
        'refuse',
        'recall',
        'hear',
        'attach',
        'deliver',
      ),
      worker: which,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('cancel', 'retry', 'delete', 'hold', 'release'),
      job: which,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('damage', 'unreadable'), held: which }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('expire' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('set clock' as const),
      byMs: fc.constantFrom(-700, 5000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('configure' as const), byPriority: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('clear' as const), really: small }) },
);

export type Step = typeof steps extends fc.Arbitrary<infer S> ? S : never;
