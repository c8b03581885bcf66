// Attempts that are over, the newest of them, in columns: a hundred thousand take some eight megabytes. They lie
// in pieces; when there is too much, the oldest piece goes. A piece never changes once it is full, but for
// attempts that were given up and came back after all, so who reads it may take time.

import { endedAttemptStatuses as statuses } from '../../protocol/evaluation.ts';

/** What may be long is in a piece once; a row has a reference. */
export interface KeptJob {
  readonly id: string;
  readonly owner: string;
  /** It was removed, and so are its attempts. */
  isGone: boolean;
  /** The newest piece that has rows of it. */
  newest: number;
}

export interface OverRow {
  readonly job: Pick<KeptJob, 'id' | 'owner'>;
  readonly index: number;
  readonly attempt: number;
  readonly workerId: string;
  /** Null: it never began. */
  readonly slot: number | null;
  readonly status: OverStatus;
  readonly assignedAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number;
  readonly progress: number;
  readonly resumedFrom: { readonly attempt: number; readonly progress: number } | null;
  readonly checkpoints: number;
  readonly errorType: string | null;
}

export type OverStatus = (typeof statuses)[number];

/** Of which rows. */
export interface RowsAsked {
  readonly jobId?: string;
  readonly workerId?: string;
  readonly owner?: string;
  /** Those that ended at this time or later. */
  readonly since?: number;
  /** Those that were assigned before. */
  readonly until?: number;
}

export interface RowsFound {
  /** Newest end first. */
  readonly rows: readonly OverRow[];
  /** Those included that did not fit. */
  readonly count: number;
}

const rowsInPiece = 1_024;
/** Of a row in all columns: five words, one byte, five doubles, three references. */
const bytesOfRow = 88;
const bytesOfJob = 256;
/** Beside the characters of a text. */
const bytesOfText = 96;
const bytesOfCharacter = 2;
const defaultMostBytes = 10 * 1024 * 1024;
/** In the column of statuses: a row that another has taken the place of. */
const replaced = 255;
const none = -1;

export class AttemptRing {
  readonly #mostBytes: number;
  readonly #pieces: Piece[] = [];
  readonly #jobs = new Map<string, KeptJob>();
  #next = 0;
  #bytes = 0;
  #keptSince: number;

  /** Nothing is known from before `now`. */
  constructor(now: number, mostBytes = defaultMostBytes) {
    this.#keptSince = now;
    this.#mostBytes = mostBytes;
  }

  /** Every attempt is here that ended then or later. */
  get keptSince(): number {
    return this.#keptSince;
  }

  add(row: OverRow): void {
    let piece = this.#pieces.at(-1);
    if (piece === undefined || piece.rows === rowsInPiece) {
      piece = new Piece(this.#next++);
      this.#pieces.push(piece);
      this.#bytes += piece.bytes;
    }
    const before = piece.bytes;
    piece.add(row, this.#job(row, piece));
    this.#bytes += piece.bytes - before;
    while (this.#bytes > this.#mostBytes && this.#pieces.length > 1) this.#dropOldest();
  }

  /** Takes an attempt out, which is not over after all; undefined when it is not here. */
  take(jobId: string, index: number, attempt: number): OverRow | undefined {
    const job = this.#jobs.get(jobId);
    if (job === undefined) return undefined;
    for (let i = this.#pieces.length - 1; i >= 0; i--) {
      const row = this.#pieces[i]!.take(job, index, attempt);
      if (row !== undefined) return row;
    }
    return undefined;
  }

  forgetJob(jobId: string): void {
    const job = this.#jobs.get(jobId);
    if (job !== undefined) job.isGone = true;
  }

  clear(now: number): void {
    this.#pieces.length = 0;
    this.#jobs.clear();
    this.#bytes = 0;
    this.#keptSince = now;
  }

  /** At most `limit` of them. */
  find(asked: RowsAsked, limit: number): RowsFound {
    const rows: OverRow[] = [];
    const job = asked.jobId === undefined ? undefined : this.#jobs.get(asked.jobId);
    if (asked.jobId !== undefined && job === undefined) return { rows, count: 0 };
    let count = 0;
    for (let i = this.#pieces.length - 1; i >= 0; i--) {
      const piece = this.#pieces[i]!;
      if (piece.newestEnd < (asked.since ?? -Infinity)) continue;
      for (let at = piece.rows - 1; at >= 0; at--) {
        if (!piece.matches(at, asked, job)) continue;
        count++;
        if (rows.length < limit) rows.push(piece.row(at));
      }
    }
    return { rows, count };
  }

  #job({ job: { id, owner } }: OverRow, piece: Piece): KeptJob {
    let job = this.#jobs.get(id);
    if (job === undefined) {
      job = { id, owner, isGone: false, newest: none };
      this.#jobs.set(id, job);
    }
    if (job.newest !== piece.number) {
      job.newest = piece.number;
      piece.jobs.push(job);
      piece.bytes += bytesOfJob;
    }
    return job;
  }

  #dropOldest(): void {
    const piece = this.#pieces.shift()!;
    this.#bytes -= piece.bytes;
    this.#keptSince = Math.max(this.#keptSince, piece.newestEnd + 1);
    for (const job of piece.jobs) if (job.newest === piece.number) this.#jobs.delete(job.id);
  }
}

class Piece {
  readonly number: number;
  rows = 0;
  bytes = rowsInPiece * bytesOfRow;
  newestEnd = -Infinity;
  /** Those that this piece was the first to have, or that came here from an older one. */
  readonly jobs: KeptJob[] = [];
  readonly #texts = new Map<string, string>();
  /** Rows of attempts that may still come back. */
  readonly #late = new Map<string, number>();
  readonly #job: KeptJob[] = [];
  readonly #workerId: string[] = [];
  readonly #errorType: (string | null)[] = [];
  readonly #index = new Int32Array(rowsInPiece);
  readonly #attempt = new Int32Array(rowsInPiece);
  readonly #slot = new Int32Array(rowsInPiece);
  readonly #checkpoints = new Int32Array(rowsInPiece);
  readonly #resumedAttempt = new Int32Array(rowsInPiece);
  readonly #status = new Uint8Array(rowsInPiece);
  readonly #assignedAt = new Float64Array(rowsInPiece);
  /** NaN: it never began. */
  readonly #startedAt = new Float64Array(rowsInPiece);
  readonly #endedAt = new Float64Array(rowsInPiece);
  readonly #progress = new Float64Array(rowsInPiece);
  readonly #resumedProgress = new Float64Array(rowsInPiece);

