// The jobs of a simulation and their right results: every result can be computed from its input.

import type { CoreSettings } from '../core/settings.ts';
import type { Submission, SubmissionInputs } from '../coordinator/port/jobs.ts';
import type { Prng } from './prng.ts';

/**
 * Inputs from this number on are tasks of large jobs: they are slow, so that few of them are
 * computed.
 */
const slowFrom = 1_000_000;
const slowMs = 1000;

/** The behaviour of a task, which is its input. A plain number is a task of a range job. */
export interface Behaviour {
  readonly id: number;
  readonly runMs: number;
  /** Attempts up to this number fail. */
  readonly failures: number;
  /** Number of steps of equal length, with a checkpoint after each but the last. */
  readonly steps: number;
}

export function behaviourOf(inputJson: string): Behaviour {
  const input = JSON.parse(inputJson) as number | Behaviour;
  if (typeof input !== 'number') return input;
  return { id: input, runMs: input < slowFrom ? 0.02 : slowMs, failures: 0, steps: 1 };
}

/** The value that a task has computed after `step` steps; each step needs the value of the one before. */
export function chainAt(id: number, step: number): number {
  let chain = id;
  for (let i = 1; i <= step; i++) chain = advance(chain, i);
  return chain;
}

/** Computes one step. If a step is left out or done twice, the result is another one. */
export function advance(chain: number, step: number): number {
  return (Math.imul(chain, 31) + step) >>> 0;
}

/** The result of an undisturbed run from the first step to the last. */
export function resultOf(inputJson: string): string {
  const { id, steps } = behaviourOf(inputJson);
  return resultAfter(id, chainAt(id, steps));
}

export function resultAfter(id: number, chain: number): string {
  return JSON.stringify({ square: id ** 2, chain });
}

/** What a checkpoint of a simulated task holds. */
export interface SavedState {
  readonly id: number;
  /** The attempt that saved it. */
  readonly attempt: number;
  /** Number of steps that are computed. */
  readonly step: number;
  readonly chain: number;
}

/** Number of different programs, more than a device keeps. */
const programs = 6;

export interface PlannedJob {
  readonly submission: Submission;
  readonly inputs: SubmissionInputs;
}

const largeTaskCount = 100_000;

/** How long jobs are kept after their end in one world, and workers that are away. */
export type Keeping = Pick<CoreSettings, 'keepMs' | 'keepJobs' | 'keepAwayMs'> & {
  /** Times that a job may ask for itself; null: it does not. */
  readonly ownMs: readonly (number | null)[];
};

/** In most worlds for good: results are looked at to the end. */
export function drawKeeping(prng: Prng): Keeping {
  const keepAwayMs = prng.chance(0.2) ? prng.pick([2000, 20_000]) : null;
  if (prng.chance(0.7)) return { keepMs: null, keepJobs: null, ownMs: [null], keepAwayMs };
  return {
    keepAwayMs,
    keepMs: prng.pick([null, 500, 5000, 40_000]),
    keepJobs: prng.pick([null, null, 2, 10]),
    ownMs: [null, null, 1000, 20_000],
  };
}

export function drawJob(prng: Prng, keeping: Keeping): PlannedJob {
  const count = prng.integer(1, prng.pick([3, 20, 60]));
  const submission = drawSubmission(prng, count, keeping);
  if (prng.chance(0.3)) return { submission, inputs: { type: 'range', start: 5, count } };
  return { submission, inputs: { type: 'list', inputs: drawInputs(prng, count) } };
}

/** A job that ends soon. */
export function drawSmallJob(prng: Prng, keeping: Keeping): PlannedJob {
  const count = prng.integer(1, 2);
  return {
    submission: drawSubmission(prng, count, keeping),
    inputs: { type: 'range', start: 5, count },
  };
}

export function drawLargeJob(prng: Prng, keeping: Keeping): PlannedJob {
  const count = largeTaskCount;
  const submission = { ...drawSubmission(prng, count, keeping), taskPriorities: null };
  return { submission, inputs: { type: 'range', start: slowFrom, count } };
}

function drawSubmission(prng: Prng, count: number, keeping: Keeping): Submission {
  const onTaskFailure = prng.chance(0.15) ? 'fail_job' : 'continue';
  return {
    name: null,
    clientId: 'simulation',
    priority: prng.integer(-2, 2),
    // Some jobs have the same program.
    program: { kind: 'javascript', source: `export default (n) => n // ${count % programs}` },
    taskPriorities: prng.chance(0.3)
      ? Int16Array.from({ length: count }, () => prng.integer(-2, 2))
      : null,
    maxAttempts: prng.integer(1, 4),
    maxLostAttempts: prng.pick([1, 1, 2, 5, 20]),
    retryDelayMs: prng.pick([0, 10, 1000]),
    attemptTimeoutMs: prng.pick([null, null, 500, 60_000]),
    progressTimeoutMs: prng.pick([null, null, 300, 2000]),
    onTaskFailure,
    keepOutput: 'on_failure',
    liveOutput: false,
    memoryMb: 512,
    lateResults: prng.chance(0.8) ? 'accept' : 'reject',
    requirements: prng.chance(0.15) ? { labels: { room: prng.pick(['a', 'b']) } } : null,
    checkpointIntervalMs: prng.pick([null, 100]),
    retainMs: prng.pick(keeping.ownMs),
    hold: prng.chance(0.05),
    notify: null,
    speculation: prng.chance(0.3)
      ? { maxCopies: prng.integer(1, 2), maxShare: prng.pick([0.1, 1]) }
      : null,
  };
}

function drawInputs(prng: Prng, count: number): string[] {
  const longest = prng.pick([1, 50, 1000, 5000, 30_000]);
  const failing = prng.chance(0.4) ? 0.2 : 0;
  const saving = prng.chance(0.5) ? 0.5 : 0;
  return Array.from({ length: count }, (_, id) =>
    JSON.stringify({
      id,
      runMs: prng.spread(0.01, longest),
      failures: prng.chance(failing) ? prng.integer(1, 5) : 0,
      steps: prng.chance(saving) ? prng.integer(2, 6) : 1,
    }),
  );
}

/** The input text of a task as the coordinator must hand it out. */
export function inputAt(inputs: SubmissionInputs, index: number): string {
  return inputs.type === 'range' ? String(inputs.start + index) : inputs.inputs[index]!;
}
