// The part of the client that makes, lists and revokes tokens, for admins.

import type { QuotaName, Quotas } from '../protocol/quotas.ts';
import type { JoinLinkResource, TokenResource } from '../protocol/tokens.ts';
import { type Endpoint, requestJson } from './request.ts';

export interface TokenAsked {
  readonly kind: 'admin' | 'client' | 'viewer' | 'join';
  /** Whose the jobs are that it submits; by default the id of the token. */
  readonly owner?: string;
  readonly label?: string;
  /** Without it a join token is good for an hour, any other for good. */
  readonly expiresInSeconds?: number;
  /** Of a join token: how many workers it may register. */
  readonly uses?: number;
  /** Of a join token: fixed on every worker that registers with it. */
  readonly workerLabels?: Readonly<Record<string, string>>;
  /** What it may use, by name; what is not named is as its kind has it. */
  readonly quota?: Quotas;
  /** Of a join token: workers that register with it wait until a person lets them in. */
  readonly needsApproval?: boolean;
}

export interface JoinLinkAsked {
  readonly label?: string;
  /** An hour by default, at most 30 days. */
  readonly expiresInSeconds?: number;
  /** How many devices may join with it; one by default. */
  readonly uses?: number;
  /** Fixed on every worker that joins with it. */
  readonly workerLabels?: Readonly<Record<string, string>>;
  /** Who joins with it waits until a person lets it in. */
  readonly needsApproval?: boolean;
  /** By which devices reach the coordinator: a host, `host:port` or a whole address. By default one is found. */
  readonly address?: string;
}

export interface NewToken extends TokenResource {
  /** Told only now: nobody can read it again. */
  readonly token: string;
}

export interface TokenClient {
  /** The first must be of the kind `admin`: from then on nobody is served without a token. */
  create(asked: TokenAsked, options?: { readonly signal?: AbortSignal }): Promise<NewToken>;
  /**
   * All but those of workers, oldest first. With `workers` those instead, of cleared ones too, but for revoked ones;
   * newest first.
   */
  list(options?: {
    readonly workers?: boolean;
    readonly signal?: AbortSignal;
  }): Promise<readonly TokenResource[]>;
  /** The bounds of its quotas from now on; null: as its kind has it. What is not named stays. */
  setQuota(
    tokenId: string,
    quota: { readonly [Name in QuotaName]?: number | null },
    options?: { readonly signal?: AbortSignal },
  ): Promise<TokenResource>;
  /** At once: what is open in its name ends. With the token of a worker the worker is removed. */
  revoke(tokenId: string, options?: { readonly signal?: AbortSignal }): Promise<TokenResource>;
}

/** A link with which a device joins; whoever has it can, until it has ended. */
export function joinLink(
  endpoint: Endpoint,
  { label, expiresInSeconds, uses, workerLabels, needsApproval, address }: JoinLinkAsked,
  signal: AbortSignal | undefined,
): Promise<JoinLinkResource> {
  return requestJson(endpoint, '/api/join-links', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      label,
      expires_in_seconds: expiresInSeconds,
      uses,
      worker_labels: workerLabels,
      needs_approval: needsApproval,
      address,
    }),
    signal,
  });
}

export function tokenClient(endpoint: Endpoint): TokenClient {
  return {
    create: (
      { kind, owner, label, expiresInSeconds, uses, workerLabels, needsApproval, quota },
      options,
    ) =>
      requestJson(endpoint, '/api/tokens', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          kind,
          owner,
          label,
          expires_in_seconds: expiresInSeconds,
          uses,
          worker_labels: workerLabels,
          quota,
          needs_approval: needsApproval,
        }),
        signal: options?.signal,
      }),
    list: (options) =>
      requestJson(endpoint, `/api/tokens${options?.workers === true ? '?workers=true' : ''}`, {
        signal: options?.signal,
      }),
    setQuota: (tokenId, quota, options) =>
      requestJson(endpoint, `/api/tokens/${encodeURIComponent(tokenId)}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ quota }),
        signal: options?.signal,
      }),
    revoke: (tokenId, options) =>
      requestJson(endpoint, `/api/tokens/${encodeURIComponent(tokenId)}`, {
        method: 'DELETE',
        signal: options?.signal,
      }),
  };
}
