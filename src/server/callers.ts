// Who sends a request: from which address, by which scheme, to which host. It is what the connection tells,
// unless the connection comes from a proxy that the operator has named: then it is what that proxy tells
// (`X-Forwarded-For`, `X-Forwarded-Proto`, `X-Forwarded-Host`). From everybody else these headers are
// nothing but text.

import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { Networks, plainAddress } from './networks.ts';

export interface Caller {
  /** In one spelling; empty when the connection is gone already. */
  readonly address: string;
  readonly scheme: 'http' | 'https';
  /** Name and port that the client has asked for. */
  readonly host: string | undefined;
  /** A proxy that is believed has told all this. */
  readonly isProxied: boolean;
}

/** The part of a request that tells. */
export type Asking = Pick<IncomingMessage, 'headers'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

export class Callers {
  private readonly proxies: Networks | null;
  private readonly known = new WeakMap<object, Caller>();

  /** `proxies`: networks, each checked by `isNetwork`. */
  constructor(proxies: readonly string[] = []) {
    this.proxies = proxies.length === 0 ? null : new Networks(proxies);
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

  private find({ socket, headers }: Asking): Caller {
    const given = socket.remoteAddress ?? '';
    const peer = plainAddress(given) ?? given;
    const isEncrypted = (socket as Partial<TLSSocket>).encrypted === true;
    const direct = {
      address: peer,
      scheme: isEncrypted ? 'https' : 'http',
      host: headers.host,
      isProxied: false,
    } as const;
    if (this.proxies?.has(peer) !== true) return direct;
    return {
      address: this.client(peer, headers['x-forwarded-for']),
      scheme: schemeOf(last(headers['x-forwarded-proto'])) ?? direct.scheme,
      host: last(headers['x-forwarded-host']) ?? direct.host,
      isProxied: true,
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
