// Workers as a trace tells them: what they are, when they come and go, and now and then what they measure.

import type { MeasuredTelemetry, WorkerDescription } from '../../core/commands.ts';
import type { WorkerRecord } from '../../core/records.ts';
import type { ToldAs, ToldEvent } from '../../core/told-events.ts';
import type { CodeBook } from './code-book.ts';
import type { Outlet } from './outlet.ts';
import { TelemetrySampler } from './telemetry-sampler.ts';
import type { PauseReason, RecordOf } from './trace-format.ts';

type Described = Pick<WorkerDescription, 'type' | 'platform' | 'slots' | 'isolation' | 'labels'> & {
  readonly cores: number | null;
};

export class WorkerBook {
  readonly #outlet: Outlet;
  readonly #codes: CodeBook;
  readonly #sampler = new TelemetrySampler();
  /** As they have described themselves. */
  readonly #described = new Map<string, Described>();
  readonly #leaving = new Set<string>();
  readonly #resting = new Set<string>();

  constructor(outlet: Outlet, codes: CodeBook) {
    this.#outlet = outlet;
    this.#codes = codes;
  }

  /** It was there before, with a connection or without. */
  begin(worker: WorkerRecord, at: number): void {
    const { id, connection, draining, telemetryJson } = worker;
    this.#described.set(id, described(worker, coresIn(telemetryJson)));
    if (connection.state === 'connected') this.#joined(id, at);
    if (draining !== null) this.#pause(id, 'draining', at);
  }

  hear(event: ToldEvent): void {
    const { at } = event;
    switch (event.type) {
      case 'worker_registered':
        return this.#registered(event);
      case 'worker_connected':
        return this.#connected(event);
      case 'worker_observed':
        return this.#observed(event);
      case 'worker_attached':
        return this.#joined(event.worker.id, at);
      case 'worker_disconnected':
        return this.#gone(event.worker.id, 'disconnected', at);
      case 'worker_lost':
        return this.#gone(event.worker.id, 'lost', at);
      case 'worker_left':
        return this.#gone(event.worker.id, 'left', at);
      case 'worker_deregistered':
        this.#gone(event.worker.id, 'removed', at);
        return this.#forget(event.worker.id);
      case 'worker_drained':
        return this.#pause(event.worker.id, 'draining', at);
      case 'worker_resumed':
        return this.#resume(event.worker.id, 'draining', at);
      case 'worker_quarantined':
        return this.#pause(event.worker.id, 'quarantined', at);
      case 'worker_released':
        return this.#resume(event.worker.id, 'quarantined', at);
      case 'worker_rest_changed':
        return this.#turn(this.#resting, event.worker.id, 'resting', event.because !== null, at);
      default:
        return undefined;
    }
  }

  /** Whoever comes back has another id. */
  clear(): void {
    for (const id of this.#described.keys()) this.#forget(id);
  }

  #registered({ command, at }: ToldAs<'worker_registered'>): void {
    const { workerId, description, telemetryJson, measured } = command;
    this.#described.set(workerId, described(description, coresIn(telemetryJson)));
    this.#sample(workerId, measured, at);
  }

  #connected({ worker: { id }, description, leaving, at }: ToldAs<'worker_connected'>): void {
    this.#described.set(id, described(description, this.#described.get(id)?.cores ?? null));
    this.#joined(id, at);
    this.#turn(this.#leaving, id, 'leaving', leaving, at);
  }

  #observed(event: ToldAs<'worker_observed'>): void {
    const { worker, measured, telemetryJson, leaving, at } = event;
    const { id } = worker;
    const known = this.#described.get(id);
    const cores = known?.cores === null ? coresIn(telemetryJson) : null;
    if (known !== undefined && cores !== null) {
      this.#described.set(id, { ...known, cores });
      this.#joined(id, at);
    }
    this.#turn(this.#leaving, id, 'leaving', leaving, at);
    this.#sample(id, measured, at);
  }

  #forget(id: string): void {
    this.#described.delete(id);
    this.#sampler.forget(id);
    this.#leaving.delete(id);
    this.#resting.delete(id);
  }

  #turn(on: Set<string>, id: string, why: PauseReason, isOn: boolean, at: number): void {
    if (isOn === on.has(id)) return;
    if (isOn) {
      on.add(id);
      this.#pause(id, why, at);
    } else {
      on.delete(id);
      this.#resume(id, why, at);
    }
  }

  #joined(id: string, at: number): void {
    const known = this.#described.get(id);
    if (known === undefined) return;
    const record: RecordOf<'worker_joined'> = {
      type: 'worker_joined',
      ...this.#when(id, at),
      device: this.#codes.word(known.type),
      platform: this.#codes.word(known.platform),
      isolation: this.#codes.isolation(known.isolation),
      slots: known.slots,
      cores: known.cores,
      labels: this.#codes.labels(known.labels),
    };
    this.#outlet.put(record, at);
  }

  #gone(id: string, why: RecordOf<'worker_gone'>['why'], at: number): void {
    this.#outlet.put({ type: 'worker_gone', ...this.#when(id, at), why }, at);
  }

  #pause(id: string, why: PauseReason, at: number): void {
    this.#outlet.put({ type: 'worker_paused', ...this.#when(id, at), why }, at);
  }

  #resume(id: string, why: PauseReason, at: number): void {
    this.#outlet.put({ type: 'worker_resumed', ...this.#when(id, at), why }, at);
  }

  #sample(id: string, measured: MeasuredTelemetry, at: number): void {
    const when = this.#when(id, at);
    const sample = this.#sampler.take(id, measured, when.at_ms);
    if (sample !== null) this.#outlet.put({ type: 'telemetry', ...when, ...sample }, at);
  }

  #when(id: string, at: number): { readonly at_ms: number; readonly worker: number } {
    return { at_ms: this.#outlet.timeOf(at), worker: this.#codes.worker(id) };
  }
}

function described(by: Omit<Described, 'cores'>, cores: number | null): Described {
  const { type, platform, slots, isolation, labels } = by;
  return { type, platform, slots, isolation, labels, cores };
}

/** Cores that tasks may use, as the worker says; null when it does not. */
function coresIn(telemetryJson: string): number | null {
  const { cpu_cores: cores } = JSON.parse(telemetryJson) as { readonly cpu_cores?: unknown };
  return typeof cores === 'number' && cores > 0 ? cores : null;
}
