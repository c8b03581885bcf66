// What the coordinator says of the link with which the page was opened, and to a page without one.

import type { LinkSays } from './page-messages.ts';
import { readBody, type Wire } from './ticket-socket.ts';

const patienceMs = 8_000;

/** Without a token every page is invited where nobody needs one; null where one is needed. */
export async function askOfLink(
  token: string | null,
  fetch: Wire['fetch'],
): Promise<LinkSays | null> {
  try {
    const answer = await fetch('/api/join', {
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(patienceMs),
    });
    const { fields, detail } = await readBody(answer);
    const isUnauthorized = answer.status === 401;
    if (isUnauthorized && token === null) return null;
    if (!answer.ok) {
      const otherwise = `The coordinator answered with HTTP ${answer.status}.`;
      return { ok: false, isOver: isUnauthorized, detail: detail ?? otherwise };
    }
    const { coordinator_name: name, label, needs_approval: needsApproval } = fields;
    return {
      ok: true,
      coordinatorName: nameOrNull(name),
      label: nameOrNull(label),
      needsApproval: needsApproval === true,
    };
  } catch {
    return { ok: false, isOver: false, detail: 'The coordinator does not answer.' };
  }
}

/** More than a coordinator gives itself: what is longer is somebody's joke. */
const longestName = 200;

/** A name that a person is shown. */
export function nameOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, longestName) : null;
}
