// All attempts that are over and that the store has, to be worked with elsewhere: job by job, newest job first, in a
// job by index and number. Nothing is held but a page of each; what ends or is removed meanwhile may be in it or not.

import { defaultSchedulerConfig, type State } from '../../core/state.ts';
import { taskId } from '../../core/task-key.ts';
import type { SchedulerConfig } from '../../core/snapshot.ts';
import type { ExportedAttempt } from '../../protocol/exported-attempts.ts';
import type { Reading } from '../../store/reading.ts';
import type { JobRow } from '../../store/rows.ts';
import { mostSchedulerChanges } from '../../store/rows.ts';
import { isoTime } from '../iso-time.ts';
import type { ExportAsked } from '../port/reads.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';
import { type EndedRow, endedRows } from './ended-rows.ts';

export interface AttemptExportOptions {
  readonly state: Pick<State, 'config'>;
  readonly store: Reading;
  readonly loop: Pick<WriterLoop, 'settled'>;
}

const jobsPerRead = 100;
/** Jobs may be many and small: their rows are gathered, but for a few milliseconds only. */
const rowsPerChunk = 128;
const readsPerChunk = 16;

export class AttemptExport {
  readonly #options: AttemptExportOptions;

  constructor(options: AttemptExportOptions) {
    this.#options = options;
  }

  /** Undefined: no such job. A chunk is what a few short reads gave; it may be empty. */
  async find(
    asked: ExportAsked,
  ): Promise<AsyncGenerator<readonly ExportedAttempt[], void, void> | undefined> {
    const { loop, store } = this.#options;
    await loop.settled();
    const { jobId, owner } = asked;
    if (jobId === undefined) return this.#chunks(asked, this.#jobs(asked));
    const job = await store.findJobHead(jobId);
    if (job === undefined || (owner !== undefined && job.spec.owner !== owner)) return undefined;
    return this.#chunks(asked, [[job]]);
  }

  async *#jobs({ owner }: ExportAsked): AsyncGenerator<readonly JobRow[]> {
    const { store } = this.#options;
    const filter = owner === undefined ? {} : { owner };
    let before: number | null = null;
    for (;;) {
      const jobs: readonly JobRow[] = await store.listJobs(filter, before, jobsPerRead);
      yield jobs;
      if (jobs.length < jobsPerRead) return;
      before = jobs.at(-1)!.spec.key;
    }
  }

  async *#chunks(
    asked: ExportAsked,
    jobs: AsyncIterable<readonly JobRow[]> | Iterable<readonly JobRow[]>,
  ): AsyncGenerator<readonly ExportedAttempt[], void, void> {
    const { store } = this.#options;
    const known = { algorithms: await this.#algorithms(), names: await this.#names() };
    let chunk: ExportedAttempt[] = [];
    let reads = 0;
    for await (const page of jobs) {
      for (const job of page) {
        if (!mayHave(job, asked)) continue;
        const rows = new JobRows(job, known);
        for await (const ended of endedRows(store, job.spec.key)) {
          for (const row of rows.take(ended, asked)) chunk.push(row);
          if (chunk.length < rowsPerChunk && ++reads < readsPerChunk) continue;
          yield chunk;
          chunk = [];
          reads = 0;
        }
      }
      // Jobs of which nothing is wanted take time too.
      yield chunk;
      chunk = [];
      reads = 0;
    }
  }

  async #algorithms(): Promise<Algorithms> {
    const changes = await this.#options.store.listSchedulerChanges(mostSchedulerChanges);
    return new Algorithms(changes, this.#options.state.config);
  }

  /** Of registered workers, and of removed ones that are not forgotten. */
  async #names(): Promise<ReadonlyMap<string, string | null>> {
    const { store } = this.#options;
    const names = new Map<string, string | null>();
    for (const list of [store.listDepartedWorkers(null), store.listRegisteredWorkers()]) {
      for await (const rows of list) {
        for (const { id, givenName, name } of rows) names.set(id, givenName ?? name);
      }
    }
    return names;
  }
}

/** Which algorithm was in force when. */
class Algorithms {
  /** Newest first. */
  readonly #changes: readonly SchedulerConfig[];
  /** Before all of them. */
  readonly #first: SchedulerConfig['algorithm'] | null;

  constructor(changes: readonly SchedulerConfig[], config: SchedulerConfig) {
    this.#changes = changes;
    const oldest = changes.at(-1);
    // Those that an older version has set do not tell who it was, and what was before them is not kept.
    const isWhole = changes.length < mostSchedulerChanges && oldest?.by !== undefined;
    const atFirst = isWhole ? defaultSchedulerConfig.algorithm : null;
    this.#first = oldest === undefined ? config.algorithm : atFirst;
  }

  at(moment: number): string | null {
    let from = 0;
    let to = this.#changes.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#changes[middle]!.updatedAt <= moment) to = middle;
      else from = middle + 1;
    }
    return this.#changes[from]?.algorithm ?? this.#first;
  }
}

