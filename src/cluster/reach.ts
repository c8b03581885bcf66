// Connections to one member, at an address that may carry a pin, kept for the requests that follow.

import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { pinnedAddress } from '../transport/index.ts';
import { connectPinned, findNodeModules } from '../transport/pinning.ts';

/** Whoever is asked closes a silent connection later than that: none is closed while something is sent on it. */
const silentMs = 20_000;

export interface Reach {
  /** Without what is behind `#`, and without a slash at the end. */
  readonly url: string;
  readonly agent: Agent;
  readonly isSecure: boolean;
  /** As it stands between brackets, without them. */
  readonly host: string;
  readonly port: number;
  /** Before every path; empty for most. */
  readonly prefix: string;
}

/** Throws a `TypeError` for an address that cannot be meant. */
export function reach(address: string): Reach {
  const { url, pin } = pinnedAddress(address);
  const options = { keepAlive: true, timeout: silentMs };
  const { protocol, hostname, port, pathname } = new URL(url);
  const isSecure = protocol === 'https:';
  const agent = isSecure ? new SecureAgent(options) : new Agent(options);
  if (pin !== undefined) {
    const connect = (...[target, callback]: Parameters<typeof connectTo>) =>
      connectTo(target, callback, pin);
    agent.createConnection = connect as never;
  }
  return {
    url: url.replace(/\/+$/, ''),
    agent,
    isSecure,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 443 : 80) : Number(port),
    prefix: pathname.replace(/\/+$/, ''),
  };
}

function connectTo(
  target: Parameters<typeof connectPinned>[1],
  callback: Parameters<typeof connectPinned>[3],
  pin = '',
): undefined {
  connectPinned(findNodeModules()!, target, pin, callback);
}
