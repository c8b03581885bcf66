// What the coordinator says of the link with which the page was opened, and of a page without one.

import type { LinkSays } from './page-messages.ts';
import { noTicketNeeded, readBody, ticketPath, type Wire } from './ticket-socket.ts';

const patienceMs = 8_000;

export async function askOfLink(token: string, fetch: Wire['fetch']): Promise<LinkSays> {
  try {
    const answer = await fetch('/api/join', {
      headers: { authorization: `Bearer ${token}` },
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(patienceMs),
    });
    const { fields, detail } = await readBody(answer);
    if (!answer.ok) {
      const otherwise = `The coordinator answered with HTTP ${answer.status}.`;
      return { ok: false, isOver: answer.status === 401, detail: detail ?? otherwise };
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

/** Where nobody needs a token, every page is invited; null where one is needed, or when that cannot be told. */
export async function askWithoutLink(fetch: Wire['fetch']): Promise<LinkSays | null> {
  try {
    const answer = await fetch(ticketPath, {
      method: 'POST',
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(patienceMs),
    });
    await answer.body?.cancel();
    if (answer.status !== noTicketNeeded) return null;
    return { ok: true, coordinatorName: null, label: null, needsApproval: false };
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
