// Tokens of a store on which no coordinator works: how the first is made before the first start, and how a
// person gets in again who has lost theirs.

import type { TokenResource } from '../../protocol/tokens.ts';
import type { StoreParts } from '../../store/store.ts';
import type { AuditEntry, TokenRow, WriteBatch } from '../../store/rows.ts';
import type { AuditAction } from '../../protocol/audit.ts';
import { byItself } from '../port/audit.ts';
import type { Result } from '../port/rejection.ts';
import type { NewToken, QuotaChange, TokenAsked } from '../port/tokens.ts';
import type { Runtime } from '../runtime.ts';
import { TokenBook, tokenResource } from './token-book.ts';

export class TokensAtRest {
  private readonly store: StoreParts;
  private readonly runtime: Pick<Runtime, 'now' | 'hash' | 'newToken'>;

  constructor(store: StoreParts, runtime: Pick<Runtime, 'now' | 'hash' | 'newToken'>) {
    this.store = store;
    this.runtime = runtime;
  }

  async create(asked: TokenAsked): Promise<Result<NewToken>> {
    const at = this.runtime.now();
    const created = (await this.book()).create(asked, this.runtime, at);
    if (!created.ok) return created;
    const { row, text, dropped } = created.value;
    const droppedTokens = dropped === undefined ? [] : [dropped.id];
    const audit = [told('token.create', row.id, at)];
    await this.write({ tokens: [row], droppedTokens, audit });
    return { ok: true, value: { token: text, resource: tokenResource(row, at) } };
  }

  async list(): Promise<readonly TokenResource[]> {
    const at = this.runtime.now();
    return (await this.store.loadTokens()).map((row) => tokenResource(row, at));
  }

  async listOfWorkers(): Promise<readonly TokenResource[]> {
    const at = this.runtime.now();
    return (await this.store.listWorkerTokens(10_000)).map((row) => tokenResource(row, at));
  }

  async setQuota(tokenId: string, change: QuotaChange): Promise<Result<TokenResource>> {
    const at = this.runtime.now();
    const changed = (await this.book()).setQuota(tokenId, change);
    if (!changed.ok) return changed;
    const audit = [told('token.change', tokenId, at)];
    await this.write({ tokens: [changed.value], droppedTokens: [], audit });
    return { ok: true, value: tokenResource(changed.value, at) };
  }

  async revoke(tokenId: string): Promise<Result<TokenResource>> {
    const at = this.runtime.now();
    const revoked = await this.revoked(tokenId, at);
    if (!revoked.ok) return revoked;
    const audit = [told('token.revoke', tokenId, at)];
    await this.write({ tokens: [revoked.value], droppedTokens: [], audit });
    return { ok: true, value: tokenResource(revoked.value, at) };
  }

  /** Of a worker's token: the next coordinator lets nobody in with it, and the worker is lost there. */
  private async revoked(tokenId: string, at: number): Promise<Result<TokenRow>> {
    const row = await this.store.findWorkerToken(tokenId);
    if (row?.id !== tokenId) return (await this.book()).revoke(tokenId, at);
    return { ok: true, value: { ...row, revokedAt: row.revokedAt ?? at } };
  }

  private async book(): Promise<TokenBook> {
    return new TokenBook(await this.store.loadTokens());
  }

  private async write(
    changes: Pick<WriteBatch, 'tokens' | 'droppedTokens' | 'audit'>,
  ): Promise<void> {
    const { sequence, lastCommitAt } = await this.store.load();
    // The next coordinator still learns from it for how long nobody has worked.
    const at = lastCommitAt ?? this.runtime.now();
    await this.store.commit({ ...nothing, ...changes, sequence: sequence + 1 }, at);
  }
}

/** By whoever may write to the database: it came from no connection. */
function told(action: AuditAction, object: string, at: number): AuditEntry {
  return { ...byItself, action, object, at, count: 1 };
}

const nothing = {
  revokedTokens: [],
  schedulerChanges: [],
  jobs: [],
  tasks: [],
  attempts: [],
  traces: [],
  workers: [],
  recoveries: [],
  notifications: [],
  checkpoints: [],
  droppedStates: [],
  blobReferences: [],
  idempotencyKeys: [],
  work: [],
  deletedJobs: [],
  payloads: [],
  config: null,
  generation: null,
} satisfies Partial<WriteBatch>;
