// Plays many runs on all cores. What comes out does not depend on how many there are, nor on who is done first.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Cell, CellResult } from './cell.ts';
import type { CellOrder } from './cell-thread.ts';

export interface PoolOptions {
  readonly threads?: number | undefined;
  /** Called when a run is over. */
  readonly onDone?: ((done: number) => void) | undefined;
  /** When it aborts, runs that have begun are dropped, and those that are done stay. */
  readonly signal?: AbortSignal | undefined;
}

/** A run could not be played: the message says which, and why. */
export class CellFault extends Error {
  override readonly name = 'CellFault';
}

type Answer =
  | { readonly place: number; readonly result: CellResult }
  | { readonly place: number; readonly failure: string };

const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

/** By place; undefined where it was interrupted before. */
export async function playCells(
  cells: readonly Cell[],
  { threads = availableParallelism(), onDone, signal }: PoolOptions = {},
): Promise<readonly (CellResult | undefined)[]> {
  const results: (CellResult | undefined)[] = cells.map(() => undefined);
  let next = 0;
  let done = 0;
  const serve = (thread: Worker) =>
    new Promise<void>((resolve, reject) => {
      const go = () => {
        const place = next++;
        const cell = cells[place];
        if (cell === undefined || signal?.aborted === true) return resolve();
        thread.postMessage({ place, cell } satisfies CellOrder, []);
      };
      thread.on('message', (answer: Answer) => {
        if ('failure' in answer) return reject(faultOf(cells[answer.place]!, answer.failure));
        results[answer.place] = answer.result;
        onDone?.(++done);
        go();
      });
      thread.on('error', reject);
      signal?.addEventListener('abort', () => resolve(), { once: true });
      go();
    });
  const pool = Array.from(
    { length: Math.min(threads, cells.length) },
    () => new Worker(new URL(`./cell-thread${extension}`, import.meta.url)),
  );
  try {
    await Promise.all(pool.map(serve));
  } finally {
    await Promise.all(pool.map((thread) => thread.terminate()));
  }
  return results;
}

function faultOf({ scenario, contender, seed }: Cell, failure: string): CellFault {
  const who = 'file' in contender ? contender.file : contender.algorithm;
  return new CellFault(`${scenario.scenario}, seed ${seed}, ${who}: ${failure}`);
}
