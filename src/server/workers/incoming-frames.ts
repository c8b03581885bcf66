// The frames of one socket on their way in: taken one after the other, and the next one only when the
// one before has been read, which takes several turns when it is long. What arrives meanwhile is held
// back in the network, and what is here is counted in the memory of all senders.

import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { FramePace } from './frame-pace.ts';
import type { Hold, InFlight } from '../in-flight.ts';

/** A frame for which there is no memory is waited for so long. */
const starvationMs = 30_000;
/** The head of a ping or pong: two bytes and a mask of four. */
const controlHeadBytes = 6;

export interface FrameTaker {
  /** So many bytes of a frame that is not complete yet, and of those that wait. */
  arriving(bytes: number): void;
  /** The next frame follows when this has ended. */
  take(frame: Buffer): void | Promise<void>;
  /** A frame of the kind that is not read here. */
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
   * Bytes of frames that are not complete yet. What was read of the network with the end of a frame may
   * count among them until the next one ends.
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

  /** A worker that has proved itself may use the reserve of memory. */
  trust(): void {
    this.hold.isWorker = true;
  }

  private count(bytes: number): void {
    if (this.isClosed) return;
    this.incomplete += bytes;
    this.taker.arriving(this.incomplete + this.complete);
    this.settleMemory();
  }

  /** Between the fragments of a frame there may be as many of these as a sender likes. */
  private discount(control: Buffer): void {
    this.incomplete = Math.max(0, this.incomplete - control.length - controlHeadBytes);
  }

  private arrived(frame: Buffer, isBinary: boolean): void {
    // Not by its length: in how many fragments it came, with a head each, nobody tells.
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

  /** Reads no more from the network until there is room. */
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
