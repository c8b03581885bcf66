// A page that is closed gives back what its device holds, without its agent: that is a thread, and one that is busy is
// ended before it has heard of it. The browser sends the request when the page is gone.

import type { Holding } from '../../worker/browser/page-messages.ts';

/** Browsers send no more than 64 KiB after their page; an attempt has about 150 bytes. */
const most = 400;

export function giveBack(
  { workerId, workerToken, attempts }: Holding,
  send: (path: string, request: RequestInit) => Promise<unknown>,
): void {
  send(`/api/workers/${workerId}/release`, {
    method: 'POST',
    keepalive: true,
    headers: { authorization: `Bearer ${workerToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ attempts: attempts.slice(0, most) }),
    // Whoever might hear of a failure is gone by then.
  }).catch(() => {});
}
