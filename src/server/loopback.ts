// Without tokens the coordinator serves only this machine, and only under its own names: a request whose
// `Host` is another name that somebody has pointed here is refused.

const loopbackHost =
  /^(?:localhost|(?:[a-z0-9-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\])\.?(?::\d{1,5})?$/i;
const loopbackAddress = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

export function isLoopbackHost(host: string | undefined): host is string {
  return host !== undefined && loopbackHost.test(host);
}

/** Whether a server without tokens may listen at this address. */
export function isLoopbackAddress(host: string): boolean {
  return loopbackAddress.test(host);
}
