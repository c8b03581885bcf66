// How much work each task of a trace was: the time for which it kept a slot × the speed of the worker. Speeds follow
// from run times alone, as what comes before a run is no work.

import { estimateSpeeds, median, type RunTime } from './speeds.ts';
import { TraceFault } from './trace-fault.ts';
import type { RecordOf } from './trace-format.ts';
import type { Trace, TracedJob, TracedWorker } from './trace.ts';
import type { WorkerLoad } from './worker-load.ts';

export interface TracedWorks {
  readonly speeds: ReadonlyMap<number, number>;
  /** How many groups of workers cannot be compared with each other. */
  readonly groups: number;
  /**
   * By job, then by index, in seconds on a worker of speed 1: of the tasks that completed, and of those that only
   * failed, which are played as one attempt that takes as long as theirs together.
   */
  readonly known: ReadonlyMap<number, ReadonlyMap<number, number>>;
  /** What a task of the job takes that is not among them. */
  usual(job: number): number;
  /** By job, then by index: how much of a core a task asks for, see `JobPlan`; of those that completed and said it. */
  readonly cpuShares: ReadonlyMap<number, ReadonlyMap<number, number>>;
  /** That of a task of the job that is not among them. */
  usualCpuShare(job: number): number;
}

export function worksOf(
  trace: Trace,
  loads: ReadonlyMap<number, WorkerLoad>,
  name: string,
): TracedWorks {
  const completed = trace.attempts.filter(({ outcome }) => outcome === 'completed');
  if (completed.length === 0) {
    throw new TraceFault(
      `${name}: no task completed in it, so nothing is known of how long its tasks take.`,
    );
  }
  const slotSeconds = (attempt: RecordOf<'attempt'>) =>
    loads.get(attempt.worker)!.slotSeconds(attempt);
  // What went on from a checkpoint ran only a part of its task.
  const whole = completed.filter(({ run_before_ms: before }) => before === 0);
  const runTimes = (whole.length === 0 ? completed : whole).map(
    (attempt): RunTime => ({
      job: attempt.job,
      worker: attempt.worker,
      seconds: loads.get(attempt.worker)!.ownSeconds(attempt),
    }),
  );
  const { byWorker, groups } = estimateSpeeds(runTimes);
  const speeds = new Map(
    trace.workers.map((worker) => [
      worker.worker,
      byWorker.get(worker.worker) ?? speedOfAlike(worker, trace.workers, byWorker),
    ]),
  );
  const jobs = trace.jobs.map((job) => ({
    job: job.job,
    completed: completedWorks(job, speeds, slotSeconds),
    failed: failedWorks(job, speeds, slotSeconds),
  }));
  const known = new Map(
    jobs.map(({ job, completed: own, failed }) => [job, new Map([...failed, ...own])] as const),
  );
  const medians = new Map(
    jobs.flatMap(({ job, completed: own, failed }) => {
      const told = own.size > 0 ? own : failed;
      return told.size === 0 ? [] : [[job, median([...told.values()])] as const];
    }),
  );
  const ofAll = median([...medians.values()]);
  const cpuShares = new Map(trace.jobs.map((job) => [job.job, cpuSharesOf(job, loads)] as const));
  return {
    speeds,
    groups,
    known,
    usual: (job) => medians.get(job) ?? ofAll,
    cpuShares,
    usualCpuShare: (job) => {
      const shares = [...(cpuShares.get(job)?.values() ?? [])];
      return shares.length === 0 ? 1 : median(shares);
    },
  };
}

type SlotSeconds = (attempt: RecordOf<'attempt'>) => number;

/** By index. */
function completedWorks(
  { attempts }: TracedJob,
  speeds: ReadonlyMap<number, number>,
  slotSeconds: SlotSeconds,
): ReadonlyMap<number, number> {
  const works = new Map<number, number>();
  /** By index: the worker of the newest attempt that saved checkpoints. */
  const savedBy = new Map<number, number>();
  for (const attempt of attempts) {
    const { index, worker, outcome, run_before_ms: beforeMs } = attempt;
    if (outcome === 'completed') {
      const before = (beforeMs / 1000) * speeds.get(savedBy.get(index) ?? worker)!;
      works.set(index, before + slotSeconds(attempt) * speeds.get(worker)!);
    }
    if (attempt.checkpoints > 0) savedBy.set(index, worker);
  }
  return works;
}

/** By index. */
function cpuSharesOf(
  { attempts }: TracedJob,
  loads: ReadonlyMap<number, WorkerLoad>,
): ReadonlyMap<number, number> {
  const shares = new Map<number, number>();
  for (const attempt of attempts) {
    if (attempt.outcome !== 'completed') continue;
    const share = loads.get(attempt.worker)!.cpuShare(attempt);
    if (share !== null) shares.set(attempt.index, share);
  }
  return shares;
}

/** By index: what all its failed attempts took together. */
function failedWorks(
  { attempts }: TracedJob,
  speeds: ReadonlyMap<number, number>,
  slotSeconds: SlotSeconds,
): ReadonlyMap<number, number> {
  const works = new Map<number, number>();
  for (const attempt of attempts) {
    const { index, worker, outcome } = attempt;
    if (outcome !== 'failed' && outcome !== 'timed_out') continue;
    const work = slotSeconds(attempt) * speeds.get(worker)!;
    works.set(index, (works.get(index) ?? 0) + work);
  }
  return works;
}

/** Of a worker that completed nothing: the median of its kind, or 1. */
function speedOfAlike(
  { described }: TracedWorker,
  workers: readonly TracedWorker[],
  byWorker: ReadonlyMap<number, number>,
): number {
  const alike = workers.flatMap(({ worker, described: other }) => {
    const isAlike = other?.device === described?.device && other?.platform === described?.platform;
    return isAlike ? (byWorker.get(worker) ?? []) : [];
  });
  return alike.length === 0 ? 1 : median(alike);
}
