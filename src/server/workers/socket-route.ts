// The address where workers open their sockets: who may, and how all of them are closed when the server
// stops. What is said on one is the business of `WorkerSocket`.

import websocket from '@fastify/websocket';
import type { FastifyInstance } from 'fastify';
import type { WebSocket } from 'ws';
import { type App, socketPath } from '../app.ts';
import { answerOnSocket } from '../error-answers.ts';
import { Refusal } from '../refusal.ts';
import type { RouteContext } from '../routes/route-context.ts';
import { closeCode, closeMs } from '../../protocol/socket-closing.ts';
import { stopping, tooMany } from './close-frame.ts';
import { Handshakes } from './handshakes.ts';
import { createFrameReader } from './worker-frame.ts';
import { WorkerSocket } from './worker-socket.ts';

/** `count`: of those that are open, but for those that another member of the cluster passes on. */
export function addWorkerSocket(app: App, context: RouteContext): { readonly count: number } {
  const { limits, connections } = context;
  const { callers } = context.access.options;
  let count = 0;
  const readFrame = createFrameReader(limits);
  const handshakes = new Handshakes(limits.handshakes);
  void app.register(async (routes) => {
    const scope = routes as unknown as FastifyInstance;
    await scope.register(websocket, {
      // Whether a frame is UTF-8 is found out where it is read, a slice a turn.
      options: {
        maxPayload: limits.frameBytes,
        perMessageDeflate: false,
        skipUTF8Validation: true,
      },
      errorHandler: (_error, socket) => socket.terminate(),
      preClose(this: FastifyInstance, done: () => void) {
        closeAll([...this.websocketServer.clients]);
        done();
      },
    });
    scope.websocketServer.on('wsClientError', (error, connection) => {
      answerOnSocket(connection, 'malformed_request', `${error.message}.`);
    });
    // An upgrade that is refused before the plugin has seen it leaves a socket that nobody owns.
    scope.addHook('onResponse', (request, _reply, done) => {
      if (request.raw.headers.upgrade !== undefined) request.raw.socket.destroySoon();
      done();
    });
    scope.route({
      method: 'GET',
      url: socketPath,
      config: { access: 'join', countsAs: 'registrations', audit: 'worker.connect' },
      schema: { hide: true },
      handler: () => {
        throw new Refusal(
          'not_found',
          'This address speaks WebSocket only, see the worker protocol.',
        );
      },
      wsHandler: (socket, request) => {
        if (!callers.of(request.raw).isPassedOn) {
          count++;
          socket.once('close', () => count--);
        }
        const account = connections.accountOf(request);
        const place = connections.enter(account);
        if (place === null) return socket.close(closeCode.tryLater, tooMany);
        socket.once('close', () => place.leave());
        const greeted = handshakes.begin(account);
        if (greeted === null) {
          socket.close(closeCode.tryLater, 'too many without a hello (limit handshakes)');
          return;
        }
        socket.once('close', greeted);
        new WorkerSocket(
          socket,
          context,
          readFrame,
          place,
          greeted,
          context.audit.holderOf(request),
        ).start(request.raw.socket);
      },
    });
  });
  return {
    get count() {
      return count;
    },
  };
}

function closeAll(sockets: readonly WebSocket[]): void {
  for (const socket of sockets) socket.close(closeCode.goingAway, stopping);
  const timer = setTimeout(() => {
    for (const socket of sockets) socket.terminate();
  }, closeMs);
  timer.unref();
}
