// How the coordinator says that a quota is used up.

import type { QuotaName } from '../../protocol/quotas.ts';
import type { Rejection } from '../port/rejection.ts';

export function quotaExceeded(
  quota: QuotaName,
  detail: string,
  retryAfterSeconds: number,
): Rejection<'quota_exceeded'> {
  return { code: 'quota_exceeded', detail, exceeded: { quota, retryAfterSeconds } };
}
