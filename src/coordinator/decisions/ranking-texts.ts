// Rankings as JSON text. The text of a row is kept, and serves as long as the row says the same: while nothing is
// decided that is every row, and where the algorithm compares no criteria, every row whose place and reasons have
// not changed. Everything that may change later is taken in one turn; texts are made of it in as many as it needs.

import type { RankedWorkerResource } from '../../protocol/scheduling-info.ts';
import type { Hindrance } from '../../protocol/hindrances.ts';
import { nothingNamed } from '../../scheduling/ranking.ts';
import type { RankedWorker, Ranking } from '../../scheduling/scheduler.ts';

/** What a ranking says, and which of its rows was selected. */
export interface RankingLook {
  readonly ranking: Ranking;
  /** Row that was selected, or -1. */
  readonly selected: number;
  /** Why the worker of a row could not be chosen. */
  readonly reasonsOf: (row: number) => readonly Hindrance[];
}

/** Rows of which the text is made anew in one turn, some milliseconds; others cost next to nothing. */
const mostMade = 400;
/** Characters of texts that are kept at most; what is beyond is made for each answer. */
const mostKept = 16 * 1024 * 1024;

export class RankingTexts {
  readonly #tellsCriteria: boolean;
  /** By row of the snapshot. */
  readonly #kept: (RowText | undefined)[] = [];

  constructor({ tellsCriteria }: { readonly tellsCriteria: boolean }) {
    this.#tellsCriteria = tellsCriteria;
  }

  /** Call with committed state; what comes later does not change it any more. */
  take({ ranking, selected, reasonsOf }: RankingLook, pieceChars: number): TakenRanking {
    const reasons = ranking.workers.map(({ row, eligible }) =>
      eligible || row === selected ? noReasons : reasonsOf(row),
    );
    return { pieces: () => this.#pieces(ranking, selected, reasons, pieceChars) };
  }

  *#pieces(
    ranking: Ranking,
    selected: number,
    reasons: readonly (readonly Hindrance[])[],
    pieceChars: number,
  ): Generator<string> {
    const kept = this.#kept;
    const { workers } = ranking;
    let texts: string[] = [];
    let [chars, allChars, made] = [0, 0, 0];
    let separator = '[';
    for (let place = 0; place < workers.length; place++) {
      const worker = workers[place]!;
      const isSelected = worker.row === selected;
      let row = kept[worker.row];
      if (row?.says(ranking, worker, isSelected, reasons[place]!) !== true) {
        row = new RowText(ranking, worker, isSelected, reasons[place]!, this.#tellsCriteria);
        kept[worker.row] = allChars < mostKept ? row : undefined;
        made++;
      }
      // A text that is put before all of them would have to be copied with them.
      texts.push(texts.length === 0 ? separator + row.text : row.text);
      chars += row.text.length;
      if (chars < pieceChars && made < mostMade && place < workers.length - 1) continue;
      yield texts.join(',');
      separator = ',';
      allChars += chars;
      texts = [];
      [chars, made] = [0, 0];
    }
    kept.length = workers.length;
    yield separator === '[' ? '[]' : ']';
  }
}

export interface TakenRanking {
  /** Pieces of one JSON array. Others may have their turn between two of them. */
  pieces(): Generator<string>;
}

const noReasons: readonly Hindrance[] = [];

class RowText {
  readonly text: string;
  readonly #ranking: Ranking;
  readonly #workerId: string;
  readonly #rank: number;
  readonly #score: number | null;
  readonly #eligible: boolean;
  readonly #isSelected: boolean;
  readonly #reasons: readonly Hindrance[];
  /** It tells no criteria and details, and would not under another ranking that has none. */
  readonly #isPlain: boolean;
  readonly #tellsCriteria: boolean;

  constructor(
    ranking: Ranking,
    worker: RankedWorker,
    isSelected: boolean,
    reasons: readonly Hindrance[],
    tellsCriteria: boolean,
  ) {
    // Read once: they are made when they are read.
    const { criteria, details } = tellsCriteria ? worker : untold;
    const told = { criteria, details };
    this.#ranking = ranking;
    this.#workerId = worker.workerId;
    this.#rank = worker.rank;
    this.#score = worker.score;
    this.#eligible = worker.eligible;
    this.#isSelected = isSelected;
    this.#reasons = reasons;
    this.#tellsCriteria = tellsCriteria;
    this.#isPlain = isPlain(told);
    this.text = JSON.stringify(rankedWorker(worker, isSelected, reasons, told));
  }

  /** Whether the same would be made of this. */
  says(
    ranking: Ranking,
    worker: RankedWorker,
    isSelected: boolean,
    reasons: readonly Hindrance[],
  ): boolean {
    return (
      this.#workerId === worker.workerId &&
      this.#rank === worker.rank &&
      this.#score === worker.score &&
      this.#eligible === worker.eligible &&
      this.#isSelected === isSelected &&
      areSame(this.#reasons, reasons) &&
      (this.#ranking === ranking || (this.#isPlain && (!this.#tellsCriteria || isPlain(worker))))
    );
  }
}

/** In place of what is not told. */
const untold = { criteria: nothingNamed, details: nothingNamed } as const;

function isPlain({ criteria, details }: Pick<RankedWorker, 'criteria' | 'details'>): boolean {
  return details === nothingNamed && criteria === nothingNamed;
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
  { criteria, details }: Pick<RankedWorker, 'criteria' | 'details'> = worker,
): RankedWorkerResource {
  const { workerId, rank, score, eligible } = worker;
  return { worker_id: workerId, rank, score, eligible, reasons, selected, criteria, details };
}
