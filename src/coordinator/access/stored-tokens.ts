// Tokens where another coordinator writes them: they are read, and remembered for some seconds.

import { isBareToken, parseToken } from '../../protocol/token-text.ts';
import type { TokenReading } from '../../store/reading.ts';
import type { TokenRow } from '../../store/rows.ts';
import type { Checked, TokenPort } from '../port/tokens.ts';
import type { Runtime } from '../runtime.ts';
import { CoordinatorStopped } from '../port/stopped.ts';
import { bearerOf, statusOf } from './token-book.ts';

const rememberedMs = 2_000;
const mostRemembered = 1_000;

export interface StoredTokensOptions {
  readonly store: TokenReading;
  readonly runtime: Pick<Runtime, 'now' | 'hash'>;
  /** There is an admin token, as far as is known. */
  readonly areNeeded: () => boolean;
}

/** Only looks: what is to change has no one to change it here. */
export class StoredTokens implements TokenPort {
  private readonly options: StoredTokensOptions;
  /** By hash; undefined: in no table. */
  private readonly remembered = new Map<string, { row: TokenRow | undefined; at: number }>();

  constructor(options: StoredTokensOptions) {
    this.options = options;
  }

  get areNeeded(): boolean {
    return this.options.areNeeded();
  }

  async check(text: string): Promise<Checked> {
    if (parseToken(text) === undefined && !isBareToken(text)) return { is: 'unknown' };
    const { runtime } = this.options;
    const row = await this.read(runtime.hash(text));
    if (row === undefined) return { is: 'unknown' };
    const status = statusOf(row, runtime.now());
    if (status !== 'good') return { is: status, tokenId: row.id };
    return { is: 'good', bearer: bearerOf(row, text) };
  }

  /** Nothing changes here. */
  onChange(): () => void {
    return () => undefined;
  }

  async create(): Promise<never> {
    throw new CoordinatorStopped();
  }

  async list(): Promise<never> {
    throw new CoordinatorStopped();
  }

  async listOfWorkers(): Promise<never> {
    throw new CoordinatorStopped();
  }

  async setQuota(): Promise<never> {
    throw new CoordinatorStopped();
  }

  async find(): Promise<never> {
    throw new CoordinatorStopped();
  }

  async revoke(): Promise<never> {
    throw new CoordinatorStopped();
  }

  private async read(hash: string): Promise<TokenRow | undefined> {
    const now = this.options.runtime.now();
    const known = this.remembered.get(hash);
    if (known !== undefined && now - known.at < rememberedMs) return known.row;
    const row = await this.options.store.findToken(hash);
    if (this.remembered.size >= mostRemembered) this.remembered.clear();
    this.remembered.set(hash, { row, at: now });
    return row;
  }
}
