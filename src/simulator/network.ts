// A connection between a device and the coordinator: two directions of text frames, each with its
// delays. A good one keeps order; a bad one loses, repeats and reorders frames. When it breaks,
// each side hears of it in its own time.

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
  /** So far each frame has come once and in its turn. */
  isWhole = true;
  private readonly clock: Clock;
  private readonly prng: Prng;
  private readonly faults: () => Faults;
  private readonly ends: { device: End | null; coordinator: End | null };
  /** Moment of the newest delivery, so that a good direction keeps order. */
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

  /** One side closes in good order: the other hears of it after what was sent before. */
  close(by: 'device' | 'coordinator'): void {
    this.ends[by] = null;
    if (this.isBroken) return;
    const other = by === 'device' ? 'coordinator' : 'device';
    this.clock.at(this.arrival(other), () => this.hangUp(other));
  }

  /** A process died: its side hears nothing more, the other side is told by the system. */
  die(side: 'device' | 'coordinator'): void {
    this.ends[side] = null;
    this.snap();
  }

  /** The line is cut: what is under way is lost. */
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
