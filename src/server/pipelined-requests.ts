// Requests that a connection sends without waiting for answers. Node would begin all that it has
// read at once, hundreds in a turn of the event loop, though their answers leave one after the
// other anyway. Here a request begins when the one before it is answered, so that no connection
// gets more turns than others.

import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** A connection with more waiting requests is closed: Node cannot be told to stop reading from it. */
const mostWaiting = 1_000;

interface Pipeline {
  isBusy: boolean;
  readonly waiting: (() => void)[];
}

/** Call before any other hook is added. */
export function beginInOrder(app: FastifyInstance): void {
  const pipelines = new WeakMap<Socket, Pipeline>();
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const pipeline = pipelines.get(socket) ?? { isBusy: false, waiting: [] };
    pipelines.set(socket, pipeline);
    const begin = () => {
      // The client has left: its other requests are dropped.
      if (socket.destroyed) return void pipeline.waiting.splice(0);
      reply.raw.once('close', () => beginNext(pipeline));
      done();
    };
    if (!pipeline.isBusy) {
      pipeline.isBusy = true;
      return begin();
    }
    if (pipeline.waiting.push(begin) <= mostWaiting) return;
    pipeline.waiting.splice(0);
    socket.destroy();
  });
}

function beginNext(pipeline: Pipeline): void {
  const next = pipeline.waiting.shift();
  if (next === undefined) pipeline.isBusy = false;
  else setImmediate(next);
}
