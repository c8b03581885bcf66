// Inputs of submissions that are still being received. They do not wait for the disk: the commit of their job, which
// comes later and makes them count, does.

import type { InputStaging } from '../staging.ts';
import type { Connection } from './connection.ts';
import type { Tables } from './tables/tables.ts';

export class SqliteInputStaging implements InputStaging {
  readonly #connection: Connection;
  readonly #tables: Tables;

  constructor(connection: Connection, tables: Tables) {
    this.#connection = connection;
    this.#tables = tables;
  }

  stageInputs(
    jobKey: number,
    fromIndex: number,
    texts: readonly string[],
    hashes: readonly string[] = [],
  ): Promise<boolean> {
    const { inputs, blobs } = this.#tables;
    return this.#unsynced(() => {
      if (!inputs.isNext(jobKey, fromIndex)) return false;
      inputs.markStaged(jobKey);
      inputs.write(jobKey, fromIndex, texts);
      for (const sha256 of hashes) blobs.referStaged({ jobKey, sha256 });
      return true;
    });
  }

  /** What takes any of them back ends this process as well. */
  sealStaged(jobKey: number, count: number): Promise<boolean> {
    return this.#connection.unsynced(() => this.#tables.inputs.isWhole(jobKey, count));
  }

  dropStaged(jobKey: number): Promise<void> {
    return this.#unsynced(() => this.#tables.inputs.drop(jobKey));
  }

  #unsynced<T>(work: () => T): Promise<T> {
    return this.#connection.unsynced(() => this.#connection.transact(work));
  }
}
