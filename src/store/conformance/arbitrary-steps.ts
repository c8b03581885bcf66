// Any sequence of writes that a coordinator could make: keys are used once, rows belong to jobs of
// the present generation, and a dropped submission is never shown.

import fc from 'fast-check';
import type { JobStatus } from '../../core/records.ts';
import { workBucketMs } from '../rows.ts';
import type { StoredStatus } from '../visibility.ts';
import { startAt } from './rows.ts';

export type Step =
  | { readonly type: 'commit'; readonly rows: ArbitraryRows }
  | { readonly type: 'clear' }
  | { readonly type: 'sweep' | 'pruneWorkers'; readonly rows: number }
  /** Everything before this hour is over. */
  | { readonly type: 'keepSums'; readonly hours: number; readonly sums: number }
  | {
      readonly type: 'stage';
      readonly from: number;
      readonly inputs: readonly string[];
      readonly blobs: readonly number[];
    }
  /** A blob is one of three; `at` is in minutes. */
  | { readonly type: 'put' | 'touch'; readonly blob: number; readonly at: number }
  | { readonly type: 'collect'; readonly before: number; readonly rows: number }
  | { readonly type: 'show' | 'drop' };

export interface ArbitraryRows {
  readonly jobs: readonly ArbitraryJob[];
  readonly tasks: readonly ArbitraryTask[];
  readonly given: readonly ArbitraryGiven[];
  readonly attempts: readonly ArbitraryAttempt[];
  readonly workers: readonly ArbitraryWorker[];
  readonly recoveries: readonly ArbitraryRecovery[];
  readonly checkpoints: readonly ArbitraryCheckpoint[];
  /** Each says how many ids back the checkpoint lies. */
  readonly droppedStates: readonly number[];
  readonly references: readonly ArbitraryReference[];
  readonly keys: readonly ArbitraryKey[];
  readonly work: readonly ArbitraryWork[];
  readonly schedulerChanges: readonly ArbitraryConfig[];
  /** Slots of jobs, not used again before the next generation. */
  readonly deleted: readonly number[];
}

/** `slot` is one of a few places per generation, from which the runner makes keys. */
export type ArbitraryJob = Values<typeof job>;
export type ArbitraryTask = Values<typeof task>;
export type ArbitraryGiven = Values<typeof given>;
export type ArbitraryAttempt = Values<typeof attempt>;
export type ArbitraryWorker = Values<typeof worker>;
export type ArbitraryRecovery = Values<typeof recovery>;
export type ArbitraryCheckpoint = Values<typeof checkpoint>;
export type ArbitraryReference = Values<typeof reference>;
export type ArbitraryKey = Values<typeof key>;
export type ArbitraryWork = Values<typeof work>;
type ArbitraryConfig = Values<typeof config>;

export const hourMs = 3_600_000;
/** Work is done within three days. */
const maxHours = 60;

type Values<T> = T extends fc.Arbitrary<infer V> ? V : never;

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const slot = fc.integer({ min: 1, max: 3 });
const blob = fc.nat(2);
const index = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom(8191, 8192, 40_000));
const moment = fc.oneof(
  fc.integer({ min: startAt, max: startAt + 2 }),
  fc.double({ min: startAt, max: startAt + 9, noNaN: true }),
);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });

const job = fc.record({
  slot,
  status: fc.constantFrom<JobStatus>('pending', 'running', 'completed', 'failed', 'cancelled'),
  completed: fc.nat(9),
  cursors: fc.array(fc.nat(9), { maxLength: 3 }),
  endedAt: moment,
});

const saved = {
  checkpoints: fc.nat(2),
  resumedFrom: maybe(
    fc.record({ attempt: fc.nat(3), progress: fc.double({ min: 0, max: 1, noNaN: true }) }),
  ),
};

const firstGiven = 6;

const task = fc.record({
  slot,
  index: fc.oneof(index, fc.integer({ min: firstGiven, max: firstGiven + 9 })),
  status: fc.constantFrom<StoredStatus>('pending', 'assigned', 'completed', 'failed', 'cancelled'),
  attempt: fc.integer({ min: 2, max: 4 }),
  avoid: fc.array(text, { maxLength: 2 }),
  others: fc.array(
    fc.record({
      attempt: fc.constant(1),
      workerId: text,
      token: text,
      assignedAt: moment,
      runBeforeMs: maybe(moment),
    }),
    { maxLength: 1 },
  ),
  runBeforeMs: maybe(moment),
  notBefore: moment,
  errorMessage: maybe(text),
  account: maybe(
    fc.record({ energyJoules: maybe(fc.double({ min: 0, max: 9, noNaN: true })), ...saved }),
  ),
  result: fc.json({ maxDepth: 1 }),
});

