// Which addresses a message may be sent to. Whoever submits a job names them, so the coordinator must not be
// led into networks that it can reach and the submitter cannot: only public addresses are allowed, and what
// the operator has named. Ranges are those of the registries of IANA for special purposes.

import { BlockList, isIP, isIPv4 } from 'node:net';

export interface AddressRules {
  /** A name that the operator allows, wherever it leads. */
  readonly isNamed: (host: string) => boolean;
  /** An address that the operator has named, by itself or in a network. */
  readonly isChosen: (address: string) => boolean;
  /** An address as a resolver gives it. What cannot be read is not allowed. */
  readonly allows: (address: string) => boolean;
}

/** Hosts, addresses and networks (`10.1.0.0/16`), each checked by `isAllowance`. */
export function createAddressRules(allowances: readonly string[] = []): AddressRules {
  const names = new Set<string>();
  const networks = new BlockList();
  for (const allowance of allowances) {
    const [place = '', bits] = allowance.split('/');
    const address = plain(place);
    if (address === null) names.add(hostName(place));
    else if (bits === undefined) networks.addAddress(address, familyOf(address));
    else networks.addSubnet(address, Number(bits), familyOf(address));
  }
  const isIn = (address: string) => networks.check(address, familyOf(address));
  return {
    isNamed: (host) => names.has(hostName(host)),
    isChosen: (given) => {
      const address = plain(given);
      return address !== null && isIn(address);
    },
    allows: (given) => {
      const address = plain(given);
      if (address === null) return false;
      return isIn(address) || (isIPv4(address) ? !special.check(address) : isGlobal(address));
    },
  };
}

/** Whether the text is a host, an address, or a network. */
export function isAllowance(text: string): boolean {
  const [place = '', bits, ...rest] = text.split('/');
  if (rest.length > 0) return false;
  const address = plain(place);
  if (address === null) {
    return (
      bits === undefined &&
      /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?\.?$/i.test(place) &&
      !isNumeric(place)
    );
  }
  if (bits === undefined) return true;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (isIPv4(address) ? 32 : 128);
}

/** The host of an address of the web as names are compared: without brackets and the last dot. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$|\.$/g, '');
}

/** What resolvers answer with the loopback, whatever else they are asked. */
export function isLocalName(host: string): boolean {
  const name = hostName(host);
  return name === 'localhost' || name.endsWith('.localhost');
}

const special = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast, reserved, broadcast.
  ['224.0.0.0', 3],
  // The virtual machines of one cloud reach its metadata here.
  ['168.63.129.16', 32],
] as const) {
  special.addSubnet(network, bits, 'ipv4');
}

const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');

/** Within 2000::/3: tunnels that have an address of IPv4 inside, and what is for documents and tests. */
const specialGlobal = new BlockList();
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  specialGlobal.addSubnet(network, bits, 'ipv6');
}

function isGlobal(address: string): boolean {
  return global.check(address, 'ipv6') && !specialGlobal.check(address, 'ipv6');
}

/**
 * One spelling of an address, null when it is none. An address of IPv4 inside one of IPv6 (mapped, or
 * translated by the well-known prefix of NAT64) counts as what it is.
 */
function plain(text: string): string | null {
  const bare = text.replace(/^\[|\]$/g, '');
  if (isIP(bare) === 0 || bare.includes('%')) return null;
  if (isIPv4(bare)) return bare;
  const written = new URL(`http://[${bare}]/`).hostname.slice(1, -1);
  const inner = /^(?:::ffff:|64:ff9b::)(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})$/.exec(written);
  if (inner === null) return written;
  const [high, low] = [inner[1] ?? '0', inner[2]!].map((part) => Number.parseInt(part, 16));
  return [high! >> 8, high! & 255, low! >> 8, low! & 255].join('.');
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

/** Digits alone, or a spelling of a number: an address that was written wrongly, not a name. */
function isNumeric(text: string): boolean {
  return /^(0x[0-9a-f]*|\d+)$/i.test(text.split('.').findLast((part) => part !== '') ?? '');
}
