// The socket of a worker: frames in, frames out, and nothing that a device sends can do more harm
// than to end its own connection.

import websocket from '@fastify/websocket';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { Coordinator, WorkerSession } from '../coordinator/port.ts';
import { encodeFrame } from '../protocol/codec.ts';
import type { CoordinatorMessage } from '../protocol/messages.ts';
import { type App, socketPath } from './app.ts';
import { addressAccount, type Place, workerAccount } from './connections.ts';
import { answerOnSocket } from './error-answers.ts';
import { Refusal } from './refusal.ts';
import type { Room } from './routes/room.ts';
import { createFrameReader, errorMessage, type FrameReader } from './worker-frame.ts';

/** A connection must say `hello` within this time. */
const helloMs = 10_000;
/** A closed connection that the other side does not confirm is cut after this time. */
const closeMs = 2_000;
const longestReasonBytes = 123;
const tooMany = 'too many connections (limit connections_per_token)';

const closeCode = {
  normal: 1000,
  goingAway: 1001,
  notText: 1003,
  policy: 1008,
  failed: 1011,
  tryLater: 1013,
} as const;

export function addWorkerSocket(app: App, room: Room): void {
  const { limits, connections } = room;
  const readFrame = createFrameReader(limits);
  void app.register(async (routes) => {
    const scope = routes as unknown as FastifyInstance;
    await scope.register(websocket, {
      options: { maxPayload: limits.frameBytes, perMessageDeflate: false },
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
      schema: { hide: true },
      handler: () => {
        throw new Refusal(
          'not_found',
          'This address speaks WebSocket only, see the worker protocol.',
        );
      },
      wsHandler: (socket, request) => {
        const place = connections.enter(addressAccount(request.raw.socket.remoteAddress));
        if (place === null) return socket.close(closeCode.tryLater, tooMany);
        socket.once('close', () => place.leave());
        WorkerSocket.open(socket, room, readFrame, place);
      },
    });
  });
}

class WorkerSocket {
  private readonly socket: WebSocket;
  private readonly coordinator: Coordinator;
  private readonly log: Logger;
  private readonly readFrame: FrameReader;
  private readonly place: Place;
  private readonly mostBufferedBytes: number;
  private readonly helloTimer: NodeJS.Timeout;
  /** From the first `hello` until the connection ends. */
  private session: WorkerSession | null = null;
  private hasAccount = false;
  private isOver = false;

  static open(socket: WebSocket, room: Room, readFrame: FrameReader, place: Place): void {
    new WorkerSocket(socket, room, readFrame, place).start();
  }

  private constructor(
    socket: WebSocket,
    { coordinator, limits, log }: Room,
    readFrame: FrameReader,
    place: Place,
  ) {
    this.socket = socket;
    this.coordinator = coordinator;
    this.log = log;
    this.readFrame = readFrame;
    this.place = place;
    this.mostBufferedBytes = 2 * limits.frameBytes;
    const silence = `No hello within ${helloMs / 1000} seconds.`;
    this.helloTimer = setTimeout(() => this.refuse(silence, closeCode.policy), helloMs);
  }

  private start(): void {
    const { socket } = this;
    socket.on('message', (data, isBinary) => {
      if (this.isOver) return;
      if (isBinary) this.refuse('A frame must be text, this one is binary.', closeCode.notText);
      else this.receiveSafely((data as Buffer).toString('utf8'));
    });
    socket.on('close', () => {
      this.isOver = true;
      clearTimeout(this.helloTimer);
      this.session?.closed();
    });
  }

  /** A bug met on behalf of one worker ends that worker's connection, not the process. */
  private receiveSafely(text: string): void {
    try {
      this.receive(text);
    } catch (error) {
      this.log.error({ err: error }, 'a frame of a worker failed');
      this.close(closeCode.failed, 'the coordinator failed at this frame');
    }
  }

  private receive(text: string): void {
    const { messages, answers, isFatal } = this.readFrame(text);
    if (messages.length > 0 && !this.hand(messages)) return;
    if (answers.length > 0) this.send(encodeFrame(answers));
    if (isFatal) this.close(closeCode.policy, 'invalid frame');
  }

  /** False when the order of messages is wrong and the connection therefore at its end. */
  private hand(messages: readonly Parameters<WorkerSession['receive']>[0][number][]): boolean {
    const hellos = messages.filter(({ type }) => type === 'hello').length;
    const isInOrder =
      this.session === null ? hellos === 1 && messages[0]!.type === 'hello' : hellos === 0;
    if (!isInOrder) {
      this.refuse('The first message must be "hello", and only the first.', closeCode.policy);
      return false;
    }
    if (this.session === null) {
      clearTimeout(this.helloTimer);
      this.session = this.coordinator.openSession({
        send: (frame) => this.send(frame),
        close: (reason) => this.close(closeCode.normal, reason),
      });
    }
    this.session.receive(messages);
    return true;
  }

  /** A device that does not read is cut off; it comes back when it can. */
  private send(frame: string): void {
    if (this.isOver || !this.isCounted()) return;
    if (this.socket.bufferedAmount > this.mostBufferedBytes) this.socket.terminate();
    else this.socket.send(frame);
  }

  /** From its hello on, the socket of a worker counts on the worker's own account. */
  private isCounted(): boolean {
    const workerId = this.session?.workerId ?? null;
    if (this.hasAccount || workerId === null) return true;
    this.hasAccount = this.place.move(workerAccount(workerId));
    if (!this.hasAccount) this.close(closeCode.tryLater, tooMany);
    return this.hasAccount;
  }

  private refuse(detail: string, code: number): void {
    const message: CoordinatorMessage = errorMessage(detail, true);
    this.send(encodeFrame([message]));
    this.close(code, detail);
  }

  /** Nothing goes in or out any more; the session ends with the socket's own `close` event. */
  private close(code: number, reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.socket.close(code, fittingReason(reason));
    const timer = setTimeout(() => this.socket.terminate(), closeMs);
    timer.unref();
    this.socket.once('close', () => clearTimeout(timer));
  }
}

function closeAll(sockets: readonly WebSocket[]): void {
  for (const socket of sockets) socket.close(closeCode.goingAway, 'the coordinator stops');
  const timer = setTimeout(() => {
    for (const socket of sockets) socket.terminate();
  }, closeMs);
  timer.unref();
}

/** A close frame has room for so many bytes. */
function fittingReason(reason: string): string {
  const bytes = Buffer.from(reason);
  return bytes.length <= longestReasonBytes
    ? reason
    : bytes
        .subarray(0, longestReasonBytes)
        .toString('utf8')
        .replace(/\uFFFD*$/, '');
}
