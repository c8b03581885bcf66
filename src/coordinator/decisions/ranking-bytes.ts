// Rankings as JSON, in bytes. While nothing is decided all of them are kept. After a decision places and scores are
// others, and mostly all criteria; what does not change with every decision is kept for each row. Everything that may
// change later is taken in one turn; bytes are made of it in as many as it needs.

import type { RankedWorkerResource } from '../../protocol/scheduling-info.ts';
import type { Hindrance } from '../../protocol/hindrances.ts';
import { nothingNamed } from '../../scheduling/ranking.ts';
import type { RankedWorker, RankingTable, TabledRanking } from '../../scheduling/scheduler.ts';
import { CriteriaBytes, numberText, type Written } from './criteria-bytes.ts';

/** What a ranking says, and which of its rows was selected. */
export interface RankingLook {
  readonly ranking: TabledRanking;
  /** Row that was selected, or -1. */
  readonly selected: number;
  /** Why the worker of a row could not be chosen. */
  readonly reasonsOf: (row: number) => readonly Hindrance[];
}

/** Rows that are made in one turn, some milliseconds. */
const mostInTurn = 2_500;
/** Rows of which something is kept. */
const mostKeptRows = 50_000;
/** Bytes of a whole ranking that is kept; a larger one is made for each answer. */
const mostKept = 16 * 1024 * 1024;

export class RankingBytes {
  readonly #tellsCriteria: boolean;
  /** By row of the snapshot. */
  readonly #frames: (RowFrame | undefined)[] = [];
  #whole: Whole | undefined;

  constructor({ tellsCriteria }: { readonly tellsCriteria: boolean }) {
    this.#tellsCriteria = tellsCriteria;
  }

  /** Call with committed state; what comes later does not change it any more. */
  take({ ranking, selected, reasonsOf }: RankingLook, pieceBytes: number): TakenRanking {
    const { table } = ranking;
    const reasons = table.order.map((row) =>
      table.isEligible(row) || row === selected ? noReasons : reasonsOf(row),
    );
    const taken: Taken = { table, selected, reasons, pieceBytes };
    return { pieces: () => this.#pieces(taken) };
  }

  *#pieces(taken: Taken): Generator<Uint8Array> {
    if (this.#whole !== undefined && isSame(this.#whole.taken, taken)) {
      return yield* this.#whole.pieces;
    }
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for (const piece of this.#made(taken)) {
      bytes += piece.length;
      if (bytes <= mostKept) pieces.push(piece);
      yield piece;
    }
    this.#whole = bytes <= mostKept ? { taken, pieces } : undefined;
  }

  *#made({ table, selected, reasons, pieceBytes }: Taken): Generator<Uint8Array> {
    const { order } = table;
    this.#frames.length = Math.min(this.#frames.length, order.length);
    if (order.length === 0) return yield Buffer.from('[]');
    const columns = this.#tellsCriteria ? table.columns : [];
    const criteria = new CriteriaBytes(columns, order.length);
    const piece = new Piece(pieceBytes);
    for (let place = 0, rows = 1; place < order.length; place++, rows++) {
      const row = order[place]!;
      const frame = this.#frameOf(row, table, row === selected, reasons[place]!);
      const rank = rankText(place + 1, table.scoreOf(row));
      const details = this.#tellsCriteria ? table.detailsOf(row) : nothingNamed;
      const separator = place === 0 ? '[' : ',';
      const rowsLeft = order.length - place;
      if (columns.length === 0 && details === nothingNamed) {
        const plain = frame.plain(rank);
        piece.reserve(plain.length + mostBrackets, rowsLeft);
        piece.write(separator);
        piece.put(plain);
      } else {
        const tail = `,"details":${JSON.stringify(details)}}`;
        const texts = mostBrackets + rank.length + mostBytesOf * tail.length;
        piece.reserve(frame.bytes + criteria.mostBytes + texts, rowsLeft);
        piece.write(separator);
        piece.put(frame.beforeRank);
        piece.write(rank);
        piece.put(frame.afterScore);
        criteria.write(row, piece);
        piece.write(tail);
      }
      if (rowsLeft === 1) piece.write(']');
      else if (piece.length < pieceBytes && rows < mostInTurn) continue;
      yield piece.take();
      rows = 0;
    }
  }

  #frameOf(
    row: number,
    table: RankingTable,
    isSelected: boolean,
    reasons: readonly Hindrance[],
  ): RowFrame {
    const workerId = table.idOf(row);
    const isEligible = table.isEligible(row);
    const kept = this.#frames[row];
    if (kept?.says(workerId, isEligible, isSelected, reasons) === true) return kept;
    const frame = new RowFrame(workerId, isEligible, isSelected, reasons);
    if (row < mostKeptRows) this.#frames[row] = frame;
    return frame;
  }
}

export interface TakenRanking {
  /** Pieces of one JSON array, in UTF-8, that nobody may change. Others may have their turn between two of them. */
  pieces(): Generator<Uint8Array>;
}

