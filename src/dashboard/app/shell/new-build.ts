// A coordinator that was updated has the parts of the page by other names. The page that is open says so; when it needs
// a part that is gone it begins anew, with what was being made.

import { signal } from '@preact/signals';
import { read } from '../store/endpoint.ts';

const triedAtKey = 'muster-new-build';
const keptKey = 'muster-kept';
/** What is not there after a new beginning either is not there: it is said, instead of beginning for ever. */
const againMs = 60_000;
/** A checkout builds its pages for some seconds. */
const builtMs = 5_000;

/** The script that is served is not the one that runs here. */
export const hasNewBuild = signal(false);

let build: string | null = null;
let keep: () => string | null = () => null;

/** Call it whenever there is a connection again. The script names all parts, so it changes with each of them. */
export async function lookForNewBuild(): Promise<void> {
  try {
    const answer = await fetch('/app/app.js', { method: 'HEAD', cache: 'no-store' });
    const { status, headers } = answer;
    await answer.text();
    if (status === 503) setTimeout(() => void lookForNewBuild(), builtMs);
    const mark = headers.get('etag');
    if (mark === null) return;
    build ??= mark;
    hasNewBuild.value = mark !== build;
  } catch {
    // With the next connection.
  }
}

/** Call it when a part could not be loaded. Returns whether the page begins anew. */
export async function takeNewBuild(): Promise<boolean> {
  try {
    const sinceMs = Date.now() - Number(sessionStorage.getItem(triedAtKey) ?? 0);
    if (sinceMs >= 0 && sinceMs < againMs) return false;
    // While the coordinator is away the new page would not come, and the old one would be lost.
    await read('/healthz');
    keepAll();
    sessionStorage.setItem(triedAtKey, String(Date.now()));
  } catch {
    return false;
  }
  location.reload();
  return true;
}

/** Somebody wants it, whatever cannot be kept. */
export function beginAnew(): void {
  try {
    keepAll();
  } catch {
    // A file, or more than the browser keeps.
  }
  location.reload();
}

function keepAll(): void {
  const text = keep();
  if (text !== null) sessionStorage.setItem(keptKey, text);
}

/** `what` gives what is being made, as a text; null: nothing. It throws when that cannot be had as a text. */
export function keepOverNewBuild(what: () => string | null): void {
  keep = what;
}

/** What was being made when the page began anew; it is told once. */
export function takeKept(): string | null {
  try {
    const text = sessionStorage.getItem(keptKey);
    forgetKept();
    return text;
  } catch {
    return null;
  }
}

export function forgetKept(): void {
  try {
    sessionStorage.removeItem(keptKey);
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
}
