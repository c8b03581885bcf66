// The socket of a worker: frames in, frames out, and nothing that a device sends can do more harm
// than to end its own connection.

import websocket from '@fastify/websocket';
import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { WorkerSession } from '../../coordinator/port/workers.ts';
import { encodeFrame } from '../../protocol/codec.ts';
import type { CoordinatorMessage, WorkerMessage } from '../../protocol/messages.ts';
import { type App, socketPath } from '../app.ts';
import { addressAccount, type Place, workerAccount } from '../connections.ts';
import { answerOnSocket, isOfStop } from '../error-answers.ts';
import { Handshakes } from './handshakes.ts';
import { type FrameTaker, IncomingFrames } from './incoming-frames.ts';
import { Refusal } from '../refusal.ts';
import type { RouteContext } from '../routes/route-context.ts';
import {
  createFrameReader,
  errorMessage,
  type FrameReader,
  type ReceivedFrame,
} from './worker-frame.ts';

/** A connection must say `hello` within this time. */
const helloMs = 10_000;
/** A connection ends with so many messages that could not be taken. */
const mostBadMessages = 20;
/** A closed connection that the other side does not confirm is cut after this time. */
const closeMs = 2_000;
/** With so much to read a worker is given no more before it has read, for which it has so much time. */
const mostUnreadBytes = 4 * 1024 * 1024;
const stalledMs = 120_000;
const longestReasonBytes = 123;
const tooMany = 'too many connections (limit connections_per_token)';
/** What is read of the network at once may hold a little more than the hello. */
const helloSlackBytes = 64 * 1024;
const stopping = 'the coordinator stops';
const helloFirst = 'The first message must be "hello", and only the first.';

const closeCode = {
  normal: 1000,
  goingAway: 1001,
  notText: 1003,
  policy: 1008,
  failed: 1011,
  tryLater: 1013,
} as const;

export function addWorkerSocket(app: App, context: RouteContext): void {
  const { limits, connections } = context;
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
      schema: { hide: true },
      handler: () => {
        throw new Refusal(
          'not_found',
          'This address speaks WebSocket only, see the worker protocol.',
        );
      },
      wsHandler: (socket, request) => {
        const account = addressAccount(request.raw.socket.remoteAddress);
        const place = connections.enter(account);
        if (place === null) return socket.close(closeCode.tryLater, tooMany);
        socket.once('close', () => place.leave());
        const greeted = handshakes.begin(account);
        if (greeted === null) {
          socket.close(closeCode.tryLater, 'too many without a hello (limit handshakes)');
          return;
        }
        socket.once('close', greeted);
        new WorkerSocket(socket, context, readFrame, place, greeted).start(request.raw.socket);
      },
    });
  });
}

class WorkerSocket implements FrameTaker {
  private readonly socket: WebSocket;
  private readonly context: RouteContext;
  private readonly readFrame: FrameReader;
  private readonly place: Place;
  private readonly greeted: () => void;
  private readonly helloTimer: NodeJS.Timeout;
  private frames: IncomingFrames | null = null;
  /** From the first `hello` until the connection ends. */
  private session: WorkerSession | null = null;
  private hasAccount = false;
  /** Nothing is heard or said any more. */
  private isOver = false;
  private badMessages = 0;
  /** Who waits until the device has read. */
  private waiting: (() => void)[] = [];
  private stallTimer: NodeJS.Timeout | undefined;

  /** `greeted` is to be called when the hello was heard. */
  constructor(
    socket: WebSocket,
    context: RouteContext,
    readFrame: FrameReader,
    place: Place,
    greeted: () => void,
  ) {
    this.socket = socket;
    this.context = context;
    this.readFrame = readFrame;
    this.place = place;
    this.greeted = greeted;
    const silence = `No hello within ${helloMs / 1000} seconds.`;
    this.helloTimer = setTimeout(() => this.refuse(silence, closeCode.policy), helloMs);
  }

  start(network: Socket): void {
    this.frames = new IncomingFrames(this.socket, network, this.context.inFlight, this);
  }

  /** Who has not said who it is cannot send more than the longest hello. */
  arriving(bytes: number): void {
    // Anybody may register: the reserve of memory is for those that have done something.
    if (this.session?.hasWorked === true) this.frames?.trust();
    const most = this.context.limits.frameOutlineBytes + helloSlackBytes;
    if (this.session !== null || bytes <= most || this.isOver) return;
    this.refuse(`The hello is larger than ${most} bytes.`, closeCode.policy);
  }