interface Taken {
  readonly table: RankingTable;
  readonly selected: number;
  /** By place. */
  readonly reasons: readonly (readonly Hindrance[])[];
  readonly pieceBytes: number;
}

interface Whole {
  readonly taken: Taken;
  readonly pieces: readonly Uint8Array[];
}

const noReasons: readonly Hindrance[] = [];

/** Bytes of what stands between two rows. */
const mostBrackets = 2;
/** Bytes of a character of a string. */
const mostBytesOf = 3;

const emptyBytes: Uint8Array = new Uint8Array(0);
const nothingTold = Buffer.from('{},"details":{}}');

/** A row, but for its rank, its score, and what is told of its criteria. */
class RowFrame {
  readonly beforeRank: Uint8Array;
  readonly afterScore: Uint8Array;
  readonly #workerId: string;
  readonly #isEligible: boolean;
  readonly #isSelected: boolean;
  readonly #reasons: readonly Hindrance[];
  /** The whole row, if it tells no criteria and details, at the place that it had last. */
  #plain = emptyBytes;
  #rank = '';

  constructor(
    workerId: string,
    isEligible: boolean,
    isSelected: boolean,
    reasons: readonly Hindrance[],
  ) {
    this.#workerId = workerId;
    this.#isEligible = isEligible;
    this.#isSelected = isSelected;
    this.#reasons = reasons;
    this.beforeRank = Buffer.from(`{"worker_id":${JSON.stringify(workerId)},"rank":`);
    this.afterScore = Buffer.from(
      `,"eligible":${isEligible},"reasons":${JSON.stringify(reasons)}` +
        `,"selected":${isSelected},"criteria":`,
    );
  }

  get bytes(): number {
    return this.beforeRank.length + this.afterScore.length;
  }

  plain(rank: string): Uint8Array {
    if (rank !== this.#rank) {
      this.#plain = Buffer.concat([
        this.beforeRank,
        Buffer.from(rank),
        this.afterScore,
        nothingTold,
      ]);
      this.#rank = rank;
    }
    return this.#plain;
  }

  /** Whether the same would be made of this. */
  says(
    workerId: string,
    isEligible: boolean,
    isSelected: boolean,
    reasons: readonly Hindrance[],
  ): boolean {
    return (
      this.#workerId === workerId &&
      this.#isEligible === isEligible &&
      this.#isSelected === isSelected &&
      areSame(this.#reasons, reasons)
    );
  }
}

/** Written from front to back, in memory of its own. */
class Piece implements Written {
  length = 0;
  readonly #pieceBytes: number;
  #memory = Buffer.alloc(0);

  constructor(pieceBytes: number) {
    this.#pieceBytes = pieceBytes;
  }

  /** Room for a row of so many bytes at most, after which so many rows follow, this one included. */
  reserve(bytes: number, rows: number): void {
    const needed = this.length + bytes;
    if (needed <= this.#memory.length) return;
    const expected = Math.min(this.#pieceBytes + bytes, rows * bytes);
    const memory = Buffer.allocUnsafeSlow(Math.max(needed, expected));
    memory.set(this.#memory.subarray(0, this.length));
    this.#memory = memory;
  }

  put(bytes: Uint8Array): void {
    this.#memory.set(bytes, this.length);
    this.length += bytes.length;
  }

  write(text: string): void {
    this.length += text.length === 1 ? this.#byte(text) : this.#memory.write(text, this.length);
  }

  #byte(text: string): number {
    this.#memory[this.length] = text.charCodeAt(0);
    return 1;
  }

  take(): Uint8Array {
    const taken = this.#memory.subarray(0, this.length);
    this.#memory = Buffer.alloc(0);
    this.length = 0;
    return taken;
  }
}

/** The rank and the score of a row. */
function rankText(rank: number, score: number | null): string {
  return `${rank},"score":${numberText(score)}`;
}

function isSame(one: Taken, other: Taken): boolean {
  return (
    one.table === other.table &&
    one.selected === other.selected &&
    one.pieceBytes === other.pieceBytes &&
    one.reasons.every((reasons, place) => areSame(reasons, other.reasons[place]!))
  );
}

function areSame(some: readonly Hindrance[], others: readonly Hindrance[]): boolean {
  if (some === others) return true;
  if (some.length !== others.length) return false;
  for (let i = 0; i < some.length; i++) {
    const [one, other] = [some[i]!, others[i]!];
    if (one !== other && (one.code !== other.code || one.text !== other.text)) return false;
  }
  return true;
}

export function rankedWorker(
  worker: RankedWorker,
  selected: boolean,
  reasons: readonly Hindrance[],
): RankedWorkerResource {
  const { workerId, rank, score, eligible, criteria, details } = worker;
  return { worker_id: workerId, rank, score, eligible, reasons, selected, criteria, details };
}
