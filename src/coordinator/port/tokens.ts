// Tokens: who may ask. They are made and taken back here, and looked up for every request where they are
// needed. What a role may call is decided at the edge.

import type { Quotas } from '../../protocol/quotas.ts';
import type { TokenKind } from '../../protocol/token-text.ts';
import type { TokenResource } from '../../protocol/tokens.ts';
import type { Principal } from './principal.ts';
import type { Result } from './rejection.ts';

export interface TokenPort {
  /** There is an admin token that was not revoked, expired or not: nobody is served without one. */
  readonly areNeeded: boolean;
  /** The first must be an admin's: with it they are needed. */
  create(asked: TokenAsked): Promise<Result<NewToken>>;
  /** All but those of workers, oldest first; revoked ones too. */
  list(): Promise<readonly TokenResource[]>;
  /** Those of workers, cleared away or not, that were not revoked; newest first, at most 10 000. */
  listOfWorkers(): Promise<readonly TokenResource[]>;
  /** Its bounds from now on. Nothing that is there is taken away. */
  setQuota(tokenId: string, change: QuotaChange): Promise<Result<TokenResource>>;
  /** Undefined for those of workers too. */
  find(tokenId: string): Promise<TokenResource | undefined>;
  /**
   * Rejects the last admin token while others are in use. Of a worker's token: the worker is removed with it, if it
   * is there.
   */
  revoke(tokenId: string): Promise<Result<TokenResource>>;
  /** Whose token this text is. */
  check(text: string): Promise<Checked>;
  /** Is called after the commit. Returns what ends it. */
  onChange(listener: (change: TokenChange) => void): () => void;
}

export interface TokenAsked {
  readonly kind: Exclude<TokenKind, 'worker'>;
  /** By default the id of the token; of an admin's token `admin`. */
  readonly owner?: string;
  readonly label?: string;
  readonly expiresInMs?: number;
  /** How many workers it may register; any number by default. */
  readonly uses?: number;
  /** Of the workers that register with it. */
  readonly workerLabels?: Readonly<Record<string, string>>;
  /** By name; the others are as the kind has them. */
  readonly quota?: Quotas;
  /** Workers that register with it wait until a person lets them in. */
  readonly needsApproval?: boolean;
}

/** By name; null: as the kind has it. */
export type QuotaChange = Readonly<Record<string, number | null>>;

export interface NewToken {
  /** Told only now: nobody can read it again. */
  readonly token: string;
  readonly resource: TokenResource;
}

export type Checked =
  | { readonly is: 'good'; readonly bearer: Bearer }
  | { readonly is: 'unknown' }
  /** It is known whose it was. */
  | { readonly is: 'revoked' | 'expired' | 'used_up'; readonly tokenId: string };

/** Who has shown a good token. */
export interface Bearer {
  readonly principal: Principal & { readonly tokenId: string };
  /** SHA-256 of the text, hex. */
  readonly hash: string;
  readonly text: string;
  readonly expiresAt: number | null;
  /** Of a worker's token: the worker, which may have been cleared away. */
  readonly workerId: string | null;
  /** Fixed on the workers that register with it, or on the worker whose it is. */
  readonly labels: Readonly<Record<string, string>>;
  /** Of a worker's token: the one by which it came, and how an operator has named the worker. */
  readonly joined: { readonly tokenId: string; readonly label: string | null } | null;
  readonly givenName: string | null;
  /** Who registers with it waits for a person; of a worker's token: it waited when it was read. */
  readonly needsApproval: boolean;
}

export type TokenChange =
  | { readonly what: 'revoked'; readonly tokenId: string }
  /** From now on nobody is served without a token. */
  | { readonly what: 'needed' };
