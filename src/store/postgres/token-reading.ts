// Reads who may ask.

import type { TokenReading } from '../reading.ts';
import type { TokenRow } from '../rows.ts';
import type { Reader } from './driver/reader.ts';
import {
  findToken,
  findTokenOfWorker,
  listTokens,
  listTokensOfWorkers,
} from './tables/token-table.ts';

export class PostgresTokenReading implements TokenReading {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  async loadTokens(): Promise<readonly TokenRow[]> {
    return listTokens(this.#reader.query);
  }

  async findToken(hash: string): Promise<TokenRow | undefined> {
    return findToken(this.#reader.query, hash);
  }

  async findWorkerToken(id: string): Promise<TokenRow | undefined> {
    return findTokenOfWorker(this.#reader.query, id);
  }

  async listWorkerTokens(limit: number): Promise<readonly TokenRow[]> {
    return listTokensOfWorkers(this.#reader.query, limit);
  }
}
