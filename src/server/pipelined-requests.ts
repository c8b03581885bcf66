// Requests that a connection sends without waiting for answers. Node begins all that it has read at once,
// hundreds in a turn of the event loop, though their answers leave one after the other anyway. Here each is
// begun when the one before is answered, so that such a connection gets no more turns than any other.

import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** With more the connection ends: Node cannot be asked to read nothing more of it. */
const mostWaiting = 1_000;

interface Line {
  isBusy: boolean;
  readonly waiting: (() => void)[];
}

/** Before any other hook. */
export function beginInOrder(app: FastifyInstance): void {
  const lines = new WeakMap<Socket, Line>();
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const line = lines.get(socket) ?? { isBusy: false, waiting: [] };
    lines.set(socket, line);
    const begin = () => {
      // For who has left nothing more is begun.
      if (socket.destroyed) return void line.waiting.splice(0);
      reply.raw.once('close', () => beginNext(line));
      done();
    };
    if (!line.isBusy) {
      line.isBusy = true;
      return begin();
    }
    if (line.waiting.push(begin) <= mostWaiting) return;
    line.waiting.splice(0);
    socket.destroy();
  });
}

function beginNext(line: Line): void {
  const next = line.waiting.shift();
  if (next === undefined) line.isBusy = false;
  else setImmediate(next);
}
