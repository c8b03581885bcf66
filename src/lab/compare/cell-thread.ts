// A thread that plays one run after the other, as it is told.

import { parentPort } from 'node:worker_threads';
import { type Cell, playCell } from './cell.ts';

export interface CellOrder {
  readonly place: number;
  readonly cell: Cell;
}

const microseconds = () => performance.now() * 1000;

parentPort!.on('message', ({ place, cell }: CellOrder) => {
  playCell(cell, microseconds).then(
    (result) => parentPort!.postMessage({ place, result }, []),
    (error: Error) => parentPort!.postMessage({ place, failure: error.message }, []),
  );
});
