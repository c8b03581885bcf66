// Reads about single tasks: details, attempts, checkpoints, recovery events, and why a task is where it is.

import type { JobRecord, TaskRecord } from '../../core/records.ts';
import type { State } from '../../core/state.ts';
import type { DecisionExplanation, TaskExplanation } from '../../protocol/explanations.ts';
import type {
  AttemptEntry,
  CheckpointRecord as CheckpointResource,
  RecoveryEvent,
  TaskDetail,
} from '../../protocol/resources.ts';
import type { Program } from '../../protocol/program.ts';
import type { CheckpointRow, RecoveryRow } from '../../store/rows.ts';
import type { Reading } from '../../store/reading.ts';
import type { TaskReadPort } from '../port/reads.ts';
import { counted } from '../../protocol/wording.ts';
import { explainDecision } from '../decisions/decision-explanation.ts';
import type { DecisionLog } from '../decisions/decision-log.ts';
import { mismatch } from '../decisions/hindrances.ts';
import type { TaskGrounds } from '../decisions/ineligible.ts';
import { readInputs, toldInput } from '../workers/inputs.ts';
import { checkpointResource } from '../workers/resume-points.ts';
import { restoreJob } from '../writer/restore.ts';
import { taskStory, taskSummary } from './task-story.ts';
import { isoTime } from '../iso-time.ts';
import { shownProgram } from '../program-text.ts';
import { recoveryEvent, taskDetail } from './task-views.ts';
import { explainWaiting } from './waiting.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';

export interface TaskReadOptions {
  readonly state: State;
  readonly store: Reading;
  readonly loop: Pick<WriterLoop, 'settled'>;
  readonly log: Pick<DecisionLog, 'find' | 'limitBytes' | 'size'>;
  readonly now: () => number;
  readonly startedAt: number;
}

interface Found {
  readonly job: JobRecord;
  readonly detail: TaskDetail;
}

/** A task that changes while its rows are read is read again, so that they fit; at most so often. */
const mostReads = 5;
/** Recovery events per chunk. */
const chunkRows = 1000;
/** Checkpoints of one task that are shown; the list of its job has the others. */
const shownCheckpoints = 1000;

export class TaskReads implements TaskReadPort {
  private readonly options: TaskReadOptions;

  constructor(options: TaskReadOptions) {
    this.options = options;
  }

  async findTask(
    jobId: string,
    index: number,
  ): Promise<TaskDetail | 'unknown_job' | 'unknown_task'> {
    const found = await this.find(jobId, index);
    if (typeof found === 'string') return found;
    const { job, detail } = found;
    const inputs = await readInputs(this.options.store, job.spec, [index]);
    return { ...detail, ...toldInput(inputs.get(index)) };
  }

  async explainTask(
    jobId: string,
    index: number,
    attempt?: number,
    tellsAll = true,
  ): Promise<TaskExplanation | 'unknown_job' | 'unknown_task'> {
    const found = await this.find(jobId, index);
    if (typeof found === 'string') return found;
    const { job, detail } = found;
    const { state, now } = this.options;
    const at = now();
    const isPending = detail.status === 'pending';
    const waiting = isPending ? explainWaiting(state, job, index, at, tellsAll) : null;
    const wanted = attempt ?? detail.attempt;
    const { decision, note } = this.decisionOf(job, detail, wanted);
    const { key: jobKey } = job.spec;
    const losses = await this.options.store.listRecoveries(null, chunkRows, { jobKey });
    const around = {
      submittedAt: isoTime(job.spec.createdAt),
      clientId: job.spec.clientId,
      nameOf: (workerId: string) => state.workers.get(workerId)?.name ?? null,
      recoveries: losses.filter((row) => row.index === index).map(recoveryEvent),
      now: at,
    };
    return {
      job_id: job.spec.id,
      job_name: job.spec.name,
      task_id: detail.id,
      index,
      status: detail.status,
      attempt: detail.attempt,
      summary: taskSummary(detail, waiting, decision, around),
      waiting,
      decision,
      decision_note: note,
      story: taskStory(detail, around),
    };
  }

  /** The decision that placed an attempt, or why it cannot be shown. */
  private decisionOf(
    job: JobRecord,
    { job_id, index, attempt: newest, attempts }: TaskDetail,
    wanted: number,
  ): { readonly decision: DecisionExplanation | null; readonly note: string | null } {
    const { log, startedAt } = this.options;
    const without = (note: string) => ({ decision: null, note });
    if (newest === 0) return without('The task was not given to a worker yet.');
    if (wanted > newest) {
      return without(`The task has had no attempt ${wanted}; its newest is ${newest}.`);
    }
    const logged = log.find(job_id, index, wanted);
    if (logged !== undefined) {
      return { decision: explainDecision(logged, this.groundsOf(job, attempts)), note: null };
    }
    const assignedAt = attempts.find(({ attempt }) => attempt === wanted)?.assigned_at ?? null;
    const start = isoTime(startedAt);
    if (assignedAt !== null && Date.parse(assignedAt) < startedAt) {
      return without(
        `Attempt ${wanted} was placed before the coordinator was started at ${start}; ` +
          'decisions are kept in memory only.',
      );
    }
    if (log.limitBytes === 0) return without('This coordinator keeps no decisions of the past.');
    const limit = `${Math.round(log.limitBytes / 1024 / 1024)} MiB`;
    return without(
      `The decision that placed attempt ${wanted} is no longer kept: the newest ` +
        `${counted(log.size, 'decision')} ${log.size === 1 ? 'is' : 'are'}, in at most ${limit} of memory.`,
    );
  }

