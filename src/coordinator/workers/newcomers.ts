// Workers that have registered and not done anything yet: anybody may add one, so what they take in
// memory together is bounded. Whoever has completed or failed a task counts no more.

import type { State } from '../../core/state.ts';
import type { WorkerDescription } from '../../core/commands.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { Rejection } from '../port/rejection.ts';
import { hasWorked } from './identity.ts';

/** Beside what a worker tells of itself. */
const recordBytes = 1024;
/** Counting goes over all workers; in between, what comes is added to the last count. */
const countAgainMs = 1_000;

export class Newcomers {
  private readonly state: State;
  private readonly limits: Limits;
  private bytes = 0;
  private countedAt = -Infinity;
  /** By the labels, which an unchanged worker keeps: the rest is short. */
  private readonly labelBytes = new WeakMap<object, number>();

  constructor(state: State, limits: Limits) {
    this.state = state;
    this.limits = limits;
  }

  /** Null: it may come, and is counted as if it had. */
  refusal(newcomer: WorkerDescription, at: number): Rejection<'overloaded'> | null {
    const { workers, newcomerBytes } = this.limits;
    if (this.state.workers.size >= workers) {
      const detail = `No more than ${workers} may be registered (limit workers); deregister some first.`;
      return { code: 'overloaded', detail };
    }
    if (at - this.countedAt >= countAgainMs || at < this.countedAt) this.count(at);
    const bytes = this.bytesOf(newcomer);
    if (this.bytes + bytes > newcomerBytes) {
      const detail =
        `Workers that have not done anything yet take ${newcomerBytes} bytes ` +
        '(limit newcomer_bytes); try again when they have, or deregister some.';
      return { code: 'overloaded', detail };
    }
    this.bytes += bytes;
    return null;
  }

  private count(at: number): void {
    this.countedAt = at;
    this.bytes = 0;
    for (const worker of this.state.workers.values()) {
      if (!hasWorked(worker)) this.bytes += this.bytesOf(worker);
    }
  }

  private bytesOf({ name, type, platform, isolation, kinds, labels }: WorkerDescription): number {
    let labelBytes = this.labelBytes.get(labels);
    if (labelBytes === undefined) {
      labelBytes = JSON.stringify(labels).length;
      this.labelBytes.set(labels, labelBytes);
    }
    const words = (name?.length ?? 0) + type.length + platform.length + isolation.length;
    const kindBytes = kinds.reduce((sum, kind) => sum + kind.length, 0);
    return recordBytes + words + kindBytes + labelBytes;
  }
}