  /**
   * A bug met on behalf of one worker ends that worker's connection, not the process. While too much
   * waits at the coordinator, nothing more is read: frames wait in the network, and none is lost.
   */
  take(bytes: Buffer): void | Promise<void> {
    if (this.isOver) return;
    try {
      const frame = this.readFrame(bytes, mostBadMessages - this.badMessages);
      if (frame instanceof Promise) return this.takeLong(frame, bytes.length);
      this.receive(frame, bytes.length);
      if (this.context.coordinator.isCrowded) return this.context.coordinator.eased();
    } catch (error) {
      this.fail(error);
    }
  }

  binary(): void {
    if (this.isOver) return;
    this.refuse('A frame must be text, this one is binary.', closeCode.notText);
  }

  starved(): void {
    if (this.isOver) return;
    this.close(closeCode.tryLater, 'no memory for this frame (limit in_flight_bytes)');
  }

  slow(): void {
    if (!this.isOver) this.refuse('A frame arrives too slowly.', closeCode.policy);
  }

  ended(): void {
    this.isOver = true;
    clearTimeout(this.helloTimer);
    this.session?.closed();
    this.wakeAll();
  }

  private async takeLong(frame: Promise<ReceivedFrame>, bytes: number): Promise<void> {
    try {
      const received = await frame;
      if (this.isOver) return;
      this.receive(received, bytes);
      await this.context.coordinator.eased();
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    if (isOfStop(error)) return this.close(closeCode.goingAway, stopping);
    this.context.log.error({ err: error }, 'a frame of a worker failed');
    this.close(closeCode.failed, 'the coordinator failed at this frame');
  }

  private receive({ messages, answers, badCount, isFatal }: ReceivedFrame, bytes: number): void {
    if (messages.length > 0 && !this.hand(messages, bytes)) return;
    if (answers.length > 0) this.send(encodeFrame(answers));
    this.badMessages += badCount;
    if (isFatal) this.close(closeCode.policy, 'invalid frame');
    else if (this.badMessages >= mostBadMessages) {
      this.refuse(
        `The connection ends with the ${mostBadMessages}th message that could not be taken.`,
        closeCode.policy,
      );
    } else if (this.session === null) this.refuse(helloFirst, closeCode.policy);
  }

  /** False when the order of messages is wrong and the connection therefore at its end. */
  private hand(messages: readonly WorkerMessage[], bytes: number): boolean {
    const hellos = messages.filter(({ type }) => type === 'hello').length;
    const isInOrder =
      this.session === null ? hellos === 1 && messages[0]!.type === 'hello' : hellos === 0;
    if (!isInOrder) {
      this.refuse(helloFirst, closeCode.policy);
      return false;
    }
    if (this.session === null) {
      const { helloBytes } = this.context.limits;
      if (bytes > helloBytes && isNew(messages[0]!)) {
        const detail = `The hello of a new worker is larger than ${helloBytes} bytes (limit hello_bytes).`;
        this.refuse(detail, closeCode.policy);
        return false;
      }
      clearTimeout(this.helloTimer);
      this.greeted();
      this.session = this.context.coordinator.sessions.open({
        send: (frame) => this.send(frame),
        caughtUp: () => this.caughtUp(),
        close: (reason) => this.close(closeCode.normal, reason),
      });
    }
    this.session.receive(messages, bytes);
    return true;
  }

  /** A device that does not read is cut off; it comes back when it can. */
  private send(frame: string): void {
    if (this.isOver || !this.isCounted()) return;
    if (this.socket.bufferedAmount > 2 * this.context.limits.frameBytes) this.socket.terminate();
    else this.socket.send(frame, () => this.written());
  }

  private get isBehind(): boolean {
    return this.socket.bufferedAmount > Math.min(mostUnreadBytes, this.context.limits.frameBytes);
  }

  private caughtUp(): Promise<void> | undefined {
    if (this.isOver || !this.isBehind) return undefined;
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.stallTimer ??= setTimeout(() => this.socket.terminate(), stalledMs).unref();
    });
  }

  /** The network has taken a frame. */
  private written(): void {
    if (!this.isBehind) this.wakeAll();
    else this.stallTimer?.refresh();
  }

  private wakeAll(): void {
    clearTimeout(this.stallTimer);
    this.stallTimer = undefined;
    for (const wake of this.waiting.splice(0)) wake();
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

/** It names no attempts, or none that count; who comes back may hold thousands. */
function isNew(hello: WorkerMessage): boolean {
  return hello.type === 'hello' && hello.worker_id === undefined;
}

function closeAll(sockets: readonly WebSocket[]): void {
  for (const socket of sockets) socket.close(closeCode.goingAway, stopping);
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
