// The way between a device and the coordinator: half of a round trip for every frame, and the time that its bytes
// take. Frames keep their order.

import type { Clock } from '../../simulator/clock.ts';

const bitsInByte = 8;
/** Of a frame, beside the inputs, results and states in it: for headers and for what goes with every task. */
const frameBytes = 100;

export class Link {
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #msPerByte: number;
  readonly #freeAt = { up: 0, down: 0 };
  #isCut = false;

  constructor(
    clock: Clock,
    plan: { readonly roundTripMs: number; readonly bandwidthMbps: number | null },
  ) {
    this.#clock = clock;
    this.#delayMs = plan.roundTripMs / 2;
    const { bandwidthMbps } = plan;
    this.#msPerByte = bandwidthMbps === null ? 0 : bitsInByte / (bandwidthMbps * 1000);
  }

  /** Calls when a frame has arrived that takes so many bytes of payload along. */
  carry(way: 'up' | 'down', payloadBytes: number, arrive: () => void): void {
    if (this.#isCut) return;
    const begin = Math.max(this.#clock.now, this.#freeAt[way]);
    const sentAt = begin + (frameBytes + payloadBytes) * this.#msPerByte;
    this.#freeAt[way] = sentAt;
    this.#clock.at(sentAt + this.#delayMs, () => {
      if (!this.#isCut) arrive();
    });
  }

  /** Whatever is under way is lost, and nobody is told. */
  cut(): void {
    this.#isCut = true;
  }
}
