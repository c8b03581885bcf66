// How slowly a long frame may arrive: as slowly as a body (`body-pace.ts`). The part that has
// arrived is in memory, even when its sender stops in the middle. A short frame takes no shared
// memory, and may stay incomplete for as long as its connection lives.

import { bodySilenceMs, BodyPace, leastBodyRate } from '../body-pace.ts';
import { freeBytes } from '../in-flight.ts';

const lookMs = 5_000;

export class FramePace {
  private readonly onSlow: () => void;
  private pace = new BodyPace(leastBodyRate);
  /** Bytes of the frame that have arrived by now, and that had at the last look. */
  private bytes = 0;
  private seenBytes = 0;
  private silentMs = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(onSlow: () => void) {
    this.onSlow = onSlow;
  }

  /** `bytes` of an incomplete frame have arrived. While nothing is read, the sender is not blamed. */
  update(bytes: number, isRead: boolean): void {
    this.bytes = bytes;
    if (bytes <= freeBytes) this.forget();
    else if (!isRead) this.stop();
    else this.timer ??= setInterval(() => this.look(), lookMs).unref();
  }

  private look(): void {
    const grown = Math.max(0, this.bytes - this.seenBytes);
    this.seenBytes = Math.max(this.seenBytes, this.bytes);
    this.silentMs = grown > 0 ? 0 : this.silentMs + lookMs;
    if (this.pace.arrived(grown, lookMs) && this.silentMs < bodySilenceMs) return;
    this.stop();
    this.onSlow();
  }

  /** The long frame is over: the next one is measured anew. */
  private forget(): void {
    if (this.seenBytes > 0) this.pace = new BodyPace(leastBodyRate);
    this.seenBytes = 0;
    this.silentMs = 0;
    this.stop();
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
