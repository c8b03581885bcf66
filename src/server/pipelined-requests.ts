// Requests that a connection sends without waiting for answers. Node would begin all that it has
// read at once, hundreds in a turn of the event loop, though their answers leave one after the
// other anyway. Here a request begins when the one before it is answered, so that no connection
// gets more turns than others.

import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** A connection with more waiting requests is closed: Node cannot be told to stop reading from it. */
const mostWaiting = 1_000;
/** The same for a stranger's: what Node has read of it is begun to the end, and costs the same as being served. */
const mostOfStranger = 50;
/** Of all connections: each holds its head, and many connections with as many would fill the memory. */
const mostWaitingInAll = 5_000;
/** A stranger with no more than these waits however many others have. */
const fewWaiting = 20;

interface Pipeline {
  isBusy: boolean;
  readonly waiting: (() => void)[];
}

/** Call before any other hook is added. */
export function beginInOrder(app: FastifyInstance, isStranger: (socket: Socket) => boolean): void {
  const pipelines = new WeakMap<Socket, Pipeline>();
  let waitingInAll = 0;
  const drop = ({ waiting }: Pipeline) => {
    waitingInAll -= waiting.splice(0).length;
  };
  const beginNext = (pipeline: Pipeline) => {
    const next = pipeline.waiting.shift();
    if (next === undefined) {
      pipeline.isBusy = false;
      return;
    }
    waitingInAll--;
    setImmediate(next);
  };
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    // Read together with others for which it was closed.
    if (socket.destroyed) return;
    const pipeline = pipelines.get(socket) ?? { isBusy: false, waiting: [] };
    pipelines.set(socket, pipeline);
    const begin = () => {
      // The client has left: its other requests are dropped.
      if (socket.destroyed) return drop(pipeline);
      reply.raw.once('close', () => beginNext(pipeline));
      done();
    };
    if (!pipeline.isBusy) {
      pipeline.isBusy = true;
      return begin();
    }
    waitingInAll++;
    const own = pipeline.waiting.push(begin);
    const isCrowd = own > (waitingInAll > mostWaitingInAll ? fewWaiting : mostOfStranger);
    if (own <= mostWaiting && !(isCrowd && isStranger(socket))) return;
    drop(pipeline);
    socket.destroy();
  });
}
