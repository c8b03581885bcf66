// Who sends a request: from which address, by which scheme, to which host. It is what the connection tells,
// unless the connection comes from a proxy that the operator has named: then it is what that proxy tells
// (`X-Forwarded-For`, `X-Forwarded-Proto`, `X-Forwarded-Host`). From everybody else these headers are
// nothing but text. A member of the cluster that passes a request on is believed in the same way, by its secret.

import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { type MemberProof, proxiedHeader } from './member-proof.ts';
import { Networks, plainAddress } from './networks.ts';

export interface Caller {
  /** In one spelling; empty when the connection is gone already. */
  readonly address: string;
  readonly scheme: 'http' | 'https';
  /** Name and port that the client has asked for. */
  readonly host: string | undefined;
  /** A proxy that is believed has told all this. */
  readonly isProxied: boolean;
  /** Another member of the cluster passes the request on, and has told all this. */
  readonly isPassedOn: boolean;
}

/** The part of a request that tells. */
export type Asking = Pick<IncomingMessage, 'headers'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/** More than a cluster has members. */
const mostMemberAddresses = 1_000;

export class Callers {
  private readonly proxies: Networks | null;
  private readonly members: MemberProof | undefined;
  /** Addresses of connections on which members have passed requests on; the newest last. */
  private readonly memberAddresses = new Set<string>();
  private readonly known = new WeakMap<object, Caller>();

  /** `proxies`: networks, each checked by `isNetwork`. `members`: absent where there is no cluster. */
  constructor(proxies: readonly string[] = [], members?: MemberProof) {
    this.proxies = proxies.length === 0 ? null : new Networks(proxies);
    this.members = members;
  }

  of(request: Asking): Caller {
    const found = this.known.get(request);
    if (found !== undefined) return found;
    const caller = this.find(request);
    this.known.set(request, caller);
    return caller;
  }

  /** Whether a connection comes from a proxy that is believed. */
  isProxy(address = ''): boolean {
    return this.proxies?.has(plainAddress(address) ?? address) === true;
  }

  /** Whether a connection comes from where a member of the cluster was met. */
  isMemberAddress(address = ''): boolean {
    return this.memberAddresses.has(plainAddress(address) ?? address);
  }

  private find({ socket, headers }: Asking): Caller {
    const given = socket.remoteAddress ?? '';
    const peer = plainAddress(given) ?? given;
    const isEncrypted = (socket as Partial<TLSSocket>).encrypted === true;
    const direct = {
      address: peer,
      scheme: isEncrypted ? 'https' : 'http',
      host: headers.host,
      isProxied: false,
      isPassedOn: false,
    } as const;
    if (this.members?.isShown(headers) === true) return this.passedOn(peer, direct, headers);
    if (this.proxies?.has(peer) !== true) return direct;
    return {
      address: this.client(peer, headers['x-forwarded-for']),
      scheme: schemeOf(last(headers['x-forwarded-proto'])) ?? direct.scheme,
      host: last(headers['x-forwarded-host']) ?? direct.host,
      isProxied: true,
      isPassedOn: false,
    };
  }

  /** A trunk, which a member opens for itself, bears no such headers. */
  private passedOn(peer: string, direct: Caller, headers: Asking['headers']): Caller {
    this.memberAddresses.delete(peer);
    this.memberAddresses.add(peer);
    const [oldest] = this.memberAddresses;
    if (this.memberAddresses.size > mostMemberAddresses) this.memberAddresses.delete(oldest!);
    const forwarded = last(headers['x-forwarded-for']);
    if (forwarded === undefined) return { ...direct, isPassedOn: true };
    return {
      address: plainAddress(forwarded) ?? forwarded,
      scheme: schemeOf(last(headers['x-forwarded-proto'])) ?? direct.scheme,
      host: last(headers['x-forwarded-host']),
      isProxied: headers[proxiedHeader] === '1',
      isPassedOn: true,
    };
  }

  /**
   * Each proxy writes at the end who asked it: from the end, the first that is no proxy of the operator is
   * the client. What cannot be read ends the search, since nobody vouches for what is before it.
   */
  private client(peer: string, forwarded: string | string[] | undefined): string {
    let address = peer;
    for (const hop of String(forwarded ?? '')
      .split(',')
      .toReversed()) {
      const next = plainAddress(hop.trim());
      if (next === null) return address;
      address = next;
      if (this.proxies?.has(address) !== true) return address;
    }
    return address;
  }
}

/** What the nearest proxy has written, when several have. */
function last(header: string | string[] | undefined): string | undefined {
  const value = String(header ?? '')
    .split(',')
    .at(-1)!
    .trim();
  return value === '' ? undefined : value;
}

function schemeOf(text: string | undefined): Caller['scheme'] | undefined {
  const scheme = text?.toLowerCase();
  return scheme === 'http' || scheme === 'https' ? scheme : undefined;
}
