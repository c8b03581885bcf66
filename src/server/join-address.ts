// The address by which other devices reach this coordinator, for links that let them join. The address by which
// the question came is known to work, so it is the first choice; where the coordinator listens on every address
// of its machine, those follow.

import { X509Certificate } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import type { Caller } from './callers.ts';
import { isLoopbackAddress, isLoopbackHost } from './loopback.ts';
import type { Credentials } from './tls/credentials.ts';

export interface Door {
  /** Where it listens, like `https://0.0.0.0:8000`; null while nothing does. */
  readonly address: string | null;
  /** Absent without TLS of its own. */
  readonly credentials: Pick<Credentials, 'kind' | 'cert' | 'pin'> | undefined;
  /** A proxy stands before it, and speaks TLS with the devices. */
  readonly isBehindProxy: boolean;
}

export interface JoinAddress {
  readonly url: string;
  /** Other addresses of the same coordinator. */
  readonly others: readonly string[];
  readonly pin: string | undefined;
  /** Nobody on another machine reaches it there. */
  readonly isOnlyHere: boolean;
}

type Card = Pick<NetworkInterfaceInfo, 'address' | 'family' | 'internal'>;
type Interfaces = Readonly<Record<string, readonly Card[] | undefined>>;

/**
 * `named`: by whoever asks, instead of what is found. Undefined when that is not an address, or plain HTTP where devices
 * are to use HTTPS.
 */
export function findJoinAddress(
  door: Door,
  caller: Caller,
  named?: string,
  interfaces: Interfaces = networkInterfaces(),
): JoinAddress | undefined {
  const { credentials, isBehindProxy } = door;
  const isProxied = caller.isProxied || (isBehindProxy && credentials === undefined);
  const scheme = isProxied || credentials !== undefined ? 'https' : caller.scheme;
  const port = isProxied || door.address === null ? '' : new URL(door.address).port;
  const found = [...hostsOf(door, caller, interfaces)].map((host) => {
    return originOf(host, scheme, port)!;
  });
  const url = named === undefined ? found[0]! : originOf(named, scheme, port);
  if (url === undefined || (scheme === 'https' && url.startsWith('http:'))) return undefined;
  const pin = credentials?.kind === 'self-signed' && !isProxied ? credentials.pin : undefined;
  const others = [...new Set(found)].filter((other) => other !== url);
  return { url, others, pin, isOnlyHere: isLoopbackHost(new URL(url).host) };
}

/**
 * `url`, where a coordinator listens, for a person to go to: where that is every address of its machine, one of them by
 * which others reach it.
 */
export function addressToShow(
  url: string,
  credentials?: Door['credentials'],
  interfaces: Interfaces = networkInterfaces(),
): string {
  if (!isAnyAddress(new URL(url).hostname)) return url;
  const scheme = url.startsWith('https:') ? 'https' : 'http';
  const caller = {
    address: '',
    scheme,
    host: undefined,
    isProxied: false,
    isPassedOn: false,
  } as const;
  const door = { address: url, credentials, isBehindProxy: false };
  return findJoinAddress(door, caller, undefined, interfaces)!.url;
}

/** At least one; those that are more likely to be reached first. */
function* hostsOf(
  { address, credentials }: Door,
  { host, isProxied, isPassedOn }: Caller,
  interfaces: Interfaces,
): Generator<string> {
  // By that name another member is reached, whose certificate is another one.
  const isOfOther = isPassedOn && !isProxied;
  const isKnown = host !== undefined && !isOfOther && !isLoopbackHost(host) && !isAnyAddress(host);
  if (isKnown) yield host;
  if (isKnown && isProxied) return;
  const listening = address === null ? '127.0.0.1' : bare(new URL(address).hostname);
  if (!isAnyAddress(listening)) {
    if (!isKnown || !isLoopbackAddress(listening)) yield listening;
    return;
  }
  // A certificate of its own is good under its names alone; with a pin, any address is as good.
  const names = credentials?.kind === 'own' ? namesOf(credentials.cert) : [];
  yield* names;
  if (names.length === 0) yield* addressesOf(interfaces);
  if (!isKnown) yield '127.0.0.1';
}

/** A place to listen at, which means another machine to each that asks there. */
function isAnyAddress(host: string): boolean {
  return /^(?:0\.0\.0\.0|\[?::\]?)(?::\d+)?$/.test(host);
}

function namesOf(cert: string): readonly string[] {
  const { subjectAltName = '' } = new X509Certificate(cert);
  return [...subjectAltName.matchAll(/(?:DNS|IP Address):([^,\s]+)/g)]
    .map(([, name]) => name!)
    .filter((name) => !name.includes('*') && !isLoopbackHost(name));
}

/** Bridges of containers and tunnels are reached by fewer devices than the network of the house. */
const inner = /^(?:docker|br-|veth|virbr|vmnet|tun|tap|wg|utun|lxc|cni)/;

function addressesOf(interfaces: Interfaces): readonly string[] {
  const rank = ({ name, family }: { name: string; family: string }) =>
    (inner.test(name) ? 2 : 0) + (family === 'IPv4' ? 0 : 1);
  return Object.entries(interfaces)
    .flatMap(([name, all = []]) => all.map((each) => ({ ...each, name })))
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    .toSorted((one, other) => rank(one) - rank(other))
    .map(({ address }) => address);
}

/** `host`, `host:port` or a whole address; undefined for anything else. */
function originOf(text: string, scheme: string, port: string): string | undefined {
  const isWhole = /^https?:\/\//i.test(text);
  const host = isIPv6(text) ? `[${text}]` : text;
  const whole = isWhole ? text : `${scheme}://${host}`;
  if (!/^https?:\/\/[^/?#@\s\\]+\/?$/i.test(whole) || !URL.canParse(whole)) return undefined;
  const url = new URL(whole);
  const hasPort = /:\d+$/.test(host);
  if (!isWhole && !hasPort) url.port = port;
  return url.origin;
}

function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
