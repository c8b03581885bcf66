// Tokens as lists show them: everything but the secret.

import type { TokenKind } from './token-text.ts';

export interface TokenResource {
  /** Public: the third part of the text of the token. */
  readonly id: string;
  readonly kind: TokenKind;
  /** Whose the jobs are that it submits. */
  readonly owner: string;
  readonly label: string | null;
  readonly status: TokenStatus;
  readonly created_at: string;
  /** Null: never. */
  readonly expires_at: string | null;
  /** To about ten minutes; null before its first use. */
  readonly last_used_at: string | null;
  /** Workers that it may still register; null: any number. */
  readonly uses_left: number | null;
  readonly revoked_at: string | null;
  /** Fixed on every worker that registers with it. */
  readonly worker_labels: Readonly<Record<string, string>>;
  /** Those that were set, by name; the others are as its kind has them. */
  readonly quota: Readonly<Record<string, number>>;
  /** Workers that register with it wait until a person lets them in. */
  readonly needs_approval: boolean;
  /** Of a worker's token: the worker, which may have been cleared away; else null. */
  readonly worker_id: string | null;
  /** Of a worker's token: how an operator has named the worker; null: not at all. */
  readonly worker_name: string | null;
}

export type TokenStatus = 'good' | 'revoked' | 'expired' | 'used_up';

export const tokenStatuses = ['good', 'revoked', 'expired', 'used_up'] as const;

/** A link with which a device joins, and how it was made. */
export interface JoinLinkResource extends TokenResource {
  /** With the secret of the token behind `#`: told only now. */
  readonly link: string;
  /** Of the coordinator, as the link names it. */
  readonly address: string;
  /** By which it may be reached as well. */
  readonly other_addresses: readonly string[];
  /** Devices elsewhere cannot reach the address. */
  readonly only_this_machine: boolean;
  /** The link as a QR code, row by row with a margin of four modules: `1` is dark. */
  readonly qr: readonly string[];
}

/** What a join token says of itself to who shows it, and to everybody where nobody needs one. */
export interface JoinResource {
  /** What people call the coordinator; null when nobody has said. */
  readonly coordinator_name: string | null;
  /** Null where nobody needs a token. */
  readonly id: string | null;
  readonly label: string | null;
  readonly expires_at: string | null;
  readonly uses_left: number | null;
  readonly worker_labels: Readonly<Record<string, string>>;
  readonly needs_approval: boolean;
}
