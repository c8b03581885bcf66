// All tokens but those of workers, as they are kept in memory, and the rules by which they are made and taken
// back. Nothing here writes: who asks puts what comes of it into a commit, and then into the book.

import { adminOwner, type Principal } from '../port/principal.ts';
import type { Result } from '../port/rejection.ts';
import type { Bearer, QuotaChange, TokenAsked } from '../port/tokens.ts';
import { quotasOf, whyNoQuota } from '../../protocol/quotas.ts';
import { tokenIdOf, writeToken } from '../../protocol/token-text.ts';
import type { TokenResource, TokenStatus } from '../../protocol/tokens.ts';
import type { TokenRow } from '../../store/rows.ts';
import { isoTime } from '../iso-time.ts';
import type { Runtime } from '../runtime.ts';

/** In all, revoked ones included: those make room for new ones. */
const mostTokens = 10_000;
const joinMs = 3_600_000;

export interface Creation {
  readonly row: TokenRow;
  readonly text: string;
  /** An old one that makes room. */
  readonly dropped: TokenRow | undefined;
}

export class TokenBook {
  private readonly rows: Map<string, TokenRow>;
  /** Asked for every request, so it is counted only after a change; undefined: not yet. */
  private adminCount: number | undefined;

  constructor(rows: readonly TokenRow[]) {
    this.rows = new Map(rows.map((row) => [row.id, row]));
  }

  get areNeeded(): boolean {
    this.adminCount ??= this.all().filter(isAdmin).length;
    return this.adminCount > 0;
  }

  find(id: string): TokenRow | undefined {
    return this.rows.get(id);
  }

  all(): readonly TokenRow[] {
    return [...this.rows.values()];
  }

  put(row: TokenRow): void {
    this.rows.set(row.id, row);
    this.adminCount = undefined;
  }

  drop(id: string): void {
    this.rows.delete(id);
    this.adminCount = undefined;
  }

  create(asked: TokenAsked, runtime: TokenSource, at: number): Result<Creation> {
    const { kind, label = null, uses = null, workerLabels = {}, needsApproval = false } = asked;
    if (kind !== 'admin' && !this.areNeeded) return refused('admin_token_first', adminFirst);
    const dropped = this.rows.size < mostTokens ? undefined : this.oldestRevoked();
    if (this.rows.size >= mostTokens && dropped === undefined) {
      return refused('overloaded', `There are ${mostTokens} tokens; revoke some first.`);
    }
    const { id, text, hash } = newToken(kind, runtime);
    const { owner = kind === 'admin' ? adminOwner : id } = asked;
    const { quota = {} } = asked;
    const refusal = refusedQuota(quota, { kind, owner });
    if (refusal !== undefined) return refusal;
    const { expiresInMs = kind === 'join' ? joinMs : null } = asked;
    const row: TokenRow = {
      id,
      kind,
      hash,
      owner,
      label,
      createdAt: at,
      expiresAt: expiresInMs === null ? null : at + expiresInMs,
      lastUsedAt: null,
      quota,
      usesLeft: uses,
      revokedAt: null,
      workerId: null,
      labels: workerLabels,
      needsApproval,
      joinedBy: null,
      givenName: null,
    };
    return { ok: true, value: { row, text, dropped } };
  }

  /** The row as it is when it was revoked; the same row when it was before. */
  revoke(id: string, at: number): Result<TokenRow> {
    const row = this.rows.get(id);
    if (row === undefined) return refused('unknown_token', `No token has the id ${shown(id)}.`);
    if (row.revokedAt !== null) return { ok: true, value: row };
    const isLast = isAdmin(row) && this.all().filter(isAdmin).length === 1;
    const others = this.all().some((other) => other !== row && statusOf(other, at) === 'good');
    if (isLast && others) return refused('last_admin_token', lastAdmin);
    return { ok: true, value: { ...row, revokedAt: at } };
  }

