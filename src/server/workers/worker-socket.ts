// The socket of a worker: frames in, frames out. Whatever a device sends, the worst that can happen
// is that its own connection ends.

import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { askedBy } from '../../coordinator/port/asking.ts';
import type { WorkerSession } from '../../coordinator/port/workers.ts';
import { encodeFrame } from '../../protocol/codec.ts';
import { isErrorCode } from '../../protocol/error-codes.ts';
import type { CoordinatorMessage, HelloMessage, WorkerMessage } from '../../protocol/messages.ts';
import type { Holder } from '../access/audit.ts';
import { type Seat, workerAccount } from '../connections.ts';
import { isOfStop } from '../error-answers.ts';
import { closeCode, closeMs } from '../../protocol/socket-closing.ts';
import { fittingReason, stopping, tooMany } from './close-frame.ts';
import { type FrameTaker, IncomingFrames } from './incoming-frames.ts';
import type { RouteContext } from '../routes/route-context.ts';
import { errorMessage, type FrameReader, type ReceivedFrame } from './worker-frame.ts';

/** A connection must say `hello` within this time. */
const helloMs = 10_000;
/** After so many messages that could not be taken, the connection ends. */
const mostBadMessages = 20;
/**
 * A worker with so many unread bytes gets no assignments until it has read, or is cut off after
 * `stalledMs`.
 */
const mostUnreadBytes = 4 * 1024 * 1024;
const stalledMs = 120_000;
/** One read from the network may contain a little more than the hello. */
const helloSlackBytes = 64 * 1024;
const helloFirst =
  'The first message must be "hello", and only the first, but for one that answers "greet".';

export class WorkerSocket implements FrameTaker {
  private readonly socket: WebSocket;
  private readonly context: RouteContext;
  private readonly readFrame: FrameReader;
  private readonly seat: Seat;
  private readonly greeted: () => void;
  /** Who has opened it, and from where. */
  private readonly holder: Holder;
  /** Called when the worker has proven who it is: from then on its own token counts. */
  private readonly release: () => void;
  private readonly helloTimer: NodeJS.Timeout;
  private frames: IncomingFrames | null = null;
  /** From the first `hello` until the connection ends. */
  private session: WorkerSession | null = null;
  private hasAccount = false;
  /** Nothing is read or sent any more. */
  private isOver = false;
  private badMessages = 0;
  /** Resolvers of those who wait until the device has read. */
  private waiting: (() => void)[] = [];
  private stallTimer: NodeJS.Timeout | undefined;

  /** `greeted` must be called when the hello has come. */
  constructor(
    socket: WebSocket,
    context: RouteContext,
    readFrame: FrameReader,
    seat: Seat,
    greeted: () => void,
    holder: Holder,
  ) {
    this.socket = socket;
    this.context = context;
    this.readFrame = readFrame;
    this.seat = seat;
    this.greeted = greeted;
    this.holder = holder;
    this.release = context.access.live.hold(holder.bearer, () =>
      this.refuse('The token of this connection is good no more.', closeCode.policy),
    );
    const silence = `No hello within ${helloMs / 1000} seconds.`;
    this.helloTimer = setTimeout(() => this.refuse(silence, closeCode.policy), helloMs);
  }

  start(network: Socket): void {
    this.frames = new IncomingFrames(this.socket, network, this.context.inFlight, this);
  }

  /** Before its hello a socket may not send more than the longest hello. */
  arriving(bytes: number): void {
    // Anybody may register: the reserve of memory is for workers that have done work.
    if (this.session?.hasWorked === true) this.frames?.trust();
    const { helloBytes, frameOutlineBytes } = this.context.limits;
    // Whoever may only register sends the hello of a new worker.
    const { bearer } = this.holder;
    const mayOnlyRegister = bearer !== null && bearer.workerId === null;
    const most = (mayOnlyRegister ? helloBytes : frameOutlineBytes) + helloSlackBytes;
    if (this.session !== null || bytes <= most || this.isOver) return;
    this.refuse(`The hello is larger than ${most} bytes.`, closeCode.policy);
  }

  /**
   * A bug in the handling of a worker's frame ends the connection of that worker, not the process.
   * While too much waits at the coordinator, nothing more is read: frames wait in the network, and
   * none is lost.
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
    this.release();
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

  /** False when the order of messages is wrong, which ends the connection. */
  private hand(messages: readonly WorkerMessage[], bytes: number): boolean {
    const hellos = messages.filter((message) => message.type === 'hello');
    const isInOrder =
      this.session === null
        ? hellos.length === 1 && hellos[0] === messages[0]
        : hellos.every(isGreetingOfKnown);
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
      const sink = {
        send: (frame: string) => this.send(frame),
        caughtUp: () => this.caughtUp(),
        close: (reason: string, code: number = closeCode.normal) => {
          this.noteRefusal(reason);
          this.close(code, reason);
        },
      };
      const { bearer, who } = this.holder;
      this.session = this.context.coordinator.sessions.open(sink, bearer, who.address);
      const asker = this.context.audit.askerOfHello(this.holder);
      const { session } = this;
      if (asker === null) session.receive(messages, bytes);
      else askedBy(asker, () => session.receive(messages, bytes));
      return true;
    }
    this.session.receive(messages, bytes);
    return true;
  }

  /** A hello that was refused ends the session by the code of the refusal. */
  private noteRefusal(reason: string): void {
    if (this.session?.workerId !== null || !isErrorCode(reason)) return;
    this.context.audit.refusedHello(this.holder, reason);
  }

  /** Sends a frame; a device that does not read is cut off, and comes back when it can. */
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

  /** Once the worker is known, its socket counts on the worker's own account. */
  private isCounted(): boolean {
    const workerId = this.session?.workerId ?? null;
    if (this.hasAccount || workerId === null) return true;
    if (this.holder.bearer?.workerId !== workerId) this.release();
    this.hasAccount = this.seat.move(workerAccount(workerId));
    if (!this.hasAccount) this.close(closeCode.tryLater, tooMany);
    return this.hasAccount;
  }

  private refuse(detail: string, code: number): void {
    const message: CoordinatorMessage = errorMessage(detail, true);
    this.send(encodeFrame([message]));
    this.close(code, detail);
  }

  /** Stops reading and sending; the session ends at the `close` event of the socket. */
  private close(code: number, reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.socket.close(code, fittingReason(reason));
    const timer = setTimeout(() => this.socket.terminate(), closeMs);
    timer.unref();
    this.socket.once('close', () => clearTimeout(timer));
  }
}

/** Nobody registers twice on a connection. */
function isGreetingOfKnown({ greeting, worker_id: workerId }: HelloMessage): boolean {
  return greeting !== undefined && workerId !== undefined;
}

/** The hello of a new worker is short; one that comes back may hold thousands of attempts. */
function isNew(hello: WorkerMessage): boolean {
  return hello.type === 'hello' && hello.worker_id === undefined;
}
