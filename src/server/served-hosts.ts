// Which names a request may call this coordinator by in its header `Host`. A name that somebody else has pointed
// here is refused: a page of that name could otherwise ask as if it were one of ours.

import { hostname } from 'node:os';
import type { Caller } from './callers.ts';
import { isLoopbackHost } from './loopback.ts';

const withPort = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/;

export class ServedHosts {
  private readonly isAny: boolean;
  private readonly areTokensNeeded: () => boolean;
  private readonly names = new Set<string>();

  /** `isAny`: all are served. */
  constructor(isAny: boolean, areTokensNeeded: () => boolean) {
    this.isAny = isAny;
    this.areTokensNeeded = areTokensNeeded;
  }

  /** The coordinator listens on this address too: it is called by it, and by the name of this machine. */
  add(address: string): void {
    for (const name of [address, hostname()]) this.names.add(name.toLowerCase());
  }

  /**
   * Null when it is served. `localAddress`: by which of the addresses of this machine the connection came. A proxy
   * that is believed vouches for the names that it passes on, where nobody is served without a token; another member
   * of the cluster has looked at the name itself.
   */
  refusal({ host, isProxied, isPassedOn }: Caller, localAddress = ''): string | null {
    if (this.isAny || isPassedOn || isLoopbackHost(host)) return null;
    if (isProxied && this.areTokensNeeded()) return null;
    if (this.names.size === 0) return foreignHost;
    const [, name = ''] = withPort.exec((host ?? '').toLowerCase()) ?? [];
    const bare = name.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
    if (this.names.has(bare) || bare === plain(localAddress)) return null;
    return (
      'The Host header must be an address on which this coordinator listens, or the name of its machine ' +
      `(${hostname()}).`
    );
  }
}

const foreignHost =
  'This coordinator serves loopback only: the Host header must be localhost, 127.0.0.1 or [::1].';

function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '').toLowerCase();
}
