// Inputs of submissions that are still being received. They do not wait for the disk, so a server that crashes loses the
// newest of them, and whoever sends them goes on when it is back. So each is stored behind the one before only, and
// their end waits for the disk.

import type { InputStaging } from '../staging.ts';
import { StoreFault } from '../store.ts';
import { isCutOff } from './driver/faults.ts';
import type { Reader } from './driver/reader.ts';
import { dropStaged, sealStaged, stageInputs } from './tables/input-table.ts';

/** When the database did not take what was to be dropped. */
const usualRetryMs = 60_000;

export class PostgresInputStaging implements InputStaging {
  readonly #reader: Reader;
  readonly #member: string;
  readonly #retryMs: number;
  /** What is to be dropped, by job key and member: what the database did not take is dropped with what comes next, or later. */
  readonly #left = new Map<number, string>();
  #isDroppingLater = false;

  constructor(reader: Reader, member: string, retryMs = usualRetryMs) {
    this.#reader = reader;
    this.#member = member;
    this.#retryMs = retryMs;
  }

  async stageInputs(
    jobKey: number,
    fromIndex: number,
    inputs: readonly string[],
    blobs: readonly string[] = [],
  ): Promise<boolean> {
    const staged = { jobKey, fromIndex, inputs, blobs };
    if (fromIndex === 0 && this.#left.size > 0) await this.#dropLeft().catch(() => undefined);
    return orLost(this.#reader.writeUnsynced((query) => stageInputs(query, this.#member, staged)));
  }

  /** It waits for the disk, and with it all that was written before. */
  sealStaged(jobKey: number, count: number, by = this.#member): Promise<boolean> {
    const staged = { jobKey, count, by };
    return orLost(this.#reader.write((query) => sealStaged(query, this.#member, staged)));
  }

  async dropStaged(jobKey: number, by = this.#member): Promise<void> {
    this.#left.set(jobKey, by);
    await this.#dropLeft();
  }

  async #dropLeft(): Promise<void> {
    const left = [...this.#left];
    try {
      // It waits for the disk: nobody would drop again what a crash of the server has given back.
      await this.#reader.write(async (query) => {
        for (const [jobKey, by] of left) await dropStaged(query, [by, this.#member], jobKey);
      });
    } catch (error) {
      // What is left when it is closed is swept when this member is gone.
      if (!(error instanceof StoreFault && error.code === 'store_closed')) this.#dropLater();
      throw error;
    }
    for (const [jobKey] of left) this.#left.delete(jobKey);
  }

  /** Nobody else does: as long as this member is seen, what is its own is not swept. */
  #dropLater(): void {
    if (this.#isDroppingLater) return;
    this.#isDroppingLater = true;
    setTimeout(() => {
      this.#isDroppingLater = false;
      void this.#dropLeft().catch(() => undefined);
    }, this.#retryMs).unref();
  }
}

/** What was cut off may be there: it is not asked after, since nobody was promised it. */
async function orLost(staged: Promise<boolean>): Promise<boolean> {
  try {
    return await staged;
  } catch (error) {
    if (error instanceof StoreFault && isCutOff(error.cause)) return false;
    throw error;
  }
}
