// Readers of the results of a job: stored ones in index order, and for a reader that follows the job those
// that come, in the order of their commits. Nothing here holds more than a chunk, nor makes one early.

import { assignedEnd } from '../../core/entries.ts';
import { isFinalJob } from '../../core/job-status.ts';
import type { JobSpec } from '../../core/records.ts';
import type { State } from '../../core/state.ts';
import type { JobDetail, JobSummary } from '../../protocol/resources.ts';
import { type IndexRange, IndexSet } from '../../protocol/index-set.ts';
import type { DamagedTask, JobRow, TaskRow } from '../../store/rows.ts';
import type { Reading } from '../../store/reading.ts';
import type { Follower, Followers } from '../streams/followers.ts';
import type { FollowAsked } from '../port/jobs.ts';
import type { Pace, ResultsAsked } from '../port/reads.ts';
import { JobRemoved } from './job-removed.ts';
import * as views from './views.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';

/** Most in a chunk of stored results; a larger result is a chunk of its own. */
const chunkBytes = 64 * 1024;
/** The same of new ones, which are in memory: a reader that gets too little in its turn falls behind, and is read for. */
const newBytes = 256 * 1024;
/** A job with no more tasks is short. */
const fewTasks = 16;
const chunkRows = 500;

export interface ResultReadOptions {
  readonly state: State;
  readonly store: Reading;
  readonly loop: Pick<WriterLoop, 'settled'>;
  readonly followers: Followers;
  /** Resolves after other work had a turn of the event loop. */
  readonly turn: () => Promise<void>;
}

type Head = Omit<JobDetail, 'tasks'>;

interface Scan {
  readonly jobId: string;
  readonly jobKey: number;
  readonly count: number;
  /** Results from this index on are not looked for: nothing is stored there, or the reader is given it by its queue. */
  readonly until: number;
  isJobFinal: boolean;
  /** When the job ended, in ms; null for a follower, which is told of a retry. */
  endedAt: number | null;
  /** Results that the reader has: they are left out, and those that it is given are added. */
  readonly had: IndexSet;
  /** Collects the tasks that are told as cancelled without an attempt; null when nobody needs them. */
  readonly neverAssigned: IndexSet | null;
  readonly pace: Pace;
  /** True when what was read may no longer be so, because tasks run again. */
  readonly isStale: () => boolean;
}

/** How a follower is told. */
interface Telling {
  readonly signal: AbortSignal | undefined;
  readonly pace: Pace;
  readonly onLast: (() => void) | undefined;
  /** Nothing of the job could end before the follower was there. */
  readonly isNew: boolean;
  readonly endsWithJob: boolean;
}

/** How far a scan has come; it holds rows only while the tasks before them are told. */
interface ScanPosition {
  next: number;
  readonly rows: (TaskRow | DamagedTask)[];
  isEnd: boolean;
}

export class ResultReads {
  private readonly options: ResultReadOptions;

  constructor(options: ResultReadOptions) {
    this.options = options;
  }

  open(
    head: Head,
    jobKey: number,
    { follow, have = [], signal, pace = this.aTurnEach, onLast }: ResultsAsked,
  ): AsyncGenerator<string[]> {
    const { id: jobId, task_count: count, status } = head;
    const isJobFinal = isFinalJob(status);
    const had = indexSetOf(have, count);
    if (follow) return this.follow(head, jobKey, pace, had, { signal, onLast });
    const endedAt = head.completed_at === null ? null : Date.parse(head.completed_at);
    const plain = { endedAt, neverAssigned: null, isStale: () => false };
    return this.scan({ jobId, jobKey, count, until: count, isJobFinal, had, pace, ...plain });
  }

  /** Gives other work a turn: a reader as fast as the disk would hold it up until its end. */
  private readonly aTurnEach: Pace = async (make) => {
    await this.options.turn();
    return make();
  };

  /** Results in index order. */
  private async *scan(scan: Scan): AsyncGenerator<string[]> {
    const position: ScanPosition = { next: 0, rows: [], isEnd: false };
    while (!position.isEnd && !scan.isStale()) {
      const texts = await scan.pace(() => this.read(scan, position));
      if (texts.length > 0) yield texts;
    }
  }

