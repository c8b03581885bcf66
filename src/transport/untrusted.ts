// A certificate that is not taken, in words: what was met, what it means, and what to do. Nothing of a
// request has been sent then.

import { withPin } from './pin.ts';

/** Found in a chain of causes by its name: fetch and sockets wrap what they are given. */
export class UntrustedCertificate extends Error {
  override readonly name = 'UntrustedCertificate';
  readonly code = 'untrusted_certificate';
}

/** The certificate is not the one that was pinned. */
export function anotherPin(place: string, met: string, pin: string): UntrustedCertificate {
  return new UntrustedCertificate(
    `What answers at ${place} has another certificate than the one that is pinned: its pin is ${met}, ` +
      `expected is ${pin}. Either the coordinator has got a new key, or this is not the coordinator. ` +
      'Ask the person who runs it for the pin that `muster doctor` shows there, and use it only if it is ' +
      'the one that was met. Nothing was sent.',
  );
}

/** No pin was given, and the platform does not trust the certificate. `met`: its pin, where it could be read. */
export function notTrusted(url: string, code: string, met: string | null): UntrustedCertificate {
  const shown = met === null ? '' : ` Its pin is ${met}.`;
  const { origin } = new URL(url);
  const pinned = met === null ? '' : `: ${withPin(origin, met)}`;
  return new UntrustedCertificate(
    `The certificate at ${url} is not trusted: ${reasonOf(code)}.${shown} If the coordinator made it itself, ` +
      'compare this pin with the one that `muster serve` has printed and `muster doctor` shows there; if ' +
      `they are the same, use the address with the pin${pinned}. Nothing was sent.`,
  );
}

const reasons: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is signed by itself alone',
  SELF_SIGNED_CERT_IN_CHAIN: 'nobody that this machine trusts has signed it',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'nobody that this machine trusts has signed it',
  UNABLE_TO_GET_ISSUER_CERT: 'nobody that this machine trusts has signed it',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'nobody that this machine trusts has signed it',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet; is the clock of this machine right?',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for other names than this one',
};

function reasonOf(code: string): string {
  return `${reasons[code] ?? 'it was refused'} (${code})`;
}
