// Tokens while the coordinator runs. All but those of workers are in memory; a worker's is read from the
// store when it comes, and what was read is remembered for a while.

import { timingSafeEqual } from 'node:crypto';
import { isBareToken, parseToken } from '../../protocol/token-text.ts';
import type { TokenReading } from '../../store/reading.ts';
import type { TokenRow } from '../../store/rows.ts';
import type { Rejection, Result } from '../port/rejection.ts';
import type {
  Bearer,
  Checked,
  NewToken,
  QuotaChange,
  TokenAsked,
  TokenChange,
  TokenPort,
} from '../port/tokens.ts';
import { askedByNobody } from '../port/asking.ts';
import { adminOwner } from '../port/principal.ts';
import type { TokenResource } from '../../protocol/tokens.ts';
import type { Runtime } from '../runtime.ts';
import type { Batch } from '../writer/batch.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';
import { MinuteCounts } from './minute-counts.ts';
import { quotaExceeded } from './quota-exceeded.ts';
import { bearerOf, newToken, statusOf, TokenBook, tokenResource } from './token-book.ts';

/** Of workers, and as many that are in no table. */
const mostRemembered = 10_000;
const rememberedMs = 30_000;
/** That a token was used is written this often. */
const usedMs = 600_000;
/** For a person who lets it in. */
const leastWaitMs = 10 * 60_000;
const mostWaitMs = 60 * 60_000;

export interface TokensOptions {
  readonly store: TokenReading;
  readonly runtime: Runtime;
  readonly loop: Pick<WriterLoop, 'ask' | 'settled'>;
  /** Resolves when nobody else has written since. Rejects when somebody has. */
  readonly confirm: () => Promise<void>;
  /** Whether the worker is registered now. */
  readonly isRegistered: (workerId: string) => boolean;
  /** Those that came by this token, and wait for a person to let them in. */
  readonly waitingBy: (tokenId: string) => readonly string[];
  /** All tokens but those of workers. */
  readonly stored: readonly TokenRow[];
}

/** What an operator has decided about a worker. */
type Kept = Pick<TokenRow, 'givenName' | 'needsApproval'>;

/** What a new worker is given. */
export interface Admission {
  readonly token: string;
  readonly hash: string;
  readonly labels: Readonly<Record<string, string>>;
  /** By which token it comes. */
  readonly joined: Bearer['joined'];
  readonly givenName: string | null;
  /** It waits for a person until then; null: it is in. */
  readonly waitsUntil: number | null;
}

export class Tokens implements TokenPort {
  private readonly options: TokensOptions;
  private readonly book: TokenBook;
  private readonly listeners = new Set<(change: TokenChange) => void>();
  private readonly remembered = new Map<string, { row: TokenRow; at: number }>();
  /** In no table. On their own, so that whoever guesses makes nobody else's be read again. */
  private readonly unknown = new Map<string, number>();
  /** How often what is remembered was forgotten. */
  private changes = 0;
  /**
   * By the hash of a worker's token, what has become of it since the start: the worker that has registered anew with
   * it, or null when it was revoked; of the newest. Who shows one was let in before, perhaps long before.
   */
  private readonly since = new Map<string, string | null>();
  /**
   * By the hash of a worker's token, what an operator has decided since the start; of the newest. A socket may have been
   * opened before that.
   */
  private readonly decided = new Map<string, Kept>();
  /** Of workers, by token. */
  private readonly registrations = new MinuteCounts();
  /** Whose use is being written. */
  private readonly noting = new Set<string>();

  constructor(options: TokensOptions) {
    this.options = options;
    this.book = new TokenBook(options.stored);
  }

  get areNeeded(): boolean {
    return this.book.areNeeded;
  }

