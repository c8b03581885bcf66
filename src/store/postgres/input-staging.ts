// Inputs of submissions that are still being received. They do not wait for the disk, so a server that crashes loses the
// newest of them, and whoever sends them goes on when it is back. So each is stored behind the one before only, and
// their end waits for the disk.

import type { InputStaging } from '../staging.ts';
import { StoreFault } from '../store.ts';
import { isCutOff } from './driver/faults.ts';
import type { Reader } from './driver/reader.ts';
import { dropStaged, sealStaged, stageInputs } from './tables/input-table.ts';

export class PostgresInputStaging implements InputStaging {
  readonly #reader: Reader;
  readonly #member: string;
  /** What is to be dropped, by job key and member: what the database did not take is dropped with what comes next. */
  readonly #left = new Map<number, string>();

  constructor(reader: Reader, member: string) {
    this.#reader = reader;
    this.#member = member;
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
    await this.#reader.writeUnsynced(async (query) => {
      for (const [jobKey, by] of left) await dropStaged(query, [by, this.#member], jobKey);
    });
    for (const [jobKey] of left) this.#left.delete(jobKey);
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
