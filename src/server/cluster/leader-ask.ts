// One try to have a request answered by the leader, and what has become of it. It tells apart what was surely not
// begun from what may have been: nothing of a request is sent before there is a connection.

import { type ClientRequest, type IncomingMessage, request as askPlain } from 'node:http';
import { request as askSecure } from 'node:https';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Reach } from '../../cluster/reach.ts';
import type { PassedBody } from './passed-body.ts';

/** How long it may take until there is a connection. */
const connectMs = 2_000;

export type Tried =
  | { readonly is: 'answered'; readonly answer: IncomingMessage }
  | {
      readonly is: 'upgraded';
      readonly answer: IncomingMessage;
      readonly socket: Duplex;
      readonly head: Buffer;
    }
  /** Nothing of the request has left. */
  | { readonly is: 'not_begun'; readonly error: Error }
  /** It broke before the answer: it may have been carried out. */
  | { readonly is: 'unknown'; readonly error: Error };

export interface Asked {
  readonly method: string;
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: Pick<PassedBody, 'sendTo' | 'stop'>;
}

export interface LeaderAsk {
  readonly tried: Promise<Tried>;
  readonly upstream: ClientRequest;
}

export function askLeader(
  { isSecure, host, port, prefix, agent }: Reach,
  { method, path, headers, body }: Asked,
): LeaderAsk {
  const ask = isSecure ? askSecure : askPlain;
  const upstream = ask({
    host,
    port,
    method,
    path: prefix + path,
    headers,
    agent,
    setHost: false,
  });
  const tried = new Promise<Tried>((resolve) => {
    let hasLeft = false;
    const failed = (error: Error) => {
      body.stop();
      resolve({ is: hasLeft ? 'unknown' : 'not_begun', error });
    };
    const timer = setTimeout(() => upstream.destroy(new Error('connect timed out')), connectMs);
    upstream.on('error', failed);
    upstream.once('close', () => {
      clearTimeout(timer);
      failed(new Error('the connection ended'));
    });
    upstream.once('response', (answer) => resolve({ is: 'answered', answer }));
    upstream.once('upgrade', (answer, socket, head) =>
      resolve({ is: 'upgraded', answer, socket, head }),
    );
    upstream.once('socket', (socket) =>
      whenOpen(socket as TLSSocket, () => {
        clearTimeout(timer);
        if (upstream.destroyed) return;
        hasLeft = true;
        body.sendTo(upstream);
      }),
    );
  });
  return { tried, upstream };
}

/** Under TLS when the handshake is over: before that nothing is sent. */
function whenOpen(socket: TLSSocket & { readonly secureConnecting?: boolean }, open: () => void) {
  if (socket.connecting) {
    socket.once(socket.encrypted ? 'secureConnect' : 'connect', open);
  } else if (socket.secureConnecting === true) socket.once('secureConnect', open);
  else open();
}