  create(asked: TokenAsked): Promise<Result<NewToken>> {
    return this.options.loop.ask<Result<NewToken>>((batch) => {
      const created = this.book.create(asked, this.options.runtime, batch.at);
      if (!created.ok) return () => created;
      const { row, text, dropped } = created.value;
      const wereNeeded = this.areNeeded;
      this.book.put(row);
      batch.addToken(row);
      batch.about(row.id);
      if (dropped !== undefined) {
        this.book.drop(dropped.id);
        batch.dropToken(dropped.id);
      }
      return () => {
        if (!wereNeeded) this.tell({ what: 'needed' });
        return { ok: true, value: { token: text, resource: tokenResource(row, batch.at) } };
      };
    });
  }

  async list(): Promise<readonly TokenResource[]> {
    await this.options.loop.settled();
    const at = this.options.runtime.now();
    return this.book.all().map((row) => tokenResource(row, at));
  }

  setQuota(tokenId: string, change: QuotaChange): Promise<Result<TokenResource>> {
    return this.options.loop.ask<Result<TokenResource>>((batch) => {
      const changed = this.book.setQuota(tokenId, change);
      if (!changed.ok) return () => changed;
      const row = changed.value;
      this.book.put(row);
      batch.addToken(row);
      return () => ({ ok: true, value: tokenResource(row, batch.at) });
    });
  }

  async find(tokenId: string): Promise<TokenResource | undefined> {
    await this.options.loop.settled();
    const row = this.book.find(tokenId);
    return row && tokenResource(row, this.options.runtime.now());
  }

  async listOfWorkers(): Promise<readonly TokenResource[]> {
    const at = this.options.runtime.now();
    const rows = await this.options.store.listWorkerTokens(mostRemembered);
    return rows.map((row) => tokenResource(row, at));
  }

  async revoke(tokenId: string): Promise<Result<TokenResource>> {
    // Where nobody needs a token, one would keep nobody away.
    if (this.areNeeded && this.book.find(tokenId) === undefined) {
      const row = await this.options.store.findWorkerToken(tokenId);
      if (row?.id === tokenId) return { ok: true, value: await this.shutOut(row) };
    }
    return this.options.loop.ask<Result<TokenResource>>((batch) => {
      const revoked = this.book.revoke(tokenId, batch.at);
      if (!revoked.ok) return () => revoked;
      const row = revoked.value;
      this.book.put(row);
      batch.addToken(row);
      for (const workerId of this.options.waitingBy(tokenId)) {
        batch.execute({ type: 'refuse_worker', workerId, at: batch.at });
      }
      return () => {
        this.tell({ what: 'revoked', tokenId });
        return { ok: true, value: tokenResource(row, batch.at) };
      };
    });
  }

  /**
   * The token of a worker that was cleared away, by the id of the worker: it does not come back. False when there is
   * none that is good, and where nobody needs one.
   */
  async revokeOfCleared(workerId: string): Promise<boolean> {
    if (!this.areNeeded) return false;
    const row = await this.options.store.findWorkerToken(workerId);
    if (row?.workerId !== workerId || row.revokedAt !== null) return false;
    await this.shutOut(row);
    return true;
  }

  /** Revokes the token of a worker as it was read, and removes the worker if it is there. */
  private shutOut(row: TokenRow): Promise<TokenResource> {
    return this.options.loop.ask((batch) => {
      const { at } = batch;
      // It may have registered anew since, or was revoked.
      const workerId = this.since.has(row.hash) ? this.since.get(row.hash)! : row.workerId;
      if (workerId !== null && this.options.isRegistered(workerId)) {
        batch.execute({ type: 'deregister_worker', workerId, at });
      }
      const revoked: TokenRow = {
        ...row,
        workerId: workerId ?? row.workerId,
        revokedAt: row.revokedAt ?? at,
      };
      batch.addToken(revoked);
      remember(this.since, row.hash, null);
      batch.afterCommit(() => this.forget());
      return () => {
        this.tell({ what: 'revoked', tokenId: row.id });
        return tokenResource(revoked, at);
      };
    });
  }

