// A link that lets a device join: `https://host:8443/join#t=<join token>.k=<pin>`. The same text is the QR code
// and what `muster worker` takes. What is secret stands behind `#`, which no browser sends and no server logs. A dot
// is between its parts, as it means nothing to a shell: an `&` would end the command there. Links with one are read.

import { parseToken } from './token-text.ts';

export interface JoinLink {
  /** Address of the coordinator, without a path. */
  readonly url: string;
  readonly token: string;
  /** Absent for a certificate that devices trust by themselves, and without TLS. */
  readonly pin?: string | undefined;
}

export const joinPath = '/join';

export function writeJoinLink({ url, token, pin }: JoinLink): string {
  const known = pin === undefined ? '' : `.k=${pin}`;
  return `${url}${joinPath}#t=${token}${known}`;
}

/** Whether somebody means a link: a text with a secret in it, which must not be repeated in messages. */
export function looksLikeJoinLink(text: string): boolean {
  return /\/join(?:[?#]|$)|#(?:.*[&.])?t=|mst_j_/.test(text);
}

/** The parts of a link, or a sentence that says what is wrong without repeating anything of it. */
export function parseJoinLink(text: string): JoinLink | string {
  const [, url, behind] = linkForm.exec(unquoted(text.trim())) ?? [];
  if (url === undefined) return noLink;
  const parts = new Map(
    (behind ?? '').split(/[&.]/).map((part) => [part.slice(0, 2), part.slice(2)] as const),
  );
  const isWhole = [...parts.keys()].every((name) => name === 't=' || name === 'k=');
  const [token, pin] = [parts.get('t='), parts.get('k=')];
  if (token === undefined) return cut;
  if (parseToken(token)?.kind !== 'join' || !isWhole) return changed;
  if (pin !== undefined && !pinForm.test(pin)) return changed;
  return { url: url.toLowerCase(), token, pin };
}

/** The shell of Windows hands on single quotes. */
function unquoted(text: string): string {
  return /^'.*'$/.test(text) ? text.slice(1, -1) : text;
}

const linkForm = /^(https?:\/\/[^/?#@\s\\]+)\/join\/?(?:#(.*))?$/i;
const pinForm = /^[A-Za-z0-9_-]{43}$/;
const noLink =
  'This is no link that lets a device join. One looks like https://host:8000/join#t=….k=…, as `muster join` prints it.';
const cut =
  'The link was cut: what is behind its # is missing. Copy it as a whole, and put it between quotes.';
const changed =
  'The link was cut or changed on its way: copy it as a whole, and put it between quotes.';
