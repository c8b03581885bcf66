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

  constructor(reader: Reader, member: string) {
    this.#reader = reader;
    this.#member = member;
  }

  stageInputs(
    jobKey: number,
    fromIndex: number,
    inputs: readonly string[],
    blobs: readonly string[] = [],
  ): Promise<boolean> {
    const staged = { jobKey, fromIndex, inputs, blobs };
    return orLost(this.#reader.writeUnsynced((query) => stageInputs(query, this.#member, staged)));
  }

  /** It waits for the disk, and with it all that was written before. */
  sealStaged(jobKey: number, count: number): Promise<boolean> {
    return orLost(this.#reader.write((query) => sealStaged(query, this.#member, jobKey, count)));
  }

  dropStaged(jobKey: number): Promise<void> {
    return this.#reader.writeUnsynced((query) => dropStaged(query, jobKey));
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
