// Limits the number of open connections of any kind. A connection beyond the limit gets a refusal for its
// first request and is closed then, or after a second without a request.

import type { Socket } from 'node:net';
import type { App } from './app.ts';
import { Refusal } from './refusal.ts';

const silenceMs = 1_000;

export function limitConnections(app: App, most: number): void {
  const tooMany = new WeakSet<Socket>();
  let open = 0;
  app.server.on('connection', (socket: Socket) => {
    open++;
    socket.once('close', () => open--);
    if (open <= most) return;
    tooMany.add(socket);
    const timer = setTimeout(() => socket.destroy(), silenceMs);
    timer.unref();
    socket.once('close', () => clearTimeout(timer));
  });
  // Under TLS the requests are on another socket, which there is when the handshake is over.
  app.server.on('secureConnection', (socket: Socket) => {
    if (open > most) tooMany.add(socket);
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (!tooMany.has(request.raw.socket)) return done();
    reply.header('connection', 'close');
    const detail = `There are ${most} open connections (limit connections); close some, or try again later.`;
    done(new Refusal('busy', detail));
  });
}
