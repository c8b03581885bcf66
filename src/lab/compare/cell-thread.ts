// A thread that plays one run after the other, as it is told.

import { parentPort } from 'node:worker_threads';
import { type Cell, type CellResult, playCell } from './cell.ts';

export interface CellOrder {
  readonly place: number;
  readonly cell: Cell;
}

export type CellAnswer =
  | { readonly place: number; readonly result: CellResult }
  /** What was given cannot be played: the message says why, for people. */
  | { readonly place: number; readonly failure: string }
  /** A bug: the error with its stack. */
  | { readonly place: number; readonly bug: unknown };

/** Errors whose messages are sentences about what was given. */
const faults = new Set(['ContenderFault', 'ScenarioFault', 'TraceFault']);

const microseconds = () => performance.now() * 1000;

const answer = (said: CellAnswer) => parentPort!.postMessage(said, []);

parentPort!.on('message', ({ place, cell }: CellOrder) => {
  playCell(cell, microseconds).then(
    (result) => answer({ place, result }),
    (error: unknown) => {
      const isFault = error instanceof Error && faults.has(error.name);
      answer(isFault ? { place, failure: error.message } : { place, bug: error });
    },
  );
});
