// Reads a trace as something that can be played. What cannot be played is told in a sentence.

import { createHash } from 'node:crypto';
import { basename, resolve } from 'node:path';
import type { AlgorithmId } from '../../core/snapshot.ts';
import { readGiven } from '../scenario/given-file.ts';
import type { JobPlan } from '../scenario/plan.ts';
import { mostOfRun } from '../scenario/playable-plan.ts';
import { mostTraceBytes, parseRecords, type ReadRecords } from './read-records.ts';
import type { RecordedPlan, RecordedTrace, TraceSummary } from './recorded-plan.ts';
import { assembleTrace, type Trace } from './trace.ts';
import { TraceFault } from './trace-fault.ts';
import type { RecordOf } from './trace-format.ts';
import { deviceOf, failuresOf, roundTripOf } from './traced-devices.ts';
import { jobOf } from './traced-jobs.ts';
import { type TracedWorks, worksOf } from './traced-works.ts';
import { loadOf } from './worker-load.ts';

const hourMs = 3_600_000;
/** The coordinator of the lab takes so long to make a batch durable. */
const commitMs = 1;

/** `which`: the path of a trace, from `folder`. Throws `TraceFault`. */
export function readTrace(which: string, folder: string): RecordedTrace {
  let bytes: Buffer;
  try {
    bytes = readGiven(resolve(folder, which), mostTraceBytes);
  } catch (error) {
    throw new TraceFault(`${which} ${(error as Error).message}.`);
  }
  return parseTrace(bytes, which);
}

/** `name`: the path, for messages; its last part is the name of the trace. */
export function parseTrace(bytes: Buffer, name: string): RecordedTrace {
  const read = parseRecords(bytes, name);
  const trace = assembleTrace(read);
  if (trace.jobs.length === 0)
    throw new TraceFault(`${name} holds no job: there is nothing to play.`);
  if (trace.jobs.reduce((sum, { submitted }) => sum + submitted.tasks, 0) > mostOfRun.tasks) {
    throw new TraceFault(
      `${name} has more than ${mostOfRun.tasks} tasks, which is more than a run can hold.`,
    );
  }
  const loads = new Map(
    trace.workers.map((worker) => [worker.worker, loadOf(worker, roundTripOf(worker))]),
  );
  const works = worksOf(trace, loads, name);
  const leaseMs = trace.head.lease_seconds * 1000;
  const failures = failuresOf(trace.jobs);
  const devices = trace.workers.flatMap((worker) => {
    const [load, speed] = [loads.get(worker.worker)!, works.speeds.get(worker.worker)!];
    return deviceOf(worker, { load, speed, failures, leaseMs }) ?? [];
  });
  if (devices.length === 0) throw new TraceFault(`${name} tells of no worker that was there.`);
  const jobs = trace.jobs.flatMap((job) => jobOf(job, works) ?? []).sort((a, b) => a.atMs - b.atMs);
  if (jobs.length === 0) {
    throw new TraceFault(`${name}: no task of its jobs began before they were cancelled.`);
  }
  const scheduler = schedulerOf(trace, name);
  const { weights, weighting } = scheduler;
  const plan: RecordedPlan = {
    devices,
    jobs,
    scheduler: { weights, weighting },
    heartbeatMs: trace.head.heartbeat_seconds * 1000,
    commitMs,
    mostMs: Math.max(2 * trace.endedMs, trace.endedMs + 24 * hourMs),
  };
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const origin = { file: basename(name), sha256 };
  const summary = summaryOf(trace, jobs, scheduler.algorithm, origin);
  return {
    trace: trace.head.version,
    scenario: basename(name).replace(/(\.trace)?\.ndjson$/i, ''),
    about: aboutText(summary),
    algorithm: scheduler.algorithm,
    summary,
    notes: notesOf(trace, read, works, summary),
    plan,
  };
}

/** The one in force when most attempts were assigned. */
function schedulerOf({ schedulers, attempts }: Trace, name: string): RecordOf<'scheduler'> {
  const first = schedulers[0];
  if (first === undefined) throw new TraceFault(`${name} tells of no scheduler.`);
  const counts = schedulers.map(() => 0);
  for (const { assigned_ms: at, ended_ms: endedMs } of attempts) {
    const place = schedulers.findLastIndex(({ at_ms }) => at_ms <= (at ?? endedMs));
    counts[Math.max(0, place)]!++;
  }
  return schedulers[counts.indexOf(Math.max(...counts))]!;
}

function summaryOf(
  { head, jobs: traced, attempts, endedMs }: Trace,
  jobs: readonly JobPlan[],
  algorithm: AlgorithmId,
  origin: Pick<TraceSummary, 'file' | 'sha256'>,
): TraceSummary {
  const end = traced.reduce((last, { ended }) => Math.max(last, ended?.atMs ?? Infinity), 0);
  const makespanMs = end - jobs[0]!.atMs;
  return {
    trace: head.version,
    muster: head.muster,
    began_at: head.began_at,
    recorded_seconds: endedMs / 1000,
    makespan_seconds: Number.isFinite(makespanMs) ? makespanMs / 1000 : null,
    algorithm,
    workers: new Set(attempts.map(({ worker }) => worker)).size,
    jobs: jobs.length,
    tasks: jobs.reduce((sum, { workSeconds }) => sum + workSeconds.length, 0),
    tasks_completed: attempts.filter(({ outcome }) => outcome === 'completed').length,
    attempts: attempts.length,
    ...origin,
  };
}

function aboutText(summary: TraceSummary): string {
  const { began_at, jobs, tasks, workers, algorithm } = summary;
  return (
    `Recorded from ${began_at} on: ${counted(jobs, 'job')} with ${counted(tasks, 'task')}, ` +
    `${counted(workers, 'worker')}, under ${algorithm}.`
  );
}

function notesOf(
  trace: Trace,
  { isCut }: ReadRecords,
  { groups }: TracedWorks,
  { tasks, tasks_completed: completed, algorithm }: TraceSummary,
): readonly string[] {
  const { telemetry, others } = trace.leftOut;
  const told: readonly (readonly [boolean, string])[] = [
    [
      isCut,
      'The last line of the trace is cut off and left out: its coordinator did not end in order.',
    ],
    [
      trace.end === 'cut' && !isCut,
      'The trace has no end: its coordinator did not end in order, or the disk was full.',
    ],
    [trace.end === 'full', 'The trace was closed when it was full: what came later is not in it.'],
    [
      completed < tasks,
      `${tasks - completed} of ${tasks} tasks did not complete in it: what failed takes as long as it did, what was not done the ` +
        'median of its job.',
    ],
    [
      telemetry + others > 0,
      `Not all could be written in time: ${telemetry} of telemetry and ${others} other records are missing.`,
    ],
    [
      trace.schedulers.length > 1,
      `The scheduler was configured anew in it: ${algorithm} is taken as its own, as most attempts were its.`,
    ],
    [
      groups > 1,
      `Its workers are ${groups} groups that shared no job: whether one group is faster than another cannot be told.`,
    ],
  ];
  return told.flatMap(([isSo, sentence]) => (isSo ? [sentence] : []));
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
