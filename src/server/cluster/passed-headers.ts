// Which headers go on to the leader, and which of its answer go back. What is about one connection only is not
// passed on, and what is between members is neither taken from a client nor shown to one.

import type { IncomingMessage } from 'node:http';
import type { Caller } from '../callers.ts';
import type { ClusterPort } from '../../cluster/port.ts';
import { proofHeader } from '../../cluster/trunk.ts';
import { memberHeader, membersOnly, proxiedHeader } from '../member-proof.ts';

const ofConnection = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
/**
 * The gateway has answered `Expect` itself, says itself who asks, and where a body ends: a client must not be able to
 * have that left out (`Connection: Content-Length`), since what follows would be read as another request.
 */
const ofGateway = [
  'expect',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'content-length',
];
const bodiless = new Set(['GET', 'HEAD']);

type Asked = Pick<IncomingMessage, 'method' | 'headers' | 'rawHeaders'>;

/** Names and values in turn, as they were sent. `framing`: of a body that goes otherwise than it came. */
export function headersToLeader(
  { method = 'GET', headers, rawHeaders }: Asked,
  caller: Caller,
  { secret, member }: Pick<ClusterPort, 'secret' | 'member'>,
  isUpgrade: boolean,
  framing: readonly string[] | null = null,
): string[] {
  const kept = without(rawHeaders, [...ofConnection, ...ofGateway], headers.connection);
  const { host, address, scheme, isProxied } = caller;
  kept.push('X-Forwarded-For', address, 'X-Forwarded-Proto', scheme);
  if (host !== undefined) kept.push('X-Forwarded-Host', host);
  if (isProxied) kept.push(proxiedHeader, '1');
  kept.push(proofHeader, secret, memberHeader, member);
  if (isUpgrade) kept.push('Connection', 'Upgrade', 'Upgrade', 'websocket');
  else if (framing !== null) kept.push(...framing);
  else if (headers['transfer-encoding'] !== undefined) kept.push('Transfer-Encoding', 'chunked');
  else if (headers['content-length'] !== undefined || !bodiless.has(method)) {
    kept.push('Content-Length', headers['content-length'] ?? '0');
  }
  return kept;
}

export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  return coding !== undefined || length !== '0';
}

/** Of an answer that is relayed. That the connection ends with it is told, since the leader wants it so. */
export function headersToClient({
  rawHeaders,
  headers,
}: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): string[] {
  const kept = without(rawHeaders, ofConnection, headers.connection);
  if (headers.connection?.toLowerCase() === 'close') kept.push('Connection', 'close');
  return kept;
}

/** Of the answer that grants a socket: the handshake is between worker and leader, so all of it is passed. */
export function headersOfUpgrade({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string[] {
  return without(rawHeaders, [], undefined);
}

function without(
  raw: readonly string[],
  dropped: readonly string[],
  connection: string | undefined,
): string[] {
  const named = dropped.length === 0 ? [] : (connection ?? '').toLowerCase().split(',');
  const out = new Set([...dropped, ...named.map((name) => name.trim())]);
  const kept: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    if (!out.has(name) && !name.startsWith(membersOnly)) kept.push(raw[i]!, raw[i + 1]!);
  }
  return kept;
}
