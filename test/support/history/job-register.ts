// A job as clients see it, one thing asked after the other. Its key is the idempotency key of its submission: the id is
// known only once somebody was answered. What the cluster does by itself (tasks that complete and fail) lies between
// any two calls, so the state is what is known for certain: a lower bound while the job is open, all of it afterwards.
//
// It holds for jobs whose tasks are few (their results come in one piece) and whose failures end nothing
// (`on_task_failure: continue`), while nobody clears the database.

import type { JobStatus, TaskCounts } from '../../../src/protocol/resources.ts';
import type { Model } from './search.ts';

export type Settled = 'completed' | 'failed' | 'cancelled';
export type Refused = 'not_found' | 'job_is_final' | 'job_not_final' | 'nothing_to_retry';

export interface SeenResult {
  readonly index: number;
  readonly status: Settled;
  /** JSON text; null unless it completed. */
  readonly value: string | null;
}

/** What was asked of the job `id`, with the answer; `answer` is null where nobody knows it. */
export type JobOperation =
  | {
      readonly type: 'submit';
      readonly answer: { readonly id: string; readonly status: JobStatus } | null;
    }
  | {
      readonly type: 'read';
      readonly id: string;
      readonly answer: { readonly status: JobStatus; readonly counts: TaskCounts } | 'not_found';
    }
  | {
      readonly type: 'results';
      readonly id: string;
      readonly answer: readonly SeenResult[] | 'not_found';
      /** Lines of a stream that may have broken off: each was there by the end of the call, not more. */
      readonly isPart: boolean;
    }
  | {
      readonly type: 'cancel' | 'retry';
      readonly id: string;
      readonly answer: JobStatus | Refused | null;
    }
  | { readonly type: 'delete'; readonly id: string; readonly answer: 'deleted' | Refused | null };

export interface JobState {
  /** `open`: pending or running, which follow one another in both orders; `ended`: completed or failed. */
  readonly status: 'absent' | 'open' | 'ended' | Settled;
  /** Null: it was submitted, and nobody was told its id yet. */
  readonly id: string | null;
  /** Ids that are not of this job, or not any more. */
  readonly others: readonly string[];
  /** Exactly so many if `isExact`, else at least so many. */
  readonly completed: number;
  readonly failed: number;
  readonly isExact: boolean;
  /** Values by index, of tasks that were seen to be completed: they never change. */
  readonly values: Readonly<Record<number, string>>;
}

const nothing: JobState = {
  status: 'absent',
  id: null,
  others: [],
  completed: 0,
  failed: 0,
  isExact: false,
  values: {},
};

/** The register of a job of so many tasks. */
export function jobRegister(tasks: number): Model<JobState, JobOperation> {
  return {
    initial: nothing,
    step: (state, operation) => step(state, operation, tasks),
    effect: (state, { type }) => effectOf(state, type),
  };
}

function step(state: JobState, operation: JobOperation, tasks: number): JobState | undefined {
  const { type, answer } = operation;
  if (type === 'submit') {
    if (answer === null) return undefined;
    const there = state.status === 'absent' ? effectOf(state, 'submit')! : state;
    const named = asNamed(there, answer.id);
    return named && sawStatus(named, answer.status);
  }
  if (answer === 'not_found') return asAbsent(state, operation.id);
  const named = state.status === 'absent' ? undefined : asNamed(state, operation.id);
  if (named === undefined || answer === null) return undefined;
  switch (type) {
    case 'read':
      return sawCounts(named, answer, tasks);
    case 'results':
      return sawResults(named, answer, operation.isPart, tasks);
    case 'cancel':
      return answer === 'job_is_final' ? asEnded(named) : sawAfter(named, type, answer);
    case 'retry':
      return answer === 'nothing_to_retry' ? asUnfailed(named) : sawAfter(named, type, answer);
    case 'delete':
      if (answer === 'job_not_final') return named.status === 'open' ? named : undefined;
      return answer === 'deleted' ? effectOf(named, 'delete') : undefined;
  }
}

/** What it does when it is done; undefined where it is refused. */
function effectOf(state: JobState, type: JobOperation['type']): JobState | undefined {
  const { status, id, others } = state;
  switch (type) {
    case 'submit':
      return status === 'absent' ? { ...nothing, status: 'open', others } : undefined;
    case 'cancel':
      return status === 'open' ? { ...state, status: 'cancelled', isExact: false } : undefined;
    case 'retry': {
      const isRefused =
        status === 'absent' || status === 'completed' || (state.isExact && state.failed === 0);
      return isRefused ? undefined : { ...state, status: 'open', failed: 0, isExact: false };
    }
    case 'delete':
      if (status === 'absent') return undefined;
      return { ...nothing, others: id === null ? others : [...others, id].toSorted() };
    case 'read':
    case 'results':
      return undefined;
  }
}

