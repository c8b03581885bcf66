// The origin of a web page, which its browser sends in `Origin`: scheme, host and port. Origins are
// compared in a canonical form, in which case, default ports and spellings of an address make no
// difference.

import { shown } from './refusal.ts';

const originForm = /^https?:\/\/[^\s/?#@\\]+$/i;

/** Null for a text that is not the origin of a web page: `null`, one with a path, several at once. */
export function canonicalOrigin(text: string): string | null {
  if (!originForm.test(text)) return null;
  try {
    return new URL(text).origin;
  } catch {
    return null;
  }
}

/** Decides which pages are served: those of the coordinator's own address, and those on the list. */
export class OriginCheck {
  private readonly allowed: ReadonlySet<string>;

  /** `allowed`: origins in canonical form. */
  constructor(allowed: readonly string[]) {
    this.allowed = new Set(allowed);
  }

  /** True for the page of an origin on the list, which may read what it is answered. */
  isListed(origin: string): boolean {
    const given = canonicalOrigin(origin);
    return given !== null && this.allowed.has(given);
  }

  /** Why a request of this page is refused; null when it is served. `address`: scheme and host it asks. */
  refusal(origin: string, address: string): string | null {
    const own = canonicalOrigin(address);
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
