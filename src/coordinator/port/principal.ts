// Who asks, as the edge has found out. What it may call is decided at the edge; whose jobs it may see and
// change is decided in the coordinator, so that requests and sockets cannot differ.

import type { adminOwner as coresAdmin } from '../../core/owner.ts';
import type { Quotas } from '../../protocol/quotas.ts';

export type Role = 'admin' | 'client' | 'viewer' | 'join' | 'worker';

export interface Principal {
  readonly role: Role;
  /** Public id of its token; null where nobody needs one. */
  readonly tokenId: string | null;
  /** What it submits belongs to this owner. Of a worker: its id. */
  readonly owner: string;
  /** It sees what belongs to others too. */
  readonly seesAll: boolean;
  /** What bounds it; absent: nothing. */
  readonly quota?: Quotas;
}

/** Owner of what was submitted before there were tokens, or where nobody needs one. */
export const adminOwner: typeof coresAdmin = 'admin';

/** Whoever asks where no tokens are needed. */
export const anybody: Principal = {
  role: 'admin',
  tokenId: null,
  owner: adminOwner,
  seesAll: true,
};
