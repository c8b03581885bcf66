// Without tokens the coordinator serves this machine only, and not under a name that somebody else
// has pointed here (`Host`).

const loopbackHost =
  /^(?:localhost|(?:[a-z0-9-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\])\.?(?::\d{1,5})?$/i;
const loopbackAddress = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

export function isLoopbackHost(host: string | undefined): host is string {
  return host !== undefined && loopbackHost.test(host);
}

/** May a server without tokens listen there? */
export function isLoopbackAddress(host: string): boolean {
  return loopbackAddress.test(host);
}
