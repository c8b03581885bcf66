// The pin of a coordinator's certificate: SHA-256 of its public key (SubjectPublicKeyInfo) in base64url. It
// may be the part `k` behind the `#` of an address, as in links that let a device join; what is behind `#`
// is never sent.

const pinForm = /^[A-Za-z0-9_-]{43}$/;

export function isPin(text: string): boolean {
  return pinForm.test(text);
}

export interface PinnedAddress {
  /** Without what is behind `#`. */
  readonly url: string;
  readonly pin: string | undefined;
}

/**
 * Takes the pin out of an address, and adds one that was given beside it. Throws a `TypeError`, with a
 * sentence without a full stop, when they cannot both be meant.
 */
export function pinnedAddress(address: string, given?: string): PinnedAddress {
  const at = address.indexOf('#');
  const url = at === -1 ? address : address.slice(0, at);
  const told = at === -1 ? null : parts(address.slice(at + 1)).get('k');
  for (const pin of [told, given]) {
    if (typeof pin === 'string' && !isPin(pin)) {
      throw new TypeError(`"${pin}" is not a pin: it has 43 letters, digits, - and _`);
    }
  }
  const pin = told ?? given;
  if (given !== undefined && pin !== given) {
    throw new TypeError(
      `The address names the pin ${pin}, and ${given} was given beside it: leave one of them away`,
    );
  }
  if (pin !== undefined && !/^https:/i.test(url)) {
    throw new TypeError(
      `A pin is of a certificate, and ${url} has none: use the address with https:// in front`,
    );
  }
  return { url, pin };
}

/** Those of a link have a dot between them. */
function parts(behind: string): URLSearchParams {
  return new URLSearchParams(behind.replaceAll('.', '&'));
}

/** The address with its pin behind `#`. */
export function withPin(url: string, pin: string): string {
  return `${url}#k=${pin}`;
}
