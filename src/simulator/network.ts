// A connection between a device and the coordinator: two directions of text frames, each with its
// own delays. A good connection keeps order; a bad one loses, repeats and reorders frames. When it
// breaks, each side learns of it at its own time.

import { decodeFrame } from '../protocol/codec.ts';
import type { Clock } from './clock.ts';
import type { Faults } from './faults.ts';
import type { Prng } from './prng.ts';

export interface End {
  frame(text: string): void;
  closed(): void;
}

export class Connection {
  isBroken = false;
  /** True while each frame has come once and in order. */
  isWhole = true;
  private readonly clock: Clock;
  private readonly prng: Prng;
  private readonly faults: () => Faults;
  private readonly ends: { device: End | null; coordinator: End | null };
  /** Moment of the newest delivery to each side, so that a good connection keeps order. */
  private readonly newest = { device: 0, coordinator: 0 };

  constructor(
    clock: Clock,
    prng: Prng,
    faults: () => Faults,
    ends: { device: End; coordinator: End },
  ) {
    this.clock = clock;
    this.prng = prng;
    this.faults = faults;
    this.ends = { ...ends };
  }

  send(to: 'device' | 'coordinator', text: string): void {
    if (this.isBroken) return;
    const { lostFrames, repeatedFrames } = this.faults();
    if (this.prng.chance(lostFrames)) {
      this.isWhole = false;
      return;
    }
    this.deliver(to, text);
    if (!this.prng.chance(repeatedFrames)) return;
    this.isWhole = false;
    this.deliver(to, text);
  }

  /** One side closes: the other learns of it after the frames that were sent before. */
  close(by: 'device' | 'coordinator'): void {
    this.ends[by] = null;
    if (this.isBroken) return;
    const other = by === 'device' ? 'coordinator' : 'device';
    this.clock.at(this.arrival(other), () => this.hangUp(other));
  }

  /** A process has died: its side gets nothing more, and the operating system tells the other side. */
  die(side: 'device' | 'coordinator'): void {
    this.ends[side] = null;
    this.snap();
  }

  /** Cuts the connection: frames under way are lost. */
  snap(): void {
    if (this.isBroken) return;
    this.isBroken = true;
    const [low, high] = this.faults().halfOpenMs;
    for (const side of ['device', 'coordinator'] as const) {
      this.clock.after(this.prng.spread(low, high), () => this.hangUp(side));
    }
  }

  private deliver(to: 'device' | 'coordinator', text: string): void {
    const at = this.arrival(to);
    this.clock.at(at, () => {
      if (!this.isBroken) this.ends[to]?.frame(text);
    });
  }

  private arrival(to: 'device' | 'coordinator'): number {
    const { delayMs, reorderedFrames } = this.faults();
    const at = this.clock.now + this.prng.spread(delayMs[0], delayMs[1]);
    if (this.prng.chance(reorderedFrames)) {
      this.isWhole = false;
      return at;
    }
    this.newest[to] = Math.max(at, this.newest[to]);
    return this.newest[to];
  }

  private hangUp(side: 'device' | 'coordinator'): void {
    const end = this.ends[side];
    this.ends[side] = null;
    end?.closed();
  }
}

export function messagesOf(text: string): readonly unknown[] {
  const frame = decodeFrame(text);
  if (!frame.ok) throw new Error(`A frame of our own does not decode: ${frame.detail}`);
  return frame.messages;
}
