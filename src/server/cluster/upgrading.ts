// Requests that ask to become sockets, with what has come behind their heads.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { App } from '../app.ts';

export interface Upgrading {
  has(message: IncomingMessage): boolean;
  headOf(message: IncomingMessage): Buffer;
}

/** Call before sockets are served: who serves them is told of a request behind this. */
export function upgradesOf({ server }: App): Upgrading {
  const heads = new WeakMap<IncomingMessage, Buffer>();
  server.on('upgrade', (message: IncomingMessage, _socket: Duplex, head: Buffer) => {
    heads.set(message, head);
  });
  return {
    has: (message) => heads.has(message),
    headOf: (message) => heads.get(message) ?? Buffer.alloc(0),
  };
}
