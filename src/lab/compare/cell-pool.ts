// Plays many runs on all cores. What comes out does not depend on how many there are, nor on who is done first.

import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { Worker } from 'node:worker_threads';
import { sayThrown } from '../guarded-scheduler.ts';
import type { Cell, CellResult } from './cell.ts';
import type { CellAnswer, CellOrder } from './cell-thread.ts';

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
      let cell: Cell | undefined;
      const go = () => {
        const place = next++;
        cell = cells[place];
        if (cell === undefined || signal?.aborted === true) return resolve();
        thread.postMessage({ place, cell } satisfies CellOrder, []);
      };
      thread.on('message', (answer: CellAnswer) => {
        if ('failure' in answer) return reject(faultOf(cells[answer.place]!, answer.failure));
        if ('bug' in answer) return reject(asError(answer.bug));
        results[answer.place] = answer.result;
        onDone?.(++done);
        go();
      });
      thread.on('error', (error: unknown) => reject(asError(deathOf(error, cell))));
      // Whoever has resolved already has nothing to do with its end.
      thread.on('exit', () => reject(endOf(cell)));
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

/** Of a thread that has ended before it was told to, without an error. */
function endOf(cell: Cell | undefined): Error {
  if (cell === undefined || !('file' in cell.contender)) return new Error('A thread has ended.');
  return faultOf(cell, 'the scheduler has ended the program (process.exit), which it may not do.');
}

/** Of a thread in which something was thrown where nobody could catch it, or that has no memory left. */
function deathOf(error: unknown, cell: Cell | undefined): unknown {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (cell !== undefined && code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return faultOf(cell, 'a run of it needs more memory than there is for a thread.');
  }
  // Muster leaves no error uncaught in a thread: it is of the module that is played.
  if (cell !== undefined && 'file' in cell.contender) return faultOf(cell, sayThrown(error));
  return error;
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(sayThrown(thrown));
}

function faultOf({ scenario, contender, seed }: Cell, failure: string): CellFault {
  const who = 'file' in contender ? basename(contender.file) : contender.algorithm;
  return new CellFault(`${scenario.scenario}, seed ${seed}, ${who}: ${failure}`);
}
