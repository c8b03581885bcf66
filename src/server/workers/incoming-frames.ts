// The incoming frames of one socket. A frame is taken only when the one before it has been read, which
// takes several turns of the event loop for a long one. Meanwhile the socket is paused, so that further
// frames wait in the network. Bytes that have arrived count in the memory of all senders.

import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { FramePace } from './frame-pace.ts';
import type { Hold, InFlight } from '../in-flight.ts';

/** How long a frame may wait for memory. */
const starvationMs = 30_000;
/** The head of a ping or pong: two bytes and a mask of four. */
const controlHeadBytes = 6;

export interface FrameTaker {
  /** `bytes` have arrived and are not taken: of an incomplete frame and of frames that wait. */
  arriving(bytes: number): void;
  /** The next frame follows when this has ended. */
  take(frame: Buffer): void | Promise<void>;
  /** A binary frame has arrived; only text frames are read. */
  binary(): void;
  /** There was no memory for too long. */
  starved(): void;
  /** A long frame stays incomplete for too long. */
  slow(): void;
  /** The connection is closed, and every frame that had arrived was taken. */
  ended(): void;
}

export class IncomingFrames {
  private readonly socket: WebSocket;
  private readonly inFlight: InFlight;
  private readonly hold: Hold;
  private readonly taker: FrameTaker;
  private readonly pace: FramePace;
  /**
   * Bytes of frames that are not complete yet. The bytes that were read together with the end of a frame
   * may still count here until the next frame ends.
   */
  private incomplete = 0;
  /** Bytes of frames that are complete and not taken yet. */
  private complete = 0;
  private readonly waiting: Buffer[] = [];
  private isTaking = false;
  private isStarved = false;
  private isClosed = false;

  constructor(socket: WebSocket, network: Socket, inFlight: InFlight, taker: FrameTaker) {
    this.socket = socket;
    this.inFlight = inFlight;
    this.hold = inFlight.hold(false);
    this.taker = taker;
    this.pace = new FramePace(() => taker.slow());
    network.on('data', (chunk: Buffer) => this.count(chunk.length));
    socket.on('ping', (data) => this.discount(data));
    socket.on('pong', (data) => this.discount(data));
    socket.on('message', (data, isBinary) => this.arrived(data as Buffer, isBinary));
    socket.on('close', () => {
      this.isClosed = true;
      this.pace.update(0, false);
      this.endIfDone();
    });
  }

  /** A worker that has done work may use the reserve of memory. */
  trust(): void {
    this.hold.isWorker = true;
  }

  private count(bytes: number): void {
    if (this.isClosed) return;
    this.incomplete += bytes;
    this.taker.arriving(this.incomplete + this.complete);
    this.settleMemory();
  }

  /**
   * A sender may put any number of pings and pongs between the fragments of a frame: they do not
   * count.
   */
  private discount(control: Buffer): void {
    this.incomplete = Math.max(0, this.incomplete - control.length - controlHeadBytes);
  }

  private arrived(frame: Buffer, isBinary: boolean): void {
    // Its length cannot be subtracted: the number of its fragments, each with a head, is not known.
    this.incomplete = 0;
    this.pace.update(0, false);
    if (isBinary) return this.taker.binary();
    this.complete += frame.length;
    this.waiting.push(frame);
    this.takeNext();
  }

  private takeNext(): void {
    while (!this.isTaking && this.waiting.length > 0) {
      const frame = this.waiting.shift()!;
      const taking = this.taker.take(frame);
      if (taking === undefined) this.complete -= frame.length;
      else void this.await(taking, frame.length);
    }
    if (!this.isTaking) this.settleMemory();
  }

  private async await(taking: Promise<void>, bytes: number): Promise<void> {
    this.isTaking = true;
    this.socket.pause();
    await taking;
    this.isTaking = false;
    this.complete -= bytes;
    if (!this.isStarved) this.socket.resume();
    this.takeNext();
    this.endIfDone();
  }

  private settleMemory(): void {
    if (this.isClosed) return;
    if (!this.isStarved && !this.hold.resize(this.incomplete + this.complete)) this.starve();
    this.pace.update(this.incomplete, !this.isStarved && !this.isTaking);
  }

  /** Pauses the socket until there is memory. */
  private starve(): void {
    this.isStarved = true;
    this.socket.pause();
    const fed = () => {
      clearTimeout(timer);
      this.socket.off('close', callOff);
      this.isStarved = false;
      if (!this.isTaking) this.socket.resume();
      this.settleMemory();
    };
    const callOff = this.inFlight.onRoom(fed);
    const timer = setTimeout(() => {
      callOff();
      this.taker.starved();
    }, starvationMs);
    timer.unref();
    this.socket.once('close', callOff);
  }

  private endIfDone(): void {
    if (!this.isClosed || this.isTaking) return;
    this.hold.release();
    this.taker.ended();
  }
}
