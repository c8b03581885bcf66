// The part of the client that reads what was done, and by whom, for admins.

import type { AuditAction, AuditResource } from '../protocol/audit.ts';
import { type Endpoint, requestJson } from './request.ts';

export interface AuditFilter {
  /** Id of the token that was shown. */
  readonly token?: string;
  readonly owner?: string;
  readonly action?: AuditAction;
  readonly outcome?: AuditResource['outcome'];
  readonly address?: string;
  /** ISO 8601, like `2026-05-04T09:30:00Z`. */
  readonly since?: string;
  readonly until?: string;
  /** Only entries with a smaller `id`. */
  readonly before?: number;
  /** 100 by default, 1000 at the most. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

export function readAudit(
  endpoint: Endpoint,
  { signal, ...query }: AuditFilter,
): Promise<readonly AuditResource[]> {
  return requestJson(endpoint, '/api/audit', { query, signal });
}
