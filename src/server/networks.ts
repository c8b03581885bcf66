// Addresses and networks of the internet protocol, as an operator writes them and as sockets and proxies
// tell them. IPv4 inside of IPv6 (`::ffff:10.0.0.1`) is IPv4.

import { BlockList, isIP, isIPv4 } from 'node:net';

/** One spelling of an address; null when the text is none. A port or a zone with it is left out. */
export function plainAddress(text: string): string | null {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1];
  const bare = bracketed ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
  const address = bare.replace(/%[\w.-]{1,32}$/, '');
  if (isIP(address) === 0) return null;
  if (isIPv4(address)) return address;
  const written = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const inner = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(written);
  if (inner === null) return written;
  const [high, low] = [inner[1]!, inner[2]!].map((part) => Number.parseInt(part, 16));
  return [high! >> 8, high! & 255, low! >> 8, low! & 255].join('.');
}

/** `10.1.2.3`, `10.0.0.0/8`, `::1`, `fd00::/8`; null when the text is none. */
function parsed(text: string): { address: string; bits: number | undefined } | null {
  const [place = '', bits, ...rest] = text.split('/');
  if (rest.length > 0 || isIP(place) === 0) return null;
  const address = plainAddress(place)!;
  if (bits === undefined) return { address, bits };
  const most = isIPv4(address) ? 32 : 128;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= most ? { address, bits: Number(bits) } : null;
}

export function isNetwork(text: string): boolean {
  return parsed(text) !== null;
}

/** Networks that were each checked by `isNetwork`. */
export class Networks {
  private readonly list = new BlockList();

  constructor(networks: readonly string[]) {
    for (const { address, bits } of networks.map(parsed).filter((each) => each !== null)) {
      if (bits === undefined) this.list.addAddress(address, familyOf(address));
      else this.list.addSubnet(address, bits, familyOf(address));
    }
  }

  /** `address` as `plainAddress` writes it. */
  has(address: string): boolean {
    return this.list.check(address, familyOf(address));
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}