  /** The row with these bounds. */
  setQuota(id: string, change: QuotaChange): Result<TokenRow> {
    const row = this.rows.get(id);
    if (row === undefined) return refused('unknown_token', `No token has the id ${shown(id)}.`);
    const refusal = refusedQuota(change, row);
    if (refusal !== undefined) return refusal;
    const quota = { ...row.quota };
    for (const [name, bound] of Object.entries(change)) {
      if (bound === null) delete quota[name];
      else quota[name] = bound;
    }
    return { ok: true, value: { ...row, quota } };
  }

  private oldestRevoked(): TokenRow | undefined {
    const revoked = this.all().filter(({ revokedAt }) => revokedAt !== null);
    return revoked.sort((a, b) => a.revokedAt! - b.revokedAt!)[0];
  }
}

/** Expired ones too: nobody is let in because a time is over. */
function isAdmin({ kind, revokedAt }: TokenRow): boolean {
  return kind === 'admin' && revokedAt === null;
}

export type TokenSource = Pick<Runtime, 'hash' | 'newToken'>;

export function newToken(kind: TokenRow['kind'], { hash, newToken: secretOf }: TokenSource) {
  const id = tokenIdOf(hash(secretOf()));
  const text = writeToken({ kind, id, secret: secretOf() });
  return { id, text, hash: hash(text) };
}

export function statusOf({ revokedAt, expiresAt, usesLeft }: TokenRow, at: number): TokenStatus {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && expiresAt <= at) return 'expired';
  return usesLeft === 0 ? 'used_up' : 'good';
}

export function tokenResource(row: TokenRow, at: number): TokenResource {
  return {
    id: row.id,
    kind: row.kind,
    owner: row.owner,
    label: row.label,
    status: statusOf(row, at),
    created_at: isoTime(row.createdAt),
    expires_at: row.expiresAt === null ? null : isoTime(row.expiresAt),
    last_used_at: row.lastUsedAt === null ? null : isoTime(row.lastUsedAt),
    uses_left: row.usesLeft,
    revoked_at: row.revokedAt === null ? null : isoTime(row.revokedAt),
    worker_labels: row.labels,
    quota: row.quota,
    needs_approval: row.needsApproval,
    worker_id: row.workerId,
    worker_name: row.givenName,
  };
}

const bearers = new WeakMap<TokenRow, Bearer>();

/** The same one for the same row: what is made for a principal is kept as long as that is. */
export function bearerOf(row: TokenRow, text: string): Bearer {
  const known = bearers.get(row) ?? makeBearer(row, text);
  bearers.set(row, known);
  return known;
}

function makeBearer(row: TokenRow, text: string): Bearer {
  const { kind: role, id: tokenId, hash, expiresAt, workerId, labels } = row;
  const { joinedBy, label, givenName, needsApproval } = row;
  const joined = joinedBy === null ? null : { tokenId: joinedBy, label };
  const owner = workerId ?? row.owner;
  const seesAll: Principal['seesAll'] = role === 'admin' || role === 'viewer';
  const quota = quotasOf(role, row.quota);
  const principal = { role, tokenId, owner, seesAll, ...(quota === undefined ? {} : { quota }) };
  const came = { joined, givenName, needsApproval };
  return { principal, hash, text, expiresAt, workerId, labels, ...came };
}

function refusedQuota(
  quota: QuotaChange,
  token: Pick<TokenRow, 'kind' | 'owner'>,
): Result<never> | undefined {
  for (const [name, bound] of Object.entries(quota)) {
    const reason = whyNoQuota(name, bound, token);
    if (reason !== undefined) return refused('validation_failed', reason);
  }
  return undefined;
}

type Refused =
  | 'validation_failed'
  | 'admin_token_first'
  | 'last_admin_token'
  | 'unknown_token'
  | 'overloaded';

function refused(code: Refused, detail: string): Result<never> {
  return { ok: false, rejection: { code, detail } };
}

const adminFirst =
  'There is no admin token yet, and the first token must be one: nobody else could make more. ' +
  'Make it with `muster token create --kind admin`.';
const lastAdmin =
  'This is the last admin token, and others are in use: without it nobody could revoke them. ' +
  'Make another admin token first, or revoke the others.';

function shown(id: string): string {
  return JSON.stringify(id.slice(0, 40));
}
