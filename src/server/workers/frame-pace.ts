// How slowly a long frame may arrive: as slowly as a body (`body-pace.ts`). What has come of it is in memory,
// and its sender may stop in the middle and be a worker in good standing otherwise. A short one takes nothing
// of what is shared, and may wait for as long as its connection.

import { bodySilenceMs, BodyPace, leastBodyRate } from '../body-pace.ts';
import { freeBytes } from '../in-flight.ts';

const lookMs = 5_000;

export class FramePace {
  private readonly onSlow: () => void;
  private pace = new BodyPace(leastBodyRate);
  /** So much has come of the frame, and had when it was last looked at. */
  private bytes = 0;
  private seenBytes = 0;
  private silentMs = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(onSlow: () => void) {
    this.onSlow = onSlow;
  }

  /** So much has come of a frame that is not complete. While it is not read, nobody waits for its sender. */
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

  /** The next long frame is another one. */
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
