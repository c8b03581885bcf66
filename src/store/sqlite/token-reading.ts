// Reads who may ask.

import type { TokenReading } from '../reading.ts';
import type { TokenRow } from '../rows.ts';
import type { Connection } from './connection.ts';
import type { Tables } from './tables/tables.ts';

export class SqliteTokenReading implements TokenReading {
  readonly #connection: Connection;
  readonly #tables: Tables;

  constructor(connection: Connection, tables: Tables) {
    this.#connection = connection;
    this.#tables = tables;
  }

  async loadTokens(): Promise<readonly TokenRow[]> {
    return this.#connection.read(() => this.#tables.tokens.list());
  }

  async findToken(hash: string): Promise<TokenRow | undefined> {
    return this.#connection.read(() => this.#tables.tokens.find(hash));
  }

  async findWorkerToken(id: string): Promise<TokenRow | undefined> {
    return this.#connection.read(() => this.#tables.tokens.findOfWorker(id));
  }

  async listWorkerTokens(limit: number): Promise<readonly TokenRow[]> {
    return this.#connection.read(() => this.#tables.tokens.listOfWorkers(limit));
  }
}
