// A coordinator that was updated has the parts of the page by other names. The page that is open begins anew then.

import { read } from '../store/endpoint.ts';

const triedAtKey = 'muster-new-build';
/** What is not there after a new beginning either is not there: it is said, instead of beginning for ever. */
const againMs = 60_000;

/** Call it when a part could not be loaded. Returns whether the page begins anew. */
export async function takeNewBuild(): Promise<boolean> {
  try {
    const sinceMs = Date.now() - Number(sessionStorage.getItem(triedAtKey) ?? 0);
    if (sinceMs >= 0 && sinceMs < againMs) return false;
    // While the coordinator is away the new page would not come, and the old one would be lost.
    await read('/healthz');
    sessionStorage.setItem(triedAtKey, String(Date.now()));
  } catch {
    return false;
  }
  location.reload();
  return true;
}
