// An executor around another one, which takes care of what is too large to travel as it is. To the
// machine it looks like any executor; the one inside knows nothing of blobs.

import type {
  AttemptKey,
  Executor,
  ExecutorEvent,
  ExecutorListener,
  ExecutorProgram,
  ExecutorTask,
  StopReason,
} from '../executor.ts';
import { SlotEvents } from './slot-events.ts';
import type { PayloadStore } from './payload-store.ts';
import { SlotInputs } from './slot-inputs.ts';

export interface OffloadingPorts {
  readonly payloads: PayloadStore;
  readonly listener: ExecutorListener;
  /** Monotonic. */
  readonly nowMs: () => number;
  readonly createInner: (listener: ExecutorListener) => Executor;
  /** What packing a checkpoint took. */
  readonly onPacked: (slot: number, key: AttemptKey, packMs: number) => void;
  /** A checkpoint could not be sent; said once per attempt. */
  readonly onDropped: (key: AttemptKey, why: string) => void;
}

export class OffloadingExecutor implements Executor {
  readonly #ports: OffloadingPorts;
  readonly #inner: Executor;
  readonly #inputs = new Map<number, SlotInputs>();
  readonly #events = new Map<number, SlotEvents>();
  #isClosed = false;

  constructor(ports: OffloadingPorts) {
    this.#ports = ports;
    this.#inner = ports.createInner((event) => this.#eventsOf(event.slot).accept(event));
  }

  get slots(): number {
    return this.#inner.slots;
  }

  get isolation(): string {
    return this.#inner.isolation;
  }

  run(slot: number, program: ExecutorProgram, tasks: readonly ExecutorTask[]): void {
    this.#inputsOf(slot).run(program, tasks);
  }

  stop(slot: number, key: AttemptKey, reason: StopReason): void {
    if (this.#inputsOf(slot).drop(key)) {
      return this.#eventsOf(slot).outcome({ type: 'stopped', key, reason });
    }
    // Its last checkpoint is wanted when the worker leaves, and only then.
    if (reason !== 'leaving') this.#eventsOf(slot).stop(key, reason);
    this.#inner.stop(slot, key, reason);
  }

  checkpoint(slot: number, key: AttemptKey): void {
    this.#inner.checkpoint(slot, key);
  }

  forget(jobId: string): void {
    this.#inner.forget(jobId);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#ports.payloads.close();
    for (const line of [...this.#inputs.values(), ...this.#events.values()]) line.close();
    await this.#inner.close();
  }

  #inputsOf(slot: number): SlotInputs {
    const known = this.#inputs.get(slot);
    if (known !== undefined) return known;
    const line = new SlotInputs({
      fetchInput: (sha256) => this.#ports.payloads.fetchInput(sha256),
      forward: (program, tasks) => this.#inner.run(slot, program, tasks),
      fail: (key, errorMessage) => {
        const failure = { type: 'failure', key, errorType: 'input_unavailable' } as const;
        const about = { errorMessage, retryable: true, runMs: 0, cpuSeconds: 0 };
        this.#eventsOf(slot).outcome({ ...failure, ...about });
      },
    });
    this.#inputs.set(slot, line);
    return line;
  }

  #eventsOf(slot: number): SlotEvents {
    const known = this.#events.get(slot);
    if (known !== undefined) return known;
    const { payloads, nowMs, onDropped, onPacked } = this.#ports;
    const line = new SlotEvents({
      slot,
      payloads,
      nowMs,
      emit: (event) => this.#emit(event),
      onPacked: (key, packMs) => onPacked(slot, key, packMs),
      onDropped,
    });
    this.#events.set(slot, line);
    return line;
  }

  #emit(event: ExecutorEvent): void {
    if (!this.#isClosed) this.#ports.listener(event);
  }
}