/** Tasks in a row that workers are given for the first time, by turns. No attempt of them has ended. */
const given = fc.record({
  slot,
  from: fc.integer({ min: firstGiven, max: firstGiven + 3 }),
  count: fc.integer({ min: 1, max: 12 }),
  workers: fc.integer({ min: 1, max: 2 }),
});

const attempt = fc.record({
  slot,
  index,
  attempt: fc.integer({ min: 1, max: 2 }),
  worker: slot,
  token: maybe(text),
  outcome: fc.constantFrom('failed' as const, 'lost' as const, 'revoked' as const),
  account: maybe(fc.record({ runMs: moment, ...saved })),
  endedAt: moment,
});

const worker = fc.record({
  slot,
  name: maybe(text),
  labels: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), text, {
    maxKeys: 2,
    noNullPrototype: true,
  }),
  deregisteredAt: maybe(moment),
  mayReturn: fc.boolean(),
  awaySince: maybe(moment),
  quarantine: maybe(fc.record({ until: moment, pauseMs: fc.nat(9) })),
  busyMs: fc.double({ min: 0, max: 1e9, noNaN: true }),
});

const recovery = fc.record({
  slot,
  id: fc.integer({ min: 1, max: 6 }),
  outcome: fc.constantFrom('requeued', 'resumed', 'restarted', 'adopted', 'failed'),
  resumedAt: maybe(moment),
  workSavedSeconds: fc.double({ min: 0, max: 9, noNaN: true }),
});

/** A state of two kinds, a blob, or none. */
const checkpoint = fc.record({
  slot,
  index,
  state: maybe(
    fc.oneof(
      fc.record({ encoding: fc.constant('json' as const), text }),
      fc.record({ encoding: fc.constant('gzip' as const), bytes: fc.uint8Array({ maxLength: 5 }) }),
      fc.record({ encoding: fc.constant('blob' as const), blob }),
    ),
  ),
  runMs: fc.double({ min: 0, max: 9, noNaN: true }),
});

const reference = fc.record({ slot, blob });

const key = fc.record({ slot, name: fc.constantFrom('a', 'b') });

const work = fc.record({
  slot,
  worker: slot,
  bucketAt: fc
    .record({ hours: fc.oneof(fc.constant(0), fc.nat(maxHours)), bucket: fc.nat(2) })
    .map(({ hours, bucket }) => startAt + hours * hourMs + bucket * workBucketMs),
  completed: fc.nat(9),
  failed: fc.nat(9),
  completedMs: fc.double({ min: 0, max: 9, noNaN: true }),
  busyMs: fc.double({ min: 0, max: 9, noNaN: true }),
  energyJoules: fc.double({ min: 0, max: 1e6, noNaN: true }),
  wastedMs: fc.double({ min: 0, max: 9, noNaN: true }),
});

const config = fc.record({
  algorithm: fc.constantFrom('fifo' as const, 'edas' as const),
  weighting: fc.constantFrom('manual' as const, 'entropy' as const),
  weights: fc.record({ cpu: fc.nat(9) }),
  updatedAt: moment,
  by: maybe(text),
});

const some = { maxLength: 4 };

const keepSums = fc.record({
  type: fc.constant('keepSums' as const),
  hours: fc.nat(maxHours + 24),
  sums: fc.nat(9),
});

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant('commit' as const),
        rows: fc.record({
          jobs: fc.array(job, some),
          tasks: fc.array(task, { maxLength: 8 }),
          given: fc.array(given, { maxLength: 2 }),
          attempts: fc.array(attempt, some),
          workers: fc.array(worker, some),
          recoveries: fc.array(recovery, some),
          checkpoints: fc.array(checkpoint, some),
          droppedStates: fc.array(fc.nat(5), { maxLength: 2 }),
          references: fc.array(reference, { maxLength: 2 }),
          keys: fc.array(key, { maxLength: 2 }),
          work: fc.array(work, some),
          schedulerChanges: fc.array(config, { maxLength: 2 }),
          deleted: fc.oneof(
            { weight: 3, arbitrary: fc.constant([]) },
            { weight: 1, arbitrary: fc.array(slot, { maxLength: 1 }) },
          ),
        }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('clear' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({ type: fc.constant('sweep' as const), rows: fc.nat(6) }),
    },
    { weight: 3, arbitrary: keepSums },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('pruneWorkers' as const),
        rows: fc.integer({ min: 1, max: 3 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('stage' as const),
        from: fc.nat(3),
        inputs: fc.array(fc.json({ maxDepth: 0 }), { maxLength: 3 }),
        blobs: fc.array(blob, { maxLength: 2 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ type: fc.constantFrom('show' as const, 'drop' as const) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constantFrom('put' as const, 'touch' as const),
        blob,
        at: fc.nat(4),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('collect' as const),
        before: fc.nat(5),
        rows: fc.integer({ min: 1, max: 3 }),
      }),
    },
  ),
  { maxLength: 16 },
);
