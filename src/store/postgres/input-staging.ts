// Inputs of submissions that are still being received. They do not wait for the disk: the commit of their job, which
// comes later and makes them count, does.

import type { InputStaging } from '../staging.ts';
import type { Reader } from './driver/reader.ts';
import { dropStaged, stageInputs } from './tables/input-table.ts';

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
  ): Promise<void> {
    const staged = { jobKey, fromIndex, inputs, blobs };
    return this.#reader.writeUnsynced((query) => stageInputs(query, this.#member, staged));
  }

  dropStaged(jobKey: number): Promise<void> {
    return this.#reader.writeUnsynced((query) => dropStaged(query, jobKey));
  }
}
