// What one scheduling pass decided, recorded so that it can be replayed: the state of the workers at its
// begin, which contests were opened, and which worker got which task, in order. A placement costs a few numbers;
// what grows with the number of workers is copied once per pass, or shared with other passes.

import type { Observed, SchedulerConfig, Snapshot } from '../../core/snapshot.ts';
import type { SchedulerMemory } from '../../scheduling/scheduler.ts';

/** The columns of the snapshot that no placement changes. Passes between two heartbeats share one view. */
export interface SharedView {
  readonly version: number;
  readonly members: Members;
  /** Replaced with every heartbeat, never written to: a reference is enough. */
  readonly observed: readonly Observed[];
  /** How many of them are others than in the view before. */
  readonly replaced: number;
}

/** The workers in the matrix, by row. Shared until a worker joins, leaves or changes. */
export interface Members {
  readonly ids: readonly string[];
  readonly types: readonly string[];
  readonly slots: Int32Array;
}

export interface PassBegin {
  readonly at: number;
  readonly config: SchedulerConfig;
  /** The scheduler's memory after its `begin` of this pass. */
  readonly memory: SchedulerMemory;
  readonly snapshot: Snapshot;
  /** Why the worker of a row can be given nothing at all; undefined when it can. */
  readonly absenceOf?: (row: number) => Absence | undefined;
}

/** Of a worker that is in the matrix; in the order of their numbers, from 1. */
const absences = ['connection_closed', 'leaving', 'asleep', 'unwilling', 'resting'] as const;

export type Absence = (typeof absences)[number];

export interface Placement {
  readonly contest: number;
  readonly row: number;
  readonly jobId: string;
  readonly index: number;
  readonly attempt: number;
  /** Rows that were to be passed over as long as another row was left. */
  readonly except: readonly number[] | undefined;
}

/** Numbers of one placement: contest, row, place of the job, index, attempt, place of the exceptions. */
const placementWidth = 6;
/** Numbers of one drop: after how many placements, from which contest, which row. */
const dropWidth = 3;
/** Most passes place what one small job needs: so few numbers the engine keeps in the object itself. */
const firstPlacements = 2;
const firstDrops = 4;

interface OpenedMask {
  readonly mask: Uint8Array;
  /** How many placements and drops came before. */
  readonly placements: number;
  readonly drops: number;
}

export class PassRecord {
  readonly at: number;
  readonly config: SchedulerConfig;
  readonly memory: SchedulerMemory;
  readonly view: SharedView;
  /** Counts and times at the begin of the pass, by row. */
  readonly active: Int32Array;
  readonly assigned: Int32Array;
  readonly idleSince: Float64Array;
  private readonly absent: Uint8Array;
  /** Length of the whole pass; known at its end. */
  microseconds = 0;
  private readonly masks: OpenedMask[] = [];
  private readonly jobIds: string[] = [];
  private readonly exceptions: (readonly number[])[] = [];
  private placed = new Int32Array(firstPlacements * placementWidth);
  private dropped = new Int32Array(firstDrops * dropWidth);
  private drops = 0;
  private count = 0;

  constructor(
    { at, config, memory, snapshot: { workers }, absenceOf }: PassBegin,
    view: SharedView,
  ) {
    this.at = at;
    this.config = config;
    this.memory = memory;
    this.view = view;
    this.active = new Int32Array(workers.length);
    this.assigned = new Int32Array(workers.length);
    this.idleSince = new Float64Array(workers.length);
    this.absent = new Uint8Array(workers.length);
    for (let row = 0; row < workers.length; row++) {
      const worker = workers[row]!;
      this.active[row] = worker.activeTasks;
      this.assigned[row] = worker.assignedSinceHeartbeat;
      this.idleSince[row] = worker.idleSince;
      const absence = absenceOf?.(row);
      if (absence !== undefined) this.absent[row] = absences.indexOf(absence) + 1;
    }
  }

  /** Why the worker could be given nothing at all when the pass began; undefined when it could. */
  absenceOf(row: number): Absence | undefined {
    return absences[this.absent[row]! - 1];
  }

  get placements(): number {
    return this.count;
  }

  /** Records a contest among the rows of the mask, which is copied; returns the number of the contest. */
  open(mask: Uint8Array): number {
    this.masks.push({ mask: mask.slice(), placements: this.count, drops: this.drops });
    return this.masks.length - 1;
  }

