// What the page is shown: at most twice a second, and at once when it is in another phase. A device that does a
// hundred short tasks a second is idle between them, which nobody should see as a flicker.

import type { DevicePhase, DeviceState } from './page-messages.ts';

export interface PhaseSigns {
  readonly isLeaving: boolean;
  readonly isResting: boolean;
  readonly isConnected: boolean;
  /** Since the begin. */
  readonly hasBeenConnected: boolean;
  /** A person at the coordinator must let it in. */
  readonly isWaiting: boolean;
  readonly running: number;
}

export function phaseOf(signs: PhaseSigns): DevicePhase {
  if (signs.isLeaving) return 'leaving';
  if (signs.isResting) return 'resting';
  if (!signs.hasBeenConnected) return 'connecting';
  if (!signs.isConnected) return 'offline';
  if (signs.isWaiting) return 'waiting';
  return signs.running > 0 ? 'working' : 'idle';
}

const shortestMs = 500;
const calm: ReadonlySet<DevicePhase> = new Set(['idle', 'working']);

export class DeviceStates {
  readonly #make: () => DeviceState;
  readonly #tell: (state: DeviceState) => void;
  readonly #nowMs: () => number;
  #toldAtMs = -Infinity;
  #told: string | null = null;
  #phase: DevicePhase | null = null;

  constructor(
    make: () => DeviceState,
    tell: (state: DeviceState) => void,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#make = make;
    this.#tell = tell;
    this.#nowMs = nowMs;
  }

  /** Something may be different. What is not told now is told by one of the next looks, which come all the time. */
  look(phase: DevicePhase): void {
    const isCalm = this.#phase !== null && calm.has(phase) && calm.has(this.#phase);
    const isUrgent = phase !== this.#phase && !isCalm;
    const nowMs = this.#nowMs();
    if (!isUrgent && nowMs - this.#toldAtMs < shortestMs) return;
    const state = this.#make();
    const text = JSON.stringify(state);
    this.#phase = state.phase;
    if (text === this.#told) return;
    this.#told = text;
    this.#toldAtMs = nowMs;
    this.#tell(state);
  }
}