  /** The next chunk; moves the position behind it. */
  private async read(scan: Scan, position: ScanPosition): Promise<string[]> {
    const { store, loop } = this.options;
    const { jobId, jobKey, count, had } = scan;
    await loop.settled();
    if (position.rows.length === 0) {
      position.next = had.nextMissing(position.next);
      const most = Math.min(chunkRows, scan.until - position.next);
      const rows =
        most <= 0 ? [] : await store.listResults(jobKey, position.next, most, chunkBytes);
      for (const row of rows) if (row.index < scan.until) position.rows.push(row);
    }
    const isLast = position.rows.length === 0;
    const texts: string[] = [];
    // Between the rows of a final job lie tasks that were cancelled before any attempt.
    const hasGaps = scan.isJobFinal;
    if (hasGaps) {
      // A retry may be committed while rows are read; it is known here once its batch is over.
      await loop.settled();
      if (scan.isStale()) return texts;
      const end = await this.findEnd(scan);
      if (end === 'none') throw new JobRemoved(jobId);
      if (end === 'another') {
        position.rows.length = 0;
        return texts;
      }
    }
    if (scan.isStale()) return texts;
    let at = 0;
    while (texts.length < chunkRows) {
      const row = position.rows[at];
      const gapEnd = hasGaps && (isLast || row !== undefined) ? (row?.index ?? count) : 0;
      position.next = had.nextMissing(position.next);
      if (position.next < gapEnd) {
        texts.push(views.cancelledResultText(jobId, position.next));
        had.add(position.next);
        scan.neverAssigned?.add(position.next);
        position.next++;
        continue;
      }
      position.isEnd = isLast;
      if (row === undefined) break;
      at++;
      position.next = Math.max(position.next, row.index + 1);
      if (had.add(row.index)) texts.push(views.resultText(jobId, row));
    }
    position.rows.splice(0, at);
    return texts;
  }

  /**
   * Whether the job still has the end that it had: after a retry it has `another`, and what was read is no
   * longer so. A job that was removed has `none`.
   */
  private async findEnd(scan: Scan): Promise<'same' | 'another' | 'none'> {
    const { state, store } = this.options;
    const open = state.jobs.get(scan.jobId);
    if (open !== undefined) {
      if (isFinalJob(open.status) || scan.endedAt === null) return 'same';
      scan.isJobFinal = false;
      return 'another';
    }
    const head = await store.findJobHead(scan.jobId);
    if (head === undefined) return 'none';
    if (scan.endedAt === null) return 'same';
    // Memory would know of it, where there is one: it is another coordinator that has retried it.
    if (head.completedAt === null) {
      scan.isJobFinal = false;
      return 'another';
    }
    // The time in the head of the answer has whole milliseconds.
    if (Math.abs(head.completedAt - scan.endedAt) <= 1) return 'same';
    scan.endedAt = head.completedAt;
    return 'another';
  }

  /**
   * Of a job that is being submitted, to its last line: `{job}` with its summary. Call it right after the
   * commit, before anybody is told of it. `isNew`: the job came with this commit, so there is nothing to scan.
   */
  join(
    { spec }: Pick<JobRow, 'spec'>,
    isNew: boolean,
    { signal, pace = this.aTurnEach, onLast }: FollowAsked,
  ): AsyncGenerator<string[]> {
    const { followers } = this.options;
    const follower = followers.open(spec.id, new IndexSet());
    follower.needsScan = !isNew;
    const close = () => followers.close(follower);
    // The lines may never be asked for.
    signal.addEventListener('abort', close, { once: true });
    if (signal.aborted) close();
    return this.told(follower, spec, { signal, pace, onLast, isNew, endsWithJob: true });
  }

  private async *follow(
    { id, task_count: taskCount }: Head,
    key: number,
    pace: Pace,
    had: IndexSet,
    { signal, onLast }: Pick<Telling, 'signal' | 'onLast'>,
  ): AsyncGenerator<string[]> {
    // Opened by the first read, so that a reader that left before it needs no clean-up.
    const follower = this.options.followers.open(id, had);
    const how = { signal, pace, onLast, isNew: false, endsWithJob: false };
    yield* this.told(follower, { id, key, taskCount }, how);
  }

