// What attempts print while they run, on its way from a report to the event stream. Nothing of it is
// stored or decided by, and it is bounded: beyond so many characters a second, of a worker and of all
// together, it is left out and counted.

import type { AttemptRecord, WorkerRecord } from '../../core/records.ts';
import { Allowance } from '../../protocol/allowance.ts';
import type { OutputReport } from '../../protocol/messages.ts';

/** All workers together may tell as much as so many that print all they may. */
const workersAtOnce = 10;

/** What may be told of a report. */
export interface PrintedText {
  readonly text: string;
  /** Characters before it that are not told. */
  readonly leftOut: number;
}

export class LiveOutput {
  readonly #perWorker: number;
  readonly #all: Allowance;
  readonly #workers = new WeakMap<WorkerRecord, Allowance>();
  /** Characters of an attempt that were left out since its last event. */
  readonly #leftOut = new WeakMap<AttemptRecord, number>();

  /** `perWorker`: characters a second. */
  constructor(perWorker: number) {
    this.#perWorker = perWorker;
    this.#all = new Allowance(perWorker * workersAtOnce);
  }

  /** Undefined when nothing of it may be told now; `at` in milliseconds. */
  take(attempt: AttemptRecord, report: OutputReport, at: number): PrintedText | undefined {
    const { text } = report;
    const own = this.#allowanceOf(attempt.worker);
    const room = Math.min(own.room(at), this.#all.room(at), text.length);
    const before = (this.#leftOut.get(attempt) ?? 0) + (report.left_out ?? 0);
    if (room === 0 && text !== '') {
      this.#leftOut.set(attempt, before + text.length);
      return undefined;
    }
    own.spend(room);
    this.#all.spend(room);
    this.#leftOut.set(attempt, text.length - room);
    // A copy, because a slice would keep all of the text in memory.
    const told = room === text.length ? text : Buffer.from(text.slice(0, room)).toString();
    return { text: told, leftOut: before };
  }

  #allowanceOf(worker: WorkerRecord): Allowance {
    let own = this.#workers.get(worker);
    if (own === undefined) this.#workers.set(worker, (own = new Allowance(this.#perWorker)));
    return own;
  }
}