function asNamed(state: JobState, id: string): JobState | undefined {
  if (state.id !== null) return state.id === id ? state : undefined;
  return state.others.includes(id) ? undefined : { ...state, id };
}

function asAbsent(state: JobState, id: string): JobState | undefined {
  if (state.id === id) return undefined;
  const { others } = state;
  return others.includes(id) ? state : { ...state, others: [...others, id].toSorted() };
}

/** The answer of a change tells how the job stands then. */
function sawAfter(
  state: JobState,
  type: 'cancel' | 'retry',
  answer: JobStatus | Refused,
): JobState | undefined {
  const after = effectOf(state, type);
  if (after === undefined) return undefined;
  switch (answer) {
    case 'not_found':
    case 'job_is_final':
    case 'job_not_final':
    case 'nothing_to_retry':
      return undefined;
    default:
      return sawStatus(after, answer);
  }
}

function asEnded(state: JobState): JobState | undefined {
  return state.status === 'open' ? { ...state, status: 'ended' } : state;
}

function asUnfailed(state: JobState): JobState | undefined {
  if (state.failed > 0 || state.status === 'failed') return undefined;
  return state.status === 'ended' ? { ...state, status: 'completed' } : state;
}

/** Nothing cancels a job but somebody who does, and nothing opens it again but a retry. */
function sawStatus(state: JobState, seen: JobStatus): JobState | undefined {
  const status = seen === 'pending' || seen === 'running' ? 'open' : seen;
  if (status === state.status) return state;
  const isReached =
    (state.status === 'open' || state.status === 'ended') &&
    (status === 'failed' || (status === 'completed' && state.failed === 0));
  return isReached ? { ...state, status } : undefined;
}

function sawCounts(
  before: JobState,
  { status, counts }: { readonly status: JobStatus; readonly counts: TaskCounts },
  tasks: number,
): JobState | undefined {
  const state = sawStatus(before, status);
  const { pending, assigned, running, completed, failed, cancelled } = counts;
  const open = pending + assigned + running;
  if (state === undefined || open + completed + failed + cancelled !== tasks) return undefined;
  const isOpen = state.status === 'open';
  if (isOpen !== open > 0 || (cancelled > 0 && status !== 'cancelled')) return undefined;
  if (status === 'completed' && completed !== tasks) return undefined;
  if (status === 'failed' && failed === 0) return undefined;
  return counted(state, completed, failed, !isOpen);
}

function counted(
  state: JobState,
  completed: number,
  failed: number,
  isExact: boolean,
): JobState | undefined {
  if (completed < state.completed || failed < state.failed) return undefined;
  const hasChanged = completed !== state.completed || failed !== state.failed;
  if (state.isExact && hasChanged) return undefined;
  return { ...state, completed, failed, isExact: isExact || state.isExact };
}

function sawResults(
  state: JobState,
  lines: readonly SeenResult[],
  isPart: boolean,
  tasks: number,
): JobState | undefined {
  const values: Record<number, string> = { ...state.values };
  const told = new Map<number, Settled>();
  const found = { completed: 0, failed: 0, cancelled: 0 };
  for (const { index, status, value } of lines) {
    // A task that is retried meanwhile has a second line, in a stream only, and none once it has completed.
    const mayFollow = isPart && told.get(index) !== 'completed';
    if (index >= tasks || (told.has(index) && !mayFollow)) return undefined;
    told.set(index, status);
    found[status]++;
    if (status === 'completed') {
      if (value === null || (values[index] ?? value) !== value) return undefined;
      values[index] = value;
    } else if (!isPart && values[index] !== undefined) return undefined;
  }
  const known = Object.keys(values).length;
  if (isPart) {
    return counted({ ...state, values }, Math.max(known, state.completed), state.failed, false);
  }
  // A read of all tells at least what is known, and nothing but what was cancelled is told as cancelled.
  if (known !== found.completed) return undefined;
  if (found.cancelled > 0 && state.status !== 'cancelled') return undefined;
  const seen = lines.length === tasks ? sawAll(state, found) : state;
  return (
    seen && counted({ ...seen, values }, found.completed, found.failed, lines.length === tasks)
  );
}

function sawAll(state: JobState, { failed }: { readonly failed: number }): JobState | undefined {
  if (state.status === 'cancelled') return state;
  return sawStatus(state, failed > 0 ? 'failed' : 'completed');
}