  /** Records that the contest named this row, and that the row got the task. */
  place(
    contest: number,
    row: number,
    jobId: string,
    index: number,
    attempt: number,
    except?: readonly number[],
  ): void {
    const { jobIds, exceptions } = this;
    if (jobIds.at(-1) !== jobId) jobIds.push(jobId);
    if (except !== undefined) exceptions.push(except);
    const from = this.count * placementWidth;
    if (from === this.placed.length) this.placed = doubled(this.placed);
    const { placed } = this;
    placed[from] = contest;
    placed[from + 1] = row;
    placed[from + 2] = jobIds.length - 1;
    placed[from + 3] = index;
    placed[from + 4] = attempt;
    placed[from + 5] = except === undefined ? -1 : exceptions.length - 1;
    this.count++;
  }

  /** The row is no longer a candidate in this contest. */
  drop(contest: number, row: number): void {
    const from = this.drops * dropWidth;
    if (from === this.dropped.length) this.dropped = doubled(this.dropped);
    this.dropped[from] = this.count;
    this.dropped[from + 1] = contest;
    this.dropped[from + 2] = row;
    this.drops++;
  }

  placement(place: number): Placement {
    const { placed, jobIds, exceptions } = this;
    const from = place * placementWidth;
    return {
      contest: placed[from]!,
      row: placed[from + 1]!,
      jobId: jobIds[placed[from + 2]!]!,
      index: placed[from + 3]!,
      attempt: placed[from + 4]!,
      except: exceptions[placed[from + 5]!],
    };
  }

  /** The newest placement of a task, -1 when there is none. */
  find(jobId: string, index: number, attempt: number): number {
    const { placed, jobIds } = this;
    if (!jobIds.includes(jobId)) return -1;
    for (let place = this.count - 1; place >= 0; place--) {
      const from = place * placementWidth;
      if (placed[from + 3] !== index || placed[from + 4] !== attempt) continue;
      if (jobIds[placed[from + 2]!] === jobId) return place;
    }
    return -1;
  }

  /** Replays everything before the placement `end` to the listener, in order. */
  tellUntil(end: number, listener: PassListener): void {
    const { masks, placed, dropped } = this;
    let mask = 0;
    let drop = 0;
    for (let place = 0; place <= end; place++) {
      for (;;) {
        const opened = masks[mask];
        const from = drop * dropWidth;
        if (opened !== undefined && opened.placements <= place && opened.drops <= drop) {
          listener.opened(opened.mask);
          mask++;
        } else if (drop < this.drops && dropped[from]! <= place) {
          listener.dropped(dropped[from + 1]!, dropped[from + 2]!);
          drop++;
        } else break;
      }
      if (place === end) return;
      const from = place * placementWidth;
      listener.placed(placed[from]!, placed[from + 1]!);
    }
  }

  /** Frees the memory that was reserved and not used. */
  end(microseconds: number): void {
    this.microseconds = microseconds;
    this.placed = this.placed.slice(0, this.count * placementWidth);
    this.dropped = this.dropped.slice(0, this.drops * dropWidth);
  }

  /** What it holds beside its view. */
  get bytes(): number {
    const { memory, masks, jobIds, exceptions } = this;
    const columns = [this.active, this.assigned, this.idleSince, this.absent];
    const arrays = [...columns, this.placed, this.dropped, ...masks.map(({ mask }) => mask)];
    let bytes = objectBytes;
    for (const array of arrays) bytes += array.byteLength + arrayBytes;
    if (memory.type === 'credits') bytes += memory.credits.byteLength + arrayBytes;
    for (const rows of exceptions) bytes += rows.length * referenceBytes + arrayBytes;
    return bytes + jobIds.length * (referenceBytes + idBytes);
  }
}

/** Is told a recorded pass, in order. */
export interface PassListener {
  opened(mask: Uint8Array): void;
  placed(contest: number, row: number): void;
  dropped(contest: number, row: number): void;
}

// Sizes on a 64-bit machine, rounded up.
export const referenceBytes = 8;
export const arrayBytes = 112;
const objectBytes = 400;
const idBytes = 64;

function doubled(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const more = new Int32Array(numbers.length * 2);
  more.set(numbers);
  return more;
}
