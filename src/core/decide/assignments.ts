// A placement becomes an assignment only here: what a scheduler proposed is checked once more.

import type { AssignTask } from '../commands.ts';
import { isFailure } from '../blame.ts';
import type { SpeculateTask } from '../commands.ts';
import { isAvailable, mayTakeCopy } from '../eligibility.ts';
import { isFinalJob } from '../job-status.ts';
import { expectedTaskMs, mayTakeOneMore } from '../prefetch.ts';
import { entryOf, freshIndex, nextIndex } from '../entries.ts';
import type {
  AttemptRecord,
  EntryRecord,
  JobRecord,
  TaskRecord,
  WorkerRecord,
} from '../records.ts';
import { findPause } from '../refusals.ts';
import { reject } from '../rejection.ts';
import type { State } from '../state.ts';
import type { Decision } from './decision.ts';

export function decideAssign(state: State, command: AssignTask): Decision {
  const { index } = command;
  const job = state.jobs.get(command.jobId);
  const worker = state.workers.get(command.workerId);
  if (job === undefined || worker === undefined || isFinalJob(job.status)) {
    return reject('placement_refused', 'The job or the worker is gone.');
  }
  if (job.heldAt !== null) return reject('placement_refused', 'The job is held.');
  const entry = entryOf(job, index);
  if (entry === undefined || !mayBeNext(entry, index)) {
    return reject('placement_refused', 'The task is not the next of its entry.');
  }
  if (!isAvailable(worker) || !mayTakeOneMore(state, worker, entry, command.at)) {
    return reject('placement_refused', 'The worker takes nothing more.');
  }
  if (findPause(job, worker, command.at) !== undefined) {
    return reject('placement_refused', 'The worker did not take tasks of the job, and pauses.');
  }
  return assigned(job, worker, command);
}

/** Only the first task of an entry, unless that one has failed: then it may wait for another worker. */
function mayBeNext(entry: EntryRecord, index: number): boolean {
  if (index === nextIndex(entry)) return true;
  if (index !== freshIndex(entry) && !entry.due.has(index)) return false;
  const first = entry.job.tasks.get(nextIndex(entry));
  return first !== undefined && hasFailed(first);
}

function hasFailed({ past }: TaskRecord): boolean {
  return past.some(({ outcome }) => isFailure(outcome));
}

/** Another attempt beside one that runs: whichever brings the result first wins. */
export function decideSpeculate(state: State, command: SpeculateTask): Decision {
  const { index } = command;
  const job = state.jobs.get(command.jobId);
  const worker = state.workers.get(command.workerId);
  const task = job?.tasks.get(index);
  if (job === undefined || worker === undefined || task === undefined) {
    return reject('placement_refused', 'The job, the task or the worker is gone.');
  }
  if (job.heldAt !== null) return reject('placement_refused', 'The job is held.');
  if (!mayTakeCopy(worker, task, command.at)) {
    return reject('placement_refused', 'The worker takes no copy.');
  }
  const { speculation } = job.spec;
  const copies = task.live.length - 1;
  if (speculation === null || task.status !== 'running' || copies >= speculation.maxCopies) {
    return reject('placement_refused', 'The task runs, and gets no (further) copy there.');
  }
  return assigned(job, worker, command);
}

function assigned(
  job: JobRecord,
  worker: WorkerRecord,
  { type, index, token, at }: AssignTask | SpeculateTask,
): Decision {
  const attempt = (job.tasks.get(index)?.attempt ?? 0) + 1;
  const expectedMs = expectedTaskMs(job) ?? 0;
  const isCopy = type === 'speculate';
  return {
    events: [{ type: 'task_assigned', job, index, worker, attempt, token, expectedMs, isCopy, at }],
  };
}

/** Recalls all attempts that cannot have begun; the worker releases those that it has not begun. */
export function decideRecall(worker: WorkerRecord, at: number): Decision {
  const unstarted = [...worker.attempts].filter((attempt) => attempt.startedAt === null);
  const waiting = unstarted
    .filter((attempt) => !attempt.recalled)
    .toSorted((a, b) => b.priority - a.priority);
  // The first of them may have begun in free slots, and their `started` be on its way.
  const running = worker.activeTasks - unstarted.length;
  const kept = Math.max(0, worker.slots - running);
  return {
    events: waiting.slice(kept).map((attempt) => ({ type: 'attempt_recalled', attempt, at })),
  };
}

/** The attempt is handed out in the answer to a claim of its worker. */
export function decideDeliver(attempt: AttemptRecord, sequence: number, at: number): Decision {
  const isLive = attempt.task.live.includes(attempt);
  if (!isLive) return reject('placement_refused', 'The attempt was taken back meanwhile.');
  return { events: [{ type: 'attempt_delivered', attempt, sequence, at }] };
}
