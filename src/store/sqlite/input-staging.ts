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
  ): Promise<void> {
    const { inputs, blobs } = this.#tables;
    return this.#unsynced(() => {
      inputs.markStaged(jobKey);
      inputs.write(jobKey, fromIndex, texts);
      for (const sha256 of hashes) blobs.referStaged({ jobKey, sha256 });
    });
  }

  dropStaged(jobKey: number): Promise<void> {
    return this.#unsynced(() => this.#tables.inputs.drop(jobKey));
  }

  #unsynced(work: () => void): Promise<void> {
    return this.#connection.unsynced(() => this.#connection.transact(work));
  }
}
