// Reads who may ask, from a memory disk.

import type { TokenReading } from '../reading.ts';
import type { TokenRow } from '../rows.ts';
import type { OpenDisk } from './open-disk.ts';

export class MemoryTokenReading implements TokenReading {
  readonly #open: OpenDisk;

  constructor(open: OpenDisk) {
    this.#open = open;
  }

  async loadTokens(): Promise<readonly TokenRow[]> {
    return [...this.#open.disk.tokens.values()]
      .filter(({ kind }) => kind !== 'worker')
      .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }

  async findToken(hash: string): Promise<TokenRow | undefined> {
    return [...this.#open.disk.tokens.values()].find((row) => row.hash === hash);
  }

  async findWorkerToken(id: string): Promise<TokenRow | undefined> {
    return this.#ofWorkers().find((row) => row.id === id || row.workerId === id);
  }

  async listWorkerTokens(limit: number): Promise<readonly TokenRow[]> {
    return this.#ofWorkers()
      .filter(({ revokedAt }) => revokedAt === null)
      .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1))
      .slice(0, limit);
  }

  #ofWorkers(): TokenRow[] {
    return [...this.#open.disk.tokens.values()].filter(({ kind }) => kind === 'worker');
  }
}