  async check(text: string): Promise<Checked> {
    const parts = parseToken(text);
    if (parts === undefined && !isBareToken(text)) return { is: 'unknown' };
    const { runtime } = this.options;
    const hash = runtime.hash(text);
    const isOfWorker = parts === undefined || parts.kind === 'worker';
    const row = isOfWorker ? await this.findOfWorker(hash) : this.book.find(parts.id);
    const at = runtime.now();
    if (row === undefined || !isSame(row.hash, hash)) return this.refuse({ is: 'unknown' });
    const status = statusOf(row, at);
    if (status !== 'good') return this.refuse({ is: status, tokenId: row.id });
    if (isOfWorker && row.needsApproval && !this.options.isRegistered(row.workerId ?? '')) {
      return this.refuse({ is: 'expired', tokenId: row.id });
    }
    if (!isOfWorker && at - (row.lastUsedAt ?? -Infinity) >= usedMs) this.noteUse(row.id);
    return { is: 'good', bearer: bearerOf(row, text) };
  }

  /** Who is turned away may give up for good, and another coordinator that has taken over may have let it in. */
  private async refuse(refusal: Checked): Promise<Checked> {
    await this.options.confirm();
    return refusal;
  }

  onChange(listener: (change: TokenChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Lets a worker register in this batch, as who has shown this token; null: where none is needed. A worker
   * that was cleared away keeps the token it has.
   */
  admit(batch: Batch, bearer: Bearer | null, workerId: string): Admission | Rejection {
    batch.about(workerId);
    if (bearer !== null && bearer.workerId !== null) {
      return this.admitAgain(batch, bearer, workerId);
    }
    const refusal = bearer === null ? undefined : this.spend(batch, bearer);
    if (refusal !== undefined) return refusal;
    const shown = bearer === null ? undefined : this.book.find(bearer.principal.tokenId);
    const { id, text: token, hash } = newToken('worker', this.options.runtime);
    const { label = null, needsApproval = false } = shown ?? {};
    const labels = bearer?.labels ?? {};
    const joined = shown === undefined ? null : { tokenId: shown.id, label };
    const row = { ...noLimits, id, kind: 'worker', hash, owner: adminOwner, workerId } as const;
    const came = { label, joinedBy: joined?.tokenId ?? null, givenName: null, needsApproval };
    batch.addToken({ ...row, ...came, labels, createdAt: batch.at });
    const waitsUntil = needsApproval ? endOfWaiting(shown?.expiresAt ?? null, batch.at) : null;
    return { token, hash, labels, joined, givenName: null, waitsUntil };
  }

  /** The token of a worker as it is stored; undefined for one from before tokens were kept. */
  rowOfWorker(hash: string): Promise<TokenRow | undefined> {
    return this.options.store.findToken(hash);
  }

  /** Keeps with the token of a worker what an operator has decided: it outlives the worker. */
  keepOfWorker(batch: Batch, row: TokenRow, kept: Kept): void {
    batch.addToken({ ...row, ...kept });
    remember(this.decided, row.hash, kept);
    batch.afterCommit(() => this.forget());
  }

  /** As it is stored. */
  private async findOfWorker(hash: string): Promise<TokenRow | undefined> {
    const now = this.options.runtime.now();
    const known = this.remembered.get(hash);
    if (known !== undefined && now - known.at < rememberedMs) return known.row;
    if (now - (this.unknown.get(hash) ?? -Infinity) < rememberedMs) return undefined;
    const { changes } = this;
    const row = await this.options.store.findToken(hash);
    // What was read may be from before a commit that came meanwhile.
    if (changes !== this.changes) return this.findOfWorker(hash);
    if (row === undefined) remember(this.unknown, hash, now);
    else remember(this.remembered, hash, { row, at: now });
    return row;
  }

  /** The worker stays away from this batch on. */
  revokeOfWorker(batch: Batch, hash: string): void {
    batch.revokeToken(hash);
    remember(this.since, hash, null);
    batch.afterCommit(() => this.forget());
  }

  private admitAgain(batch: Batch, bearer: Bearer, workerId: string): Admission | Rejection {
    const { principal, hash, text: token, labels } = bearer;
    const before = this.since.has(hash) ? this.since.get(hash)! : bearer.workerId!;
    if (before === null) {
      const detail = 'The token was revoked while the worker was about to register.';
      return { code: 'unauthorized', detail };
    }
    if (this.options.isRegistered(before)) {
      const detail = `This token belongs to worker ${before}, which is registered: use its id.`;
      return { code: 'forbidden', detail };
    }
    const { joined } = bearer;
    const { givenName, needsApproval } = this.decided.get(hash) ?? bearer;
    if (needsApproval) return { code: 'unauthorized', detail: 'Nobody has let this worker in.' };
    const { tokenId: id } = principal;
    const row = { ...noLimits, id, kind: 'worker', hash, owner: adminOwner, workerId } as const;
    const came = { label: joined?.label ?? null, joinedBy: joined?.tokenId ?? null, givenName };
    batch.addToken({ ...row, ...came, needsApproval, labels, createdAt: batch.at });
    remember(this.since, hash, workerId);
    batch.afterCommit(() => this.forget());
    return { token, hash, labels, joined, givenName, waitsUntil: null };
  }

  private forget(): void {
    this.changes++;
    this.remembered.clear();
    this.unknown.clear();
  }

  /** One use of a join token; undefined when it may. */
  private spend(batch: Batch, { principal }: Bearer): Rejection | undefined {
    const row = this.book.find(principal.tokenId);
    const status = row === undefined ? 'unknown' : statusOf(row, batch.at);
    if (row === undefined || status !== 'good') {
      return { code: 'unauthorized', detail: 'The token is no longer good for a registration.' };
    }
    const { registrations_per_minute: most = Infinity } = principal.quota ?? {};
    if (this.registrations.of(row.id, batch.at) >= most) {
      const seconds = this.registrations.secondsUntilBelow(most, row.id, batch.at);
      const detail =
        `Within a minute the token ${row.id} may register ${most} workers (quota registrations_per_minute); ` +
        `try again in ${seconds} s.`;
      return quotaExceeded('registrations_per_minute', detail, seconds);
    }
    if (most < Infinity) this.registrations.add(row.id, batch.at);
    if (row.usesLeft === null) return undefined;
    const spent = { ...row, usesLeft: row.usesLeft - 1, lastUsedAt: batch.at };
    this.book.put(spent);
    batch.addToken(spent);
    return undefined;
  }

  /** Nobody waits for it, and nothing is lost when it fails. */
  private noteUse(tokenId: string): void {
    if (this.noting.has(tokenId)) return;
    this.noting.add(tokenId);
    // It is no change that anybody has asked for.
    const written = askedByNobody(() =>
      this.options.loop.ask((batch) => {
        const row = this.book.find(tokenId);
        if (row !== undefined) {
          const used = { ...row, lastUsedAt: batch.at };
          this.book.put(used);
          batch.addToken(used);
        }
        return () => undefined;
      }),
    );
    written.catch(() => undefined).finally(() => this.noting.delete(tokenId));
  }

  private tell(change: TokenChange): void {
    for (const listener of this.listeners) listener(change);
  }
}

const noLimits = {
  expiresAt: null,
  lastUsedAt: null,
  quota: {},
  usesLeft: null,
  revokedAt: null,
};

/** Those that came first are forgotten first. */
function remember<T>(map: Map<string, T>, hash: string, what: T): void {
  map.delete(hash);
  if (map.size >= mostRemembered) map.delete(map.keys().next().value!);
  map.set(hash, what);
}

/** It waits as long as its link is good, but long enough to be noticed, and not for days. */
function endOfWaiting(expiresAt: number | null, at: number): number {
  return Math.ceil(Math.min(Math.max(expiresAt ?? Infinity, at + leastWaitMs), at + mostWaitMs));
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
