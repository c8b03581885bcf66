// Where a page comes from, as its browser says in `Origin`: scheme, host and port. Compared in one
// form, in which case, default ports and spellings of an address make no difference.

import { shown } from './refusal.ts';

const originForm = /^https?:\/\/[^\s/?#@\\]+$/i;

/** Null for what is not the origin of a web page: `null`, a path behind it, several at once. */
export function canonicalOrigin(text: string): string | null {
  if (!originForm.test(text)) return null;
  try {
    return new URL(text).origin;
  } catch {
    return null;
  }
}

/** Whose pages are served: those of the address itself, and those on the list. */
export class OriginCheck {
  private readonly allowed: ReadonlySet<string>;

  /** In canonical form. */
  constructor(allowed: readonly string[]) {
    this.allowed = new Set(allowed);
  }

  /** Why a request of this page is not served; null when it is. `host` is the header. */
  refusal(origin: string, host: string): string | null {
    const own = canonicalOrigin(`http://${host}`);
    const given = canonicalOrigin(origin);
    if (given !== null && (given === own || this.allowed.has(given))) return null;
    const detail =
      `The origin ${shown(origin)} is neither the address that is served ` +
      `(${own ?? 'which the Host header does not tell'}) nor allowed`;
    return given === null
      ? `${detail}, and cannot be: open the page from an http or https address.`
      : `${detail}. If you trust its pages, start the coordinator with --allow-origin ${given}.`;
  }
}
