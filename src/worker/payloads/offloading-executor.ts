// An executor around another one: it takes care of inputs, results and states that are too large to be
// sent as they are, and of blobs that programs need. The machine sees any executor; the executor inside fetches nothing.

import type {
  AttemptKey,
  Executor,
  ExecutorEvent,
  ExecutorListener,
  ExecutorProgram,
  ExecutorTask,
  StopReason,
} from '../executor.ts';
import { ProgramFault, ProgramOutfits } from './program-outfits.ts';
import { SlotEvents } from './slot-events.ts';
import type { PayloadStore } from './payload-store.ts';
import { SlotInputs } from './slot-inputs.ts';

export interface OffloadingPorts {
  readonly payloads: PayloadStore;
  readonly listener: ExecutorListener;
  /** Monotonic. */
  readonly nowMs: () => number;
  readonly createInner: (listener: ExecutorListener) => Executor;
  /** Told how long packing a checkpoint took. */
  readonly onPacked: (slot: number, key: AttemptKey, packMs: number) => void;
  /** Told once per attempt when a checkpoint could not be sent. */
  readonly onDropped: (key: AttemptKey, why: string) => void;
}

export class OffloadingExecutor implements Executor {
  readonly #ports: OffloadingPorts;
  readonly #inner: Executor;
  readonly #inputs = new Map<number, SlotInputs>();
  readonly #events = new Map<number, SlotEvents>();
  readonly #outfits: ProgramOutfits;
  #isClosed = false;

  constructor(ports: OffloadingPorts) {
    this.#ports = ports;
    this.#outfits = new ProgramOutfits((names) => ports.payloads.hold(names));
    this.#inner = ports.createInner((event) => {
      this.#note(event);
      this.#eventsOf(event.slot).accept(event);
    });
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
      this.#outfits.done(key);
      return this.#eventsOf(slot).outcome({ type: 'stopped', key, reason });
    }
    // The last checkpoint of a stopped attempt is wanted only when the worker leaves.
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
    for (const each of [...this.#inputs.values(), ...this.#events.values()]) each.close();
    await this.#inner.close();
  }

  #inputsOf(slot: number): SlotInputs {
    const known = this.#inputs.get(slot);
    if (known !== undefined) return known;
    const inputs = new SlotInputs({
      fetchInput: (sha256) => this.#ports.payloads.fetchInput(sha256),
      fetchBytes: (sha256) => this.#ports.payloads.fetchBytes(sha256),
      outfit: (program, tasks) => this.#outfits.take(program, tasks),
      forward: (program, tasks) => this.#inner.run(slot, program, tasks),
      fail: (key, what, error) => {
        this.#outfits.done(key);
        const isInvalid = error instanceof ProgramFault;
        const unavailable = what === 'input' ? 'input_unavailable' : 'file_unavailable';
        const errorType = isInvalid ? 'program_invalid' : unavailable;
        const { message: errorMessage } = error;
        const about = { errorType, errorMessage, retryable: !isInvalid, runMs: 0, cpuSeconds: 0 };
        this.#eventsOf(slot).outcome({ type: 'failure', key, ...about });
      },
    });
    this.#inputs.set(slot, inputs);
    return inputs;
  }

  #eventsOf(slot: number): SlotEvents {
    const known = this.#events.get(slot);
    if (known !== undefined) return known;
    const { payloads, nowMs, onDropped, onPacked } = this.#ports;
    const events = new SlotEvents({
      slot,
      payloads,
      nowMs,
      emit: (event) => this.#emit(event),
      onPacked: (key, packMs) => onPacked(slot, key, packMs),
      onDropped,
    });
    this.#events.set(slot, events);
    return events;
  }

  /** Which attempts need their program no longer. */
  #note(event: ExecutorEvent): void {
    if (!this.#outfits.areNeeded) return;
    if (event.type === 'finished') for (const { key } of event.outcomes) this.#outfits.done(key);
    if (event.type === 'returned') for (const key of event.keys) this.#outfits.done(key);
  }

  #emit(event: ExecutorEvent): void {
    if (!this.#isClosed) this.#ports.listener(event);
  }
}