interface Known {
  readonly algorithms: Algorithms;
  readonly names: ReadonlyMap<string, string | null>;
}

/** Makes rows of an export from the rows of a job, which come in order. */
class JobRows {
  readonly #job: JobRow;
  readonly #known: Known;
  #index = -1;
  /** When the last attempt before ended, of the task with that index; null: it has none before. */
  #endedBefore: number | null = null;

  constructor(job: JobRow, known: Known) {
    this.#job = job;
    this.#known = known;
  }

  take(rows: readonly EndedRow[], asked: ExportAsked): readonly ExportedAttempt[] {
    const taken: ExportedAttempt[] = [];
    for (const row of rows) {
      // It goes on under the same number, as if it had not been given out.
      if (row.ended?.outcome === 'withdrawn') continue;
      const facts = factsOf(row);
      if (row.index !== this.#index) this.#endedBefore = null;
      if (isAsked(facts, asked)) taken.push(this.#exported(row, facts));
      this.#index = row.index;
      this.#endedBefore = Math.max(this.#endedBefore ?? -Infinity, facts.endedAt);
    }
    return taken;
  }

  #exported({ index, attempt, accepted, ended }: EndedRow, facts: Facts): ExportedAttempt {
    const { spec } = this.#job;
    const { algorithms, names } = this.#known;
    const { workerId, assignedAt, startedAt, endedAt, runMs } = facts;
    const account = accepted?.account ?? null;
    // Of an attempt that was late, the row of its end has the rest.
    const began = ended === null ? account : ended.account;
    return {
      job_id: spec.id,
      job_name: spec.name,
      task_id: taskId(spec.id, index),
      index,
      attempt,
      count: ended?.count ?? 1,
      worker_id: workerId,
      worker_name: names.get(workerId) ?? null,
      algorithm: algorithms.at(assignedAt),
      submitted_at: isoTime(spec.createdAt),
      assigned_at: isoTime(assignedAt),
      started_at: startedAt === null ? null : isoTime(startedAt),
      ended_at: isoTime(endedAt),
      waited_seconds: this.#waitedSeconds(facts),
      ran_seconds: runMs === null ? null : runMs / 1000,
      outcome: accepted === null ? outcomeOf(ended!) : 'completed',
      given_up_as: accepted === null || ended === null ? null : (ended.outcome as GivenUp),
      error_type: accepted === null ? ended!.errorType : null,
      checkpoints: began?.checkpoints ?? null,
      resumed_from_attempt: began?.resumedFrom?.attempt ?? null,
      resumed_from_progress: began?.resumedFrom?.progress ?? null,
      energy_joules: account?.energyJoules ?? null,
    };
  }

  #waitedSeconds({ assignedAt, startedAt }: Facts): number | null {
    const from = this.#endedBefore ?? this.#job.spec.createdAt;
    // A copy is assigned before the original has ended.
    if (startedAt === null || from > assignedAt) return null;
    return Math.max(0, startedAt - from) / 1000;
  }
}

type GivenUp = NonNullable<ExportedAttempt['given_up_as']>;

interface Facts {
  readonly workerId: string;
  readonly assignedAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number;
  readonly runMs: number | null;
}

function factsOf({ accepted, ended }: EndedRow): Facts {
  if (accepted !== null) {
    const { workerId, startedAt, completedAt, runMs } = accepted;
    const endedAt = completedAt ?? startedAt ?? 0;
    const began = ended?.startedAt ?? startedAt ?? endedAt - (runMs ?? 0);
    const assignedAt = ended?.assignedAt ?? Math.min(accepted.assignedAt ?? began, endedAt);
    return { workerId: workerId ?? '', assignedAt, startedAt: began, endedAt, runMs };
  }
  const { workerId, assignedAt, endedAt, account } = ended!;
  const told = account?.runMs ?? 0;
  // One that was short may say that it had begun only with its end.
  const startedAt = ended!.startedAt ?? (told > 0 ? endedAt - told : null);
  const runMs = startedAt === null ? null : (account?.runMs ?? endedAt - startedAt);
  return { workerId, assignedAt, startedAt, endedAt, runMs };
}

function outcomeOf({ outcome }: { readonly outcome: string }): ExportedAttempt['outcome'] {
  return outcome as ExportedAttempt['outcome'];
}

function isAsked(
  { workerId: its, assignedAt, endedAt }: Facts,
  { workerId, since, until }: ExportAsked,
): boolean {
  if (workerId !== undefined && its !== workerId) return false;
  if (since !== undefined && endedAt < since) return false;
  return until === undefined || assignedAt < until;
}

/** Whether any attempt of the job can be among those that are asked for. */
function mayHave({ spec, completedAt }: JobRow, { since, until }: ExportAsked): boolean {
  if (until !== undefined && spec.createdAt >= until) return false;
  return since === undefined || completedAt === null || completedAt >= since;
}