  constructor(number: number) {
    this.number = number;
  }

  add(row: OverRow, job: KeptJob): void {
    const at = this.rows++;
    this.#job[at] = job;
    this.#workerId[at] = this.#text(row.workerId);
    this.#errorType[at] = row.errorType === null ? null : this.#text(row.errorType);
    this.#index[at] = row.index;
    this.#attempt[at] = row.attempt;
    this.#slot[at] = row.slot ?? none;
    this.#checkpoints[at] = row.checkpoints;
    this.#resumedAttempt[at] = row.resumedFrom?.attempt ?? none;
    this.#status[at] = statuses.indexOf(row.status);
    this.#assignedAt[at] = row.assignedAt;
    this.#startedAt[at] = row.startedAt ?? NaN;
    this.#endedAt[at] = row.endedAt;
    this.#progress[at] = row.progress;
    this.#resumedProgress[at] = row.resumedFrom?.progress ?? 0;
    if (row.endedAt > this.newestEnd) this.newestEnd = row.endedAt;
    if (!mayComeBack(row)) return;
    const name = nameOf(job, row.index, row.attempt);
    this.#late.set(name, at);
    this.bytes += bytesOfText + name.length * bytesOfCharacter;
  }

  take(job: KeptJob, index: number, attempt: number): OverRow | undefined {
    const name = nameOf(job, index, attempt);
    const at = this.#late.get(name);
    if (at === undefined) return undefined;
    const row = this.row(at);
    this.#late.delete(name);
    this.#status[at] = replaced;
    return row;
  }

  matches(at: number, { owner, workerId, since, until }: RowsAsked, job?: KeptJob): boolean {
    const its = this.#job[at]!;
    if (its.isGone || this.#status[at] === replaced) return false;
    if (job !== undefined && its !== job) return false;
    if (owner !== undefined && its.owner !== owner) return false;
    if (workerId !== undefined && this.#workerId[at] !== workerId) return false;
    if (since !== undefined && this.#endedAt[at]! < since) return false;
    return until === undefined || this.#assignedAt[at]! < until;
  }

  row(at: number): OverRow {
    const startedAt = this.#startedAt[at]!;
    const slot = this.#slot[at]!;
    const resumedAttempt = this.#resumedAttempt[at]!;
    return {
      job: this.#job[at]!,
      index: this.#index[at]!,
      attempt: this.#attempt[at]!,
      workerId: this.#workerId[at]!,
      slot: slot === none ? null : slot,
      status: statuses[this.#status[at]!]!,
      assignedAt: this.#assignedAt[at]!,
      startedAt: Number.isNaN(startedAt) ? null : startedAt,
      endedAt: this.#endedAt[at]!,
      progress: this.#progress[at]!,
      resumedFrom:
        resumedAttempt === none
          ? null
          : { attempt: resumedAttempt, progress: this.#resumedProgress[at]! },
      checkpoints: this.#checkpoints[at]!,
      errorType: this.#errorType[at]!,
    };
  }

  /** Equal texts of a piece are one. */
  #text(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#texts.set(text, text);
    this.bytes += bytesOfText + text.length * bytesOfCharacter;
    return text;
  }
}

function mayComeBack({ status, startedAt }: OverRow): boolean {
  if (status === 'lost' || status === 'timed_out') return true;
  return status === 'released' && startedAt !== null;
}

function nameOf({ id }: KeptJob, index: number, attempt: number): string {
  return `${id}.${index} ${attempt}`;
}
