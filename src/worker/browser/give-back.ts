// What a page that is closed sends to give back what its device holds. Its agent cannot: that is a thread, and one that
// is busy is ended before it has heard of it. The browser sends the request when the page is gone.

import type { AttemptRef } from '../../protocol/messages.ts';
import type { WorkerIdentity } from '../machine/machine.ts';
import type { LastRequest } from './page-messages.ts';

/** Browsers send no more than 64 KiB after their page; an attempt has about 150 bytes. */
const most = 400;

/** Null while there is nothing to give back, or nobody to do it. */
export function givingBack(
  identity: WorkerIdentity | null,
  attempts: readonly AttemptRef[],
): LastRequest | null {
  if (identity === null || attempts.length === 0) return null;
  const { workerId, workerToken } = identity;
  return {
    path: `/api/workers/${workerId}/release`,
    how: {
      method: 'POST',
      keepalive: true,
      headers: { authorization: `Bearer ${workerToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ attempts: attempts.slice(0, most) }),
    },
  };
}
