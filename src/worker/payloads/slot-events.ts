// The events of one slot on their way from the executor to the machine: states are packed and large
// results stored on the way. Events keep their order: when an attempt has failed or was stopped, that
// event waits here for its last checkpoint, and events of other attempts wait behind it. A result does
// not wait for a checkpoint.
//
// Invariant: one checkpoint of an attempt is being packed at a time; the newest that came meanwhile
// waits.

import type { AttemptKey, ExecutorEvent, ExecutorOutcome, StopReason } from '../executor.ts';
import { blobReference, bytesReference } from '../../protocol/blob-reference.ts';
import { type PayloadStore, PayloadFault } from './payload-store.ts';

export interface SlotEventPorts {
  readonly slot: number;
  readonly payloads: PayloadStore;
  /** Monotonic. */
  readonly nowMs: () => number;
  readonly emit: (event: ExecutorEvent) => void;
  readonly onPacked: (key: AttemptKey, packMs: number) => void;
  /** Called once per attempt. */
  readonly onDropped: (key: AttemptKey, why: string) => void;
}

type CheckpointEvent = Extract<ExecutorEvent, { readonly type: 'checkpoint' }>;
type Result = Extract<ExecutorOutcome, { readonly type: 'result' }>;

interface Packing {
  next: CheckpointEvent | null;
}

interface Entry {
  event: ExecutorEvent;
  /** Key of the attempt if the event is its outcome, else null. */
  readonly key: AttemptKey | null;
  isReady: boolean;
  patience: ReturnType<typeof setTimeout> | null;
}

/** The coordinator gives an attempt that passed its time limit 5 s to report. */
const longestWaitMs = 4_000;

export class SlotEvents {
  readonly #ports: SlotEventPorts;
  readonly #packings = new Map<AttemptKey, Packing>();
  readonly #complained = new Set<AttemptKey>();
  #line: Entry[] = [];

  constructor(ports: SlotEventPorts) {
    this.#ports = ports;
  }

