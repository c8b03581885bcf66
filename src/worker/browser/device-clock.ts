// The clock of the machine: monotonic, and with the time in which the device has slept, when such a clock may stand
// still.

/** Between two looks the device has slept when the clock on the wall is ahead by so much. */
const sleepMs = 10_000;

export interface ClockPorts {
  /** Since the epoch. */
  readonly epochMs: () => number;
  /** Monotonic; it may stand still while the device sleeps. */
  readonly monotonicMs: () => number;
}

export class DeviceClock {
  readonly #ports: ClockPorts;
  #sleptMs = 0;
  #aheadMs: number;

  constructor(ports: ClockPorts) {
    this.#ports = ports;
    this.#aheadMs = ports.epochMs() - ports.monotonicMs();
  }

  nowMs(): number {
    return this.#ports.monotonicMs() + this.#sleptMs;
  }

  /** Twice a second. True: it has slept since the last look. */
  hasSlept(): boolean {
    const aheadMs = this.#ports.epochMs() - this.#ports.monotonicMs();
    const byMs = aheadMs - this.#aheadMs;
    this.#aheadMs = aheadMs;
    if (byMs < sleepMs) return false;
    this.#sleptMs += byMs;
    return true;
  }
}
