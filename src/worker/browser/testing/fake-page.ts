// A page without windows: it keeps the orders for frames, and the test says what becomes of them and what
// their threads say.

import type { FromThread, ToThread } from '../child-messages.ts';
import { type FrameOrderMessage, FrameSource, type FrameTaker } from '../frame-source.ts';
import type { ThreadLine } from '../thread-line.ts';

export class FakeFrame implements ThreadLine {
  readonly told: ToThread[] = [];
  isClosed = false;
  /** What a thread may send. */
  say: (message: FromThread | null | object) => void = () => {};
  disappear: () => void = () => {};

  listen(onMessage: (message: unknown) => void, onGone: () => void): void {
    this.say = onMessage;
    this.disappear = onGone;
  }

  send(message: ToThread): void {
    this.told.push(message);
  }

  close(): void {
    this.isClosed = true;
  }
}

export class FakePage {
  readonly orders: FrameOrderMessage[] = [];
  readonly takers = new Map<number, FrameTaker>();
  readonly frames: FrameSource;

  constructor() {
    const { orders, takers } = this;
    this.frames = new (class extends FrameSource {
      override open(taker: FrameTaker): number {
        const id = super.open(taker);
        takers.set(id, taker);
        return id;
      }
    })((order) => orders.push(order));
  }

  /** The frame was made, and its thread says that it is ready. */
  open(id: number): FakeFrame {
    const frame = this.load(id);
    frame.say(['ready']);
    return frame;
  }

  /** The frame was made, and its thread has not said anything yet. */
  load(id: number): FakeFrame {
    const frame = new FakeFrame();
    this.takers.get(id)!.frameOpened(frame);
    return frame;
  }
}
