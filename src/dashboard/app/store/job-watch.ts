// One job that is looked at: its head, and a second stream that tells when its tasks change. What shows them reads
// them again then, and never while nothing happens.

import { batch, effect, type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { events, type EventType } from '../../../client/events.ts';
import { type JobHead, withCounters } from './cluster.ts';
import { sight } from './page-sight.ts';
import type { Counters } from './counters.ts';
import { codeOf, endpoint, pathOfJob, read } from './endpoint.ts';
import { pausedAtMs } from './freshness.ts';
import { tokenShown } from './session.ts';
import { generation, overhear } from './stream.ts';
import { isTurnOver, nextTurn } from './turns.ts';

export interface JobWatch {
  /** Null until it was read. */
  readonly head: ReadonlySignal<JobHead | null>;
  /** Why it cannot be shown. */
  readonly error: ReadonlySignal<unknown>;
  /** It was removed while it was looked at. */
  readonly isGone: ReadonlySignal<boolean>;
  /** Grows when its tasks have changed. */
  readonly changes: ReadonlySignal<number>;
  readonly again: () => void;
}

const jobTypes = [
  'counters',
  'job_cancelled',
  'job_held',
  'job_released',
  'job_abandoned',
  'job_retried',
  'job_finished',
  'job_deleted',
] as const;
const taskTypes = [
  'task_assigned',
  'attempt_started',
  'attempt_ended',
  'checkpoint_saved',
  'task_requeued',
  'task_completed',
  'task_failed',
] as const;

/** Of larger jobs there are too many events: the counters tell that something changed. */
const mostFollowed = 100_000;
const changesEveryMs = 1_000;
const changesOfManyEveryMs = 2_000;
const againMs = 2_000;
const longestAgainMs = 30_000;

interface WatchOptions {
  /** Only changes of this task count, and its progress is followed, too. */
  readonly task?: number;
}

export function useJobWatch(jobId: string, { task }: WatchOptions = {}): JobWatch {
  const watch = useMemo(() => new Watch(jobId, task), [jobId, task]);
  const reads = generation.value;
  useEffect(() => {
    watch.start();
    return () => watch.end();
  }, [watch]);
  useEffect(() => {
    if (reads > 0) watch.again();
  }, [watch, reads]);
  return watch;
}

class Watch implements JobWatch {
  readonly head = signal<JobHead | null>(null);
  readonly error = signal<unknown>(null);
  readonly isGone = signal(false);
  readonly changes = signal(0);
  readonly #jobId: string;
  readonly #task: number | undefined;
  #end = new AbortController();
  #latest: JobHead | null = null;
  #readsBegun = 0;
  #newestRead = 0;
  #hasChanged = false;
  /** The first counters of a stream tell whether the job has ended before it was followed. */
  #isFollowedOpen = false;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #unfollow = (): void => {};
  #unhear = (): void => {};

  constructor(jobId: string, task: number | undefined) {
    this.#jobId = jobId;
    this.#task = task;
  }

  start(): void {
    this.#end = new AbortController();
    this.#unfollow = effect(() => {
      if (pausedAtMs.value === null) queueMicrotask(() => this.#show());
    });
    this.#unhear = overhear((event) => {
      // The second stream may be more than the quota or the browser allows.
      const isMissed = !this.#isFollowedOpen && 'job_id' in event && event.job_id === this.#jobId;
      if (isMissed) this.#hear(event);
    });
    document.addEventListener('visibilitychange', this.#seen);
    void this.#run();
  }

  end(): void {
    document.removeEventListener('visibilitychange', this.#seen);
    this.#unfollow();
    this.#unhear();
    this.#end.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  readonly again = (): void => void this.#readHead();

  /** A page that was opened behind others is drawn when it is seen. */
  readonly #seen = (): void => this.#show();

  async #run(): Promise<void> {
    await this.#readHead();
    // A job that is not there does not come.
    let pauseMs = againMs;
    while (!this.#end.signal.aborted && codeOf(this.error.value) !== 'unknown_job') {
      const hasHeard = this.#latest !== null && (await this.#follow());
      pauseMs = hasHeard ? againMs : Math.min(2 * pauseMs, longestAgainMs);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      await tokenShown();
      await sight.seen();
      if (!this.#end.signal.aborted) await this.#readHead();
    }
  }

  async #readHead(): Promise<void> {
    const turn = ++this.#readsBegun;
    try {
      const { signal: ended } = this.#end;
      const head = await read<JobHead>(pathOfJob(this.#jobId), { tasks: false }, ended);
      // What was asked for later has come before it.
      if (turn < this.#newestRead) return;
      this.#newestRead = turn;
      this.#latest = head;
      this.error.value = null;
      this.#noteChange();
      this.#show();
    } catch (error) {
      // What was read before stays: the page says that it is old.
      if (!this.#end.signal.aborted) this.error.value = error;
    }
  }

  /** Returns whether anything came before it ended. */
  async #follow(): Promise<boolean> {
    let hasHeard = false;
    this.#isFollowedOpen = false;
    const isFollowed = this.#latest!.task_count <= mostFollowed;
    const ofTask = this.#task === undefined ? [] : ['attempt_progressed'];
    const types = [...jobTypes, ...(isFollowed ? taskTypes : []), ...ofTask];
    try {
      const all = events(endpoint, {
        jobId: this.#jobId,
        types: types as readonly EventType[],
        signal: eitherOf(this.#end.signal, sight.signal),
        patienceMs: Number.POSITIVE_INFINITY,
      });
      for await (const event of all) {
        if (this.#end.signal.aborted) break;
        hasHeard = true;
        this.#hear(event);
        if (isTurnOver()) await nextTurn();
      }
    } catch {
      // The main stream tells of a coordinator that does not answer; this one begins anew by itself.
    }
    return hasHeard;
  }

  #hear(event: { readonly type: string }): void {
    if (event.type === 'counters') return this.#hearCounters(event as unknown as Counters);
    if (event.type === 'job_deleted') {
      this.isGone.value = true;
      this.#end.abort();
    } else if ('index' in event) {
      if (this.#task === undefined || event.index === this.#task) this.#noteChange();
    } else void this.#readHead();
  }

  #hearCounters({ open_jobs: [told] }: Counters): void {
    const isFirst = !this.#isFollowedOpen;
    this.#isFollowedOpen = true;
    if (this.#latest === null) return;
    if (told === undefined || told.job_id !== this.#jobId) {
      if (isFirst && this.#latest.completed_at === null) void this.#readHead();
      return;
    }
    const before = JSON.stringify(this.#latest.counts);
    this.#latest = withCounters(this.#latest, told);
    if (JSON.stringify(told.counts) !== before && this.#task === undefined) this.#noteChange();
    this.#show();
  }

  /** Told at most once a second, after the first of several. */
  #noteChange(): void {
    this.#hasChanged = true;
    const isLarge = (this.#latest?.task_count ?? 0) > mostFollowed;
    this.#timer ??= setTimeout(
      () => {
        this.#timer = null;
        this.#show();
      },
      isLarge ? changesOfManyEveryMs : changesEveryMs,
    );
  }

  #show(): void {
    // What is opened while the page is held is shown once.
    const isHeld = pausedAtMs.value !== null || document.hidden;
    if (isHeld && this.head.value !== null) return;
    batch(() => {
      this.head.value = this.#latest;
      if (!this.#hasChanged || this.#timer !== null) return;
      this.#hasChanged = false;
      this.changes.value++;
    });
  }
}

/** As `AbortSignal.any`, which phones of a few years ago do not have. */
function eitherOf(one: AbortSignal, other: AbortSignal): AbortSignal {
  const either = new AbortController();
  for (const each of [one, other]) {
    if (each.aborted) either.abort();
    else each.addEventListener('abort', () => either.abort(), { signal: either.signal });
  }
  return either.signal;
}
