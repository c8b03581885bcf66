// The part of the client that shows what bounds its token.

import type { QuotaName } from '../protocol/quotas.ts';
import type { TokenKind } from '../protocol/token-text.ts';
import { type Endpoint, requestJson } from './request.ts';

export interface QuotaUse {
  /** Null where nobody needs a token. */
  readonly token_id: string | null;
  readonly kind: TokenKind;
  readonly owner: string;
  readonly quotas: readonly {
    readonly name: QuotaName;
    /** Null: not bounded. */
    readonly bound: number | null;
    /** Null: not counted. */
    readonly used: number | null;
    /** Over what it is counted. */
    readonly per: 'owner' | 'token' | 'submission';
    readonly meaning: string;
  }[];
}

export function fetchQuota(endpoint: Endpoint, signal?: AbortSignal): Promise<QuotaUse> {
  return requestJson(endpoint, '/api/quota', { signal });
}
