// The text of a token: `mst_<kind>_<id>_<secret>_<check>`. All parts have fixed widths, because a secret may
// hold `_` and `-` itself. The check at the end finds a typo, and a text that was cut off, before anybody is
// asked; leak scanners know a token by it.

export type TokenKind = 'admin' | 'client' | 'join' | 'viewer' | 'worker';

export const tokenKinds: readonly TokenKind[] = ['admin', 'client', 'viewer', 'join', 'worker'];

const letters: Readonly<Record<TokenKind, string>> = {
  admin: 'a',
  client: 'c',
  join: 'j',
  viewer: 'v',
  worker: 'w',
};
const kinds = new Map(Object.entries(letters).map(([kind, letter]) => [letter, kind as TokenKind]));

/** Public: it stands in lists and logs. */
const idCharacters = 8;
const checkCharacters = 7;
const form = /^mst_([acjvw])_([0-9a-z]{8})_([A-Za-z0-9_-]{32})_([0-9a-z]{7})$/;
/** Tokens of workers from before they had this form: a secret alone. */
const bareForm = /^[A-Za-z0-9_-]{32}$/;

export interface TokenParts {
  readonly kind: TokenKind;
  readonly id: string;
  /** 192 random bits as 32 characters of base64url. */
  readonly secret: string;
}

export function writeToken({ kind, id, secret }: TokenParts): string {
  const head = `mst_${letters[kind]}_${id}_${secret}`;
  return `${head}_${checkOf(head)}`;
}

/** Undefined for what cannot be a token; nothing says whether it is a good one. */
export function parseToken(text: string): TokenParts | undefined {
  const [, letter, id, secret, check] = form.exec(text) ?? [];
  if (letter === undefined || id === undefined || secret === undefined) return undefined;
  if (check !== checkOf(text.slice(0, -checkCharacters - 1))) return undefined;
  return { kind: kinds.get(letter)!, id, secret };
}

/** Whether it may be the token of a worker that registered before tokens had a form. */
export function isBareToken(text: string): boolean {
  return bareForm.test(text);
}

/** An id of a token, made of a hexadecimal text of random digits. */
export function tokenIdOf(hex: string): string {
  // 48 bits are exact in a number, and more than an id holds.
  const number = Number.parseInt(hex.slice(0, 12), 16) % 36 ** idCharacters;
  return number.toString(36).padStart(idCharacters, '0');
}

/** CRC-32 of the text, in base 36. */
function checkOf(text: string): string {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? polynomial : 0);
  }
  return ((crc ^ 0xffffffff) >>> 0).toString(36).padStart(checkCharacters, '0');
}

const polynomial = 0xedb88320;
