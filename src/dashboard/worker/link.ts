// The secret of a link that stands behind the # of an address. Some programs that pass links on write the # and
// the = in percent, so both are read.

import { parseToken } from '../../protocol/token-text.ts';

export type AddressLink =
  /** Nobody has opened a link. */
  | { readonly kind: 'none' }
  /** Something was there, and it is no whole link. */
  | { readonly kind: 'damaged' }
  | { readonly kind: 'token'; readonly token: string };

export function readLink(address: string): AddressLink {
  const [, behind = ''] = /(?:#|%23)(.*)$/is.exec(address) ?? [];
  if (behind === '') return { kind: 'none' };
  const parts = decoded(behind).split(/[.&]/);
  const token = parts.find((part) => part.startsWith('t='))?.slice(2);
  if (token === undefined || parseToken(token)?.kind !== 'join') return { kind: 'damaged' };
  return { kind: 'token', token };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