  accept(event: ExecutorEvent): void {
    if (event.type === 'checkpoint') this.#pack(event);
    else if (event.type === 'finished' && !this.#isPlain(event.outcomes)) {
      for (const outcome of event.outcomes) this.#conclude(outcome);
    } else if (this.#line.length === 0) this.#ports.emit(event);
    else this.#append(event, null, true);
  }

  outcome(outcome: ExecutorOutcome): void {
    this.accept({ type: 'finished', slot: this.#ports.slot, outcomes: [outcome] });
  }

  /** Nobody waits for the attempt any more: its outcome goes on at once, as `stopped`. */
  stop(key: AttemptKey, reason: StopReason): void {
    this.#packings.delete(key);
    const entry = this.#entryOf(key);
    if (entry === undefined || entry.isReady) return;
    entry.event = this.#finished({ type: 'stopped', key, reason });
    this.#ready(entry);
  }

  close(): void {
    this.#packings.clear();
    for (const { patience } of this.#line) if (patience !== null) clearTimeout(patience);
    this.#line = [];
  }

  // ---- checkpoints

  #pack(event: CheckpointEvent): void {
    const packing = this.#packings.get(event.key);
    if (packing !== undefined) packing.next = event;
    else this.#begin(event);
  }

  #begin(event: CheckpointEvent): void {
    const { key, state } = event;
    if (state.encoding !== 'json') return this.#insert(event);
    const packed = this.#ports.payloads.pack(state.text);
    if (!(packed instanceof Promise)) return this.#insert({ ...event, state: packed });
    const packing: Packing = { next: null };
    this.#packings.set(key, packing);
    const beganAt = this.#ports.nowMs();
    packed.then(
      (done) => {
        if (this.#packings.get(key) !== packing) return;
        this.#ports.onPacked(key, this.#ports.nowMs() - beganAt);
        this.#insert({ ...event, state: done });
        this.#proceed(key, packing);
      },
      (error: unknown) => {
        if (this.#packings.get(key) !== packing) return;
        if (!this.#complained.has(key)) this.#ports.onDropped(key, (error as Error).message);
        this.#complained.add(key);
        this.#proceed(key, packing);
      },
    );
  }

  #proceed(key: AttemptKey, { next }: Packing): void {
    this.#packings.delete(key);
    if (next !== null) this.#begin(next);
    const entry = this.#entryOf(key);
    if (entry !== undefined && !this.#packings.has(key)) this.#ready(entry);
  }

  /** Puts a checkpoint before the outcome of its attempt if that waits here, else at the end. */
  #insert(event: CheckpointEvent): void {
    const outcomeAt = this.#line.findIndex(({ key }) => key === event.key);
    const at = outcomeAt < 0 ? this.#line.length : outcomeAt;
    this.#line.splice(at, 0, { event, key: null, isReady: true, patience: null });
    this.#release();
  }

  // ---- outcomes

  #isPlain(outcomes: readonly ExecutorOutcome[]): boolean {
    if (this.#line.length > 0 || this.#packings.size > 0 || this.#complained.size > 0) return false;
    return !outcomes.some((each) => this.#isLarge(each));
  }

  #isLarge(outcome: ExecutorOutcome): outcome is Result {
    if (outcome.type !== 'result') return false;
    return outcome.valueBytes !== undefined || this.#ports.payloads.isLarge(outcome.valueJson);
  }

  #conclude(outcome: ExecutorOutcome): void {
    const { key } = outcome;
    this.#complained.delete(key);
    // Nothing resumes from a checkpoint of a completed task.
    if (outcome.type === 'result') this.#packings.delete(key);
    const isLarge = this.#isLarge(outcome);
    const isReady = !isLarge && !this.#packings.has(key);
    const entry = this.#append(this.#finished(outcome), key, isReady);
    if (isLarge) this.#store(entry, outcome);
    else if (!isReady) entry.patience = setTimeout(() => this.#giveUp(entry, key), longestWaitMs);
  }

  #giveUp(entry: Entry, key: AttemptKey): void {
    this.#packings.delete(key);
    this.#ready(entry);
  }

  #store(entry: Entry, { valueBytes: bytes, ...result }: Result): void {
    const { payloads } = this.#ports;
    const storing =
      bytes === undefined
        ? payloads.storeResult(result.valueJson).then(blobReference)
        : payloads.storeBytes(bytes).then(bytesReference);
    storing.then(
      (valueJson) => {
        if (entry.isReady) return;
        entry.event = this.#finished({ ...result, valueJson });
        this.#ready(entry);
      },
      (error: unknown) => {
        if (entry.isReady) return;
        const { key, runMs, cpuSeconds } = result;
        const isFinal = error instanceof PayloadFault && error.isFinal;
        const errorType = isFinal ? 'result_too_large' : 'result_not_stored';
        const why = { errorType, errorMessage: (error as Error).message, retryable: !isFinal };
        entry.event = this.#finished({ type: 'failure', key, ...why, runMs, cpuSeconds });
        this.#ready(entry);
      },
    );
  }

  #finished(outcome: ExecutorOutcome): ExecutorEvent {
    return { type: 'finished', slot: this.#ports.slot, outcomes: [outcome] };
  }

  // ---- the line

  #entryOf(key: AttemptKey): Entry | undefined {
    return this.#line.find((entry) => entry.key === key);
  }

  #append(event: ExecutorEvent, key: AttemptKey | null, isReady: boolean): Entry {
    const entry: Entry = { event, key, isReady, patience: null };
    this.#line.push(entry);
    this.#release();
    return entry;
  }

  #ready(entry: Entry): void {
    if (entry.patience !== null) clearTimeout(entry.patience);
    entry.patience = null;
    entry.isReady = true;
    this.#release();
  }

  #release(): void {
    while (this.#line[0]?.isReady === true) this.#ports.emit(this.#line.shift()!.event);
  }
}
