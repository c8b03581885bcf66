// Orders frames from the page and hears what became of them. Only a window can make frames; when one is
// needed, and when it has to go, is decided in the agent.

import type { FromAgent, ToAgent } from './page-messages.ts';
import { lineOver, type ThreadLine } from './thread-line.ts';

export type FrameOrderMessage = Extract<FromAgent, { readonly type: 'open_frame' | 'close_frame' }>;
export type FrameAnswer = Extract<ToAgent, { readonly type: 'frame_opened' | 'frame_failed' }>;

/** Who has ordered a frame. */
export interface FrameTaker {
  frameOpened(line: ThreadLine): void;
  /** It did not open, or it has ended by itself later. */
  frameFailed(why: string): void;
}

export class FrameSource {
  readonly #tellPage: (message: FrameOrderMessage) => void;
  readonly #takers = new Map<number, FrameTaker>();
  #lastId = 0;

  constructor(tellPage: (message: FrameOrderMessage) => void) {
    this.#tellPage = tellPage;
  }

  /** Returns the number of the frame; no two have the same. */
  open(taker: FrameTaker): number {
    const id = ++this.#lastId;
    this.#takers.set(id, taker);
    this.#tellPage({ type: 'open_frame', id });
    return id;
  }

  /** Removes the frame, and with it its thread, whatever that does. */
  close(id: number): void {
    if (this.#takers.delete(id)) this.#tellPage({ type: 'close_frame', id });
  }

  heard(answer: FrameAnswer): void {
    const taker = this.#takers.get(answer.id);
    // One that is not wanted any more was ordered to be removed.
    if (answer.type === 'frame_opened') {
      if (taker === undefined) answer.port.close();
      else taker.frameOpened(lineOver(answer.port, answer.pulse));
    } else {
      taker?.frameFailed(answer.why);
    }
  }
}
