// The decisions of the past, kept so that the table behind each can be made when somebody asks for it.
// A ring of passes, bounded in bytes: the oldest goes when a new one does not fit, but the newest is
// always there, unless none are to be kept at all. It lives in memory only, and ends with the process.
//
// Use, once per pass: `begin` after the scheduler's own `begin`; `open`, `place` and `drop` of the
// record beside the calls of the contests; `keep` at the end.

import type { Observed, Snapshot, WorkerView } from '../../core/snapshot.ts';
import {
  arrayBytes,
  type Members,
  type PassBegin,
  PassRecord,
  type Placement,
  referenceBytes,
  type SharedView,
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
  /** Bytes of the record, and of those arrays of its view that no other kept pass counts. */
  readonly bytes: number;
  /** Bytes of the observations that this view replaced: only the view before it still holds them. */
  readonly replacedBytes: number;
}

/** Size of one `Observed`. */
const observedBytes = 240;

export class DecisionLog {
  /** The most bytes that it holds, estimated; 0: nothing is kept. */
  readonly limitBytes: number;
  /** The first `head` places are empty. */
  private readonly passes: (KeptPass | undefined)[] = [];
  private head = 0;
  private newestView: SharedView | undefined;
  /** By the rows of their snapshots: a snapshot has another array when a worker joins, leaves or changes. */
  private readonly members = new WeakMap<readonly WorkerView[], Members>();
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

  /** Undefined when nothing is kept. */
  begin(pass: PassBegin): PassRecord | undefined {
    if (this.limitBytes === 0) return undefined;
    const isSame = this.newestView?.version === pass.snapshot.version;
    return new PassRecord(pass, isSame ? this.newestView! : this.viewOf(pass.snapshot));
  }

  /** `microseconds` is the length of the whole pass. Nothing is kept of a pass without placement. */
  keep(record: PassRecord, microseconds: number): void {
    if (record.placements === 0) return;
    record.end(microseconds);
    const { view } = record;
    const before = this.newestView;
    const isShared = view === before;
    const bytes = record.bytes + (isShared ? 0 : ownBytes(view, before));
    const replacedBytes = isShared ? 0 : view.replaced * observedBytes;
    this.newestView = view;
    this.passes.push({ record, bytes, replacedBytes });
    this.held += bytes + replacedBytes;
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
    this.newestView = undefined;
    this.held = 0;
    this.placements = 0;
  }

  /** One walk over the workers: with very many of them, reaching each one is what takes time. */
  private viewOf({ version, workers }: Snapshot): SharedView {
    const rows = workers.length;
    const before = this.newestView?.observed;
    // `Array.from` with a length takes ten times as long.
    const observed = workers.map((worker): Observed => worker.observed);
    let replaced = 0;
    if (before !== undefined) {
      for (let row = 0; row < rows; row++) if (before[row] !== observed[row]) replaced++;
    }
    return { version, members: this.membersOf(workers), observed, replaced };
  }

  private membersOf(workers: readonly WorkerView[]): Members {
    const known = this.members.get(workers);
    if (known?.ids.length === workers.length) return known;
    const newest = this.newestView?.members;
    const members = newest !== undefined && areSame(newest, workers) ? newest : listed(workers);
    this.members.set(workers, members);
    return members;
  }

  private evict(): void {
    const { record, bytes, replacedBytes } = this.passes[this.head]!;
    this.passes[this.head++] = undefined;
    this.held -= bytes + replacedBytes;
    this.placements -= record.placements;
    const heir = this.inherited(record.view, this.passes[this.head]!);
    this.passes[this.head] = heir;
    if (this.head < 64 || this.head * 2 < this.passes.length) return;
    this.passes.splice(0, this.head);
    this.head = 0;
  }

  /** The bytes that the next pass shares with the evicted one are counted with the next one from now on. */
  private inherited(gone: SharedView, { record, bytes, replacedBytes }: KeptPass): KeptPass {
    const { view } = record;
    const shared = ownBytes(view, undefined) - (view === gone ? 0 : ownBytes(view, gone));
    this.held += shared - replacedBytes;
    return { record, bytes: bytes + shared, replacedBytes: 0 };
  }
}

function decision(pass: PassRecord, place: number): LoggedDecision {
  return { pass, place, placement: pass.placement(place) };
}

function areSame({ ids, types, slots }: Members, workers: readonly WorkerView[]): boolean {
  if (ids.length !== workers.length) return false;
  return workers.every(
    (worker, row) =>
      worker.id === ids[row] && worker.type === types[row] && worker.slots === slots[row],
  );
}

function listed(workers: readonly WorkerView[]): Members {
  return {
    ids: workers.map(({ id }) => id),
    types: workers.map(({ type }) => type),
    slots: Int32Array.from(workers, ({ slots }) => slots),
  };
}

/** Bytes of the arrays of a view, without those that it shares with the view before it. */
function ownBytes({ members, observed }: SharedView, before: SharedView | undefined): number {
  const rows = observed.length;
  const bytes = arrayBytes + rows * referenceBytes;
  if (members === before?.members) return bytes;
  return bytes + 3 * arrayBytes + rows * (2 * referenceBytes + 4);
}
