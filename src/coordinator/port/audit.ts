// What was done by somebody's will, and what was refused. Changes are written with their commit (`asking.ts`);
// everything else is told here.

import type { AuditAction, AuditResource } from '../../protocol/audit.ts';

export interface AuditPort {
  /** Is written soon, in an entry of its own. */
  tell(told: Told): void;
  /** The same for what may come often: repetitions of some seconds become one entry. */
  gather(told: Told): void;
  /** Newest first; everything that was told before the call is among them. */
  list(
    filter: AuditAsked,
    beforeId: number | null,
    limit: number,
  ): Promise<readonly AuditResource[]>;
}

export interface Told {
  readonly action: AuditAction;
  readonly object: string | null;
  readonly outcome: AuditResource['outcome'];
  readonly code: string | null;
  readonly tokenId: string | null;
  readonly role: string | null;
  readonly owner: string | null;
  readonly address: string | null;
}

/** Nobody has asked: it happens to the coordinator itself. */
export const byItself = {
  outcome: 'done',
  code: null,
  tokenId: null,
  role: null,
  owner: null,
  address: null,
} as const satisfies Partial<Told>;

export interface AuditAsked {
  readonly tokenId?: string;
  readonly owner?: string;
  readonly action?: AuditAction;
  readonly outcome?: AuditResource['outcome'];
  readonly address?: string;
  readonly since?: number;
  readonly until?: number;
}