  private async *told(
    follower: Follower,
    { id: jobId, key: jobKey, taskCount: count }: Pick<JobSpec, 'id' | 'key' | 'taskCount'>,
    { signal, pace, onLast, isNew, endsWithJob }: Telling,
  ): AsyncGenerator<string[]> {
    const { followers, loop } = this.options;
    const { had } = follower;
    // Of a short job, what is stored and the first that comes do not wait for turns behind the pieces of long ones.
    const ownPace = count <= fewTasks ? afterFirst(2, pace) : pace;
    try {
      if (!isNew) await this.lookForEnd(follower);
      for (;;) {
        if (signal?.aborted === true) return;
        if (follower.needsScan) {
          follower.needsScan = false;
          const { isJobFinal, retries, neverAssigned } = follower;
          const isStale = () => follower.retries !== retries;
          const until = isJobFinal ? count : this.assignedEndOf(jobId, count);
          const reader = { had, pace: ownPace };
          const watched = { endedAt: null, neverAssigned, isStale };
          try {
            yield* this.scan({ jobId, jobKey, count, until, isJobFinal, ...reader, ...watched });
          } catch (error) {
            // Who follows a job asks for it at every end of the stream.
            if (error instanceof JobRemoved) return;
            throw error;
          }
          continue;
        }
        if (follower.hasQueue) {
          const texts = await ownPace(() => Promise.resolve(follower.takePiece(newBytes)));
          // Who is not told of the last chunk may be told more behind it: of a job that was retried meanwhile.
          const isTold = endsWithJob ? follower.ending !== undefined : onLast !== undefined;
          const isLast = isTold && isOver(follower);
          if (isLast) {
            if (endsWithJob) texts.push(endText(views.finishedSummary(follower.ending!)));
            onLast?.();
          }
          if (texts.length > 0) yield texts;
          if (isLast) return;
          continue;
        }
        if (follower.isJobFinal) {
          if (!endsWithJob) return;
          const end = await this.endOf(follower);
          if (end === 'open') continue;
          if (end === 'removed') return;
          onLast?.();
          yield [endText(end)];
          return;
        }
        await follower.news(signal);
        await loop.settled();
      }
    } finally {
      followers.close(follower);
    }
  }

  /** Of a job that is over, as far as the follower knows: it may be open, if it has been retried meanwhile. */
  private async endOf(follower: Follower): Promise<JobSummary | 'open' | 'removed'> {
    if (follower.ending !== undefined) return views.finishedSummary(follower.ending);
    const { state, store, loop } = this.options;
    const { jobId } = follower;
    await loop.settled();
    const isOpen = () => !isFinalJob(state.jobs.get(jobId)?.status ?? 'completed');
    if (isOpen()) {
      follower.isJobFinal = false;
      follower.rescan();
      return 'open';
    }
    const row = await store.findJobHead(jobId);
    if (!isOver(follower)) return 'open';
    if (row === undefined) return 'removed';
    return views.jobSummary(row);
  }

  /**
   * Where a follower's look at what is stored ends. What is assigned from now on comes to its queue: a scan that went
   * on would run after a job that is as fast as the disk, and read for a second time all that it completes.
   */
  private assignedEndOf(jobId: string, count: number): number {
    const job = this.options.state.jobs.get(jobId);
    return job === undefined ? count : assignedEnd(job);
  }

  /** The job may have ended before the follower was there to be told. */
  private async lookForEnd(follower: Follower): Promise<void> {
    const { state, loop } = this.options;
    await loop.settled();
    const open = state.jobs.get(follower.jobId);
    if (open === undefined || isFinalJob(open.status)) follower.end(true);
  }
}

/** Makes so many pieces at once, and those after them in their turn. */
function afterFirst(count: number, pace: Pace): Pace {
  let made = 0;
  return (make) => (made++ < count ? make() : pace(make));
}

/** Everything was given, and nothing more will come. */
function isOver(follower: Follower): boolean {
  return follower.isJobFinal && !follower.needsScan && !follower.hasQueue;
}

function endText(job: JobSummary): string {
  return JSON.stringify({ job });
}

function indexSetOf(ranges: readonly IndexRange[], count: number): IndexSet {
  const set = new IndexSet();
  for (const { first, last } of ranges) set.addRange({ first, last: Math.min(last, count - 1) });
  return set;
}