  /** A task that is over is not in memory, but its attempts tell who refused it. */
  private groundsOf(job: JobRecord, attempts: TaskDetail['attempts']): TaskGrounds {
    const { programKind, requirements } = job.spec;
    return {
      mismatchOf: (workerId) => {
        const worker = this.options.state.workers.get(workerId);
        return worker === undefined ? [] : [...mismatch(worker, programKind, requirements)];
      },
      hasRefused: (workerId) =>
        attempts.some((each) => each.worker_id === workerId && each.status === 'refused') &&
        !attempts.some((each) => each.worker_id === workerId && isFailedOrLost(each)),
    };
  }

  private async find(
    jobId: string,
    index: number,
  ): Promise<Found | 'unknown_job' | 'unknown_task'> {
    const { state, store, loop } = this.options;
    for (let reads = 1; ; reads++) {
      await loop.settled();
      const before = imprint(state.jobs.get(jobId)?.tasks.get(index));
      const job = state.jobs.get(jobId) ?? (await this.storedJob(jobId));
      if (job === undefined) return 'unknown_job';
      if (!Number.isInteger(index) || index < 0 || index >= job.spec.taskCount) {
        return 'unknown_task';
      }
      const row = await store.findTask(job.spec.key, index);
      const ended = await store.listAttempts(job.spec.key, index);
      const traces = await store.listTraces(job.spec.key, index);
      const saved = await store.listCheckpoints(job.spec.key, null, shownCheckpoints, index);
      // Commits go on while rows are read: memory must not show a batch that is not committed.
      await loop.settled();
      const live = state.jobs.get(jobId)?.tasks.get(index);
      if (imprint(live) !== before && reads < mostReads) continue;
      return { job, detail: taskDetail(job, index, { row, ended, traces, saved }, live) };
    }
  }

  async findProgram(jobId: string): Promise<string | Program | undefined> {
    const { state, store, loop } = this.options;
    await loop.settled();
    const job = state.jobs.get(jobId) ?? (await this.storedJob(jobId));
    const program = job && (await store.findProgram(job.spec.key));
    return program && shownProgram(program);
  }

  async findOutput(
    jobId: string,
    index: number,
    attempt?: number,
  ): Promise<{ readonly text: string } | 'unknown_job' | 'unknown_task' | 'no_output'> {
    const { state, store, loop } = this.options;
    await loop.settled();
    const job = state.jobs.get(jobId) ?? (await this.storedJob(jobId));
    if (job === undefined) return 'unknown_job';
    const { key, taskCount } = job.spec;
    if (!Number.isInteger(index) || index < 0 || index >= taskCount) return 'unknown_task';
    const traces = await store.listTraces(key, index);
    const newest = traces.findLast(({ hasOutput }) => hasOutput)?.attempt;
    const wanted = attempt ?? newest;
    const text = wanted === undefined ? null : await store.readOutput(key, index, wanted);
    return text === null ? 'no_output' : { text };
  }

  async *recoveryEvents(owner?: string): AsyncGenerator<readonly RecoveryEvent[]> {
    const { store, loop } = this.options;
    const asked = owner === undefined ? {} : { owner };
    let before: number | null = null;
    for (;;) {
      await loop.settled();
      const rows: readonly RecoveryRow[] = await store.listRecoveries(before, chunkRows, asked);
      if (rows.length > 0) yield rows.map(recoveryEvent);
      if (rows.length < chunkRows) return;
      before = rows.at(-1)!.id;
    }
  }

  /** Checkpoints of a job, oldest first, in chunks; undefined when there is no such job. */
  async findCheckpoints(
    jobId: string,
  ): Promise<AsyncGenerator<readonly CheckpointResource[]> | undefined> {
    const { state, loop } = this.options;
    await loop.settled();
    const job = state.jobs.get(jobId) ?? (await this.storedJob(jobId));
    return job === undefined ? undefined : this.checkpointsOf(job.spec.key);
  }

  private async *checkpointsOf(jobKey: number): AsyncGenerator<readonly CheckpointResource[]> {
    const { store, loop } = this.options;
    let after: number | null = null;
    for (;;) {
      await loop.settled();
      const rows: readonly CheckpointRow[] = await store.listCheckpoints(jobKey, after, chunkRows);
      if (rows.length > 0) yield rows.map(checkpointResource);
      if (rows.length < chunkRows) return;
      after = rows.at(-1)!.id;
    }
  }

  private async storedJob(jobId: string): Promise<JobRecord | undefined> {
    const row = await this.options.store.findJob(jobId);
    return row === undefined ? undefined : restoreJob(row);
  }
}

function isFailedOrLost({ status }: AttemptEntry): boolean {
  return status === 'failed' || status === 'timed_out' || status === 'lost';
}

/** The part of a task that rows and memory both have: compared to see whether it has changed. */
function imprint(task: TaskRecord | undefined): string {
  if (task === undefined) return '';
  const isLive = task.live.length > 0;
  return `${isLive ? 'live' : task.status} ${task.attempt} ${task.live.length}`;
}
