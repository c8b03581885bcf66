// Without tokens the coordinator serves this machine only. A page from elsewhere must not reach it
// through a visitor's browser (`Origin`), nor under a name of its own that it points here (`Host`).

import type { IncomingHttpHeaders } from 'node:http';

const loopbackHost =
  /^(?:localhost|(?:[a-z0-9-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\])\.?(?::\d{1,5})?$/i;
const loopbackAddress = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

/** Why a request is not served here; null when it is. */
export function foreignness(headers: IncomingHttpHeaders): string | null {
  const { host, origin } = headers;
  if (host === undefined || !loopbackHost.test(host)) {
    return 'This coordinator serves loopback only: the Host header must be localhost, 127.0.0.1 or [::1].';
  }
  if (origin !== undefined && !loopbackHost.test(originHost(origin))) {
    return 'This coordinator serves loopback only: requests of web pages from elsewhere are refused.';
  }
  return null;
}

/** May a server without tokens listen there? */
export function isLoopbackAddress(host: string): boolean {
  return loopbackAddress.test(host);
}

function originHost(origin: string): string {
  const scheme = origin.indexOf('://');
  return scheme < 0 ? '' : origin.slice(scheme + 3);
}
