// The part of the client that tells who asks.

import type { TokenKind } from '../protocol/token-text.ts';
import { type Endpoint, requestJson } from './request.ts';

export interface SessionResource {
  /** What it may do; `admin` where nobody needs a token. */
  readonly kind: TokenKind;
  /** Null where nobody needs a token. */
  readonly owner: string | null;
  readonly label: string | null;
  /** Nobody needs a token, from wherever it asks. */
  readonly open: boolean;
  readonly needs_token: boolean;
}

export function fetchSession(endpoint: Endpoint, signal?: AbortSignal): Promise<SessionResource> {
  return requestJson(endpoint, '/api/session', { signal });
}
