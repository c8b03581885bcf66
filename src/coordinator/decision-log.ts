// The decisions of the past, kept so that the table behind each can be made when somebody asks for it.
// A ring of passes, bounded in bytes: the oldest goes when a new one does not fit, but the newest is
// always there. It lives in memory only, and ends with the process.
//
// Use, once per pass: `begin` after the scheduler's own `begin`; `open`, `place` and `drop` of the
// record beside the calls of the contests; `keep` at the end.

import type { Snapshot, WorkerView } from '../core/snapshot.ts';
import {
  arrayBytes,
  type Members,
  type PassBegin,
  PassRecord,
  type Placement,
  referenceBytes,
  type Roll,
} from './pass-record.ts';

/** One placement in the pass that made it. */
export interface LoggedDecision {
  readonly pass: PassRecord;
  /** How many placements of the pass came before. */
  readonly place: number;
  readonly placement: Placement;
}

interface KeptPass {
  readonly record: PassRecord;
  readonly bytes: number;
}

/** What one worker said of itself, as an object of its own. */
const observedBytes = 240;

export class DecisionLog {
  /** The most it holds, estimated. */
  readonly limitBytes: number;
  /** The first `head` places are empty. */
  private readonly passes: (KeptPass | undefined)[] = [];
  private head = 0;
  private newestRoll: Roll | undefined;
  private held = 0;
  private placements = 0;

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  /** Decisions that are kept. */
  get size(): number {
    return this.placements;
  }

  get bytes(): number {
    return this.held;
  }

  begin(pass: PassBegin): PassRecord {
    const isSame = this.newestRoll?.version === pass.snapshot.version;
    return new PassRecord(pass, isSame ? this.newestRoll! : rollOf(pass.snapshot, this.newestRoll));
  }

  /** `microseconds` is the length of the whole pass. Nothing is kept of a pass without placement. */
  keep(record: PassRecord, microseconds: number): void {
    if (record.placements === 0) return;
    record.end(microseconds);
    const { roll } = record;
    let bytes = record.bytes;
    if (roll !== this.newestRoll) bytes += rollBytes(roll, this.newestRoll);
    this.newestRoll = roll;
    this.passes.push({ record, bytes });
    this.held += bytes;
    this.placements += record.placements;
    while (this.held > this.limitBytes && this.passes.length - this.head > 1) this.evict();
  }

  /** The last decision since the start; undefined before the first. */
  get newest(): LoggedDecision | undefined {
    const last = this.passes.at(-1)?.record;
    return last === undefined ? undefined : decision(last, last.placements - 1);
  }

  /** The decision that placed this attempt; when it was placed more than once, the newest. */
  find(jobId: string, index: number, attempt: number): LoggedDecision | undefined {
    for (let at = this.passes.length - 1; at >= this.head; at--) {
      const { record } = this.passes[at]!;
      const place = record.find(jobId, index, attempt);
      if (place >= 0) return decision(record, place);
    }
    return undefined;
  }

  clear(): void {
    this.passes.length = 0;
    this.head = 0;
    this.newestRoll = undefined;
    this.held = 0;
    this.placements = 0;
  }

  private evict(): void {
    const { record, bytes } = this.passes[this.head]!;
    this.passes[this.head++] = undefined;
    this.held -= bytes;
    this.placements -= record.placements;
    this.held += this.inherit(record.roll, this.passes[this.head]!);
    if (this.head < 64 || this.head * 2 < this.passes.length) return;
    this.passes.splice(0, this.head);
    this.head = 0;
  }

  /** What the evicted pass held for the next one too is now counted with that. */
  private inherit(gone: Roll, heir: KeptPass): number {
    const { roll } = heir.record;
    const whole = rollBytes(roll, undefined);
    const counted = roll === gone ? 0 : rollBytes(roll, gone);
    this.passes[this.head] = { record: heir.record, bytes: heir.bytes + whole - counted };
    return whole - counted;
  }
}

function decision(pass: PassRecord, place: number): LoggedDecision {
  return { pass, place, placement: pass.placement(place) };
}

function rollOf({ version, workers }: Snapshot, before: Roll | undefined): Roll {
  const isSame = before !== undefined && hasMembers(before.members, workers);
  return {
    version,
    members: isSame ? before.members : membersOf(workers),
    observed: workers.map(({ observed }) => observed),
  };
}

function membersOf(workers: readonly WorkerView[]): Members {
  return {
    ids: workers.map(({ id }) => id),
    types: workers.map(({ type }) => type),
    slots: Int32Array.from(workers, ({ slots }) => slots),
  };
}

function hasMembers({ ids, types, slots }: Members, workers: readonly WorkerView[]): boolean {
  if (ids.length !== workers.length) return false;
  for (let row = 0; row < ids.length; row++) {
    const worker = workers[row]!;
    if (worker.id !== ids[row] || worker.type !== types[row]) return false;
    if (worker.slots !== slots[row]) return false;
  }
  return true;
}

/**
 * What a roll holds that the one before it does not. An observation that was replaced is alive only
 * because the roll before holds it, and is counted here: without a roll before there is none.
 */
function rollBytes(roll: Roll, before: Roll | undefined): number {
  const { members, observed } = roll;
  const rows = observed.length;
  let bytes = arrayBytes + rows * referenceBytes;
  if (members !== before?.members) bytes += 3 * arrayBytes + rows * (2 * referenceBytes + 4);
  if (before === undefined) return bytes;
  for (let row = 0; row < rows; row++) {
    if (observed[row] !== before.observed[row]) bytes += observedBytes;
  }
  return bytes;
}
