// What must hold between the coordinator and its workers: who is silent for longer than its lease
// loses everything, who is not loses nothing for silence, and a hello is exact. What the workers said is written down where it arrives, so
// that nothing that the coordinator believes is taken as proof of itself.

import type { ToldEvent } from '../../core/told-events.ts';
import type { State } from '../../core/state.ts';
import type { WorkerRecord } from '../../core/records.ts';
import { taskId } from '../../core/task-key.ts';
import type { HelloMessage } from '../../protocol/messages.ts';
import { BrokenPromise } from '../broken-promise.ts';

/**
 * Deadlines are handled in batches, and a batch waits for the disk. Nothing else is forgiven: over
 * plain HTTP, a call counts as heard when it arrives and when it is answered, for the coordinator
 * renews the lease at both, and up to the longest wait of a claim lies between them.
 */
const slackMs = 1500;
const arrivalsKept = 20;

export interface WorkerCheckerOptions {
  readonly now: () => number;
  /** How wrong the coordinator's clock is, by which it stamps its events. */
  readonly skewMs: () => number;
  readonly leaseMs: number;
  readonly graceMs: number;
}

interface Patience {
  /** Connection that it was seen on. */
  connection: string;
  /** Until then it may be silent. */
  until: number;
}

export class WorkerChecker {
  private readonly options: WorkerCheckerOptions;
  private readonly patience = new Map<string, Patience>();
  private readonly hellos = new Map<number, HelloMessage>();
  private readonly removed = new Set<string>();
  /** What workers have asked for, by worker; the coordinator may not forget it. */
  private readonly leases = new Map<string, number | null>();
  /** When messages of a worker reached the machine, the newest last; only the last few. */
  private readonly arrivals = new Map<string, number[]>();
  /** Their connections are closed: they are lost when they do not come back. */
  private readonly away = new Set<string>();
  /** Who held attempts when the coordinator came back: they have so long to come back themselves. */
  private awaited = new Set<string>();
  private awaitedUntil = 0;

  constructor(options: WorkerCheckerOptions) {
    this.options = options;
  }

  /** A new coordinator: workers have a grace to come back. */
  beginLife(awaited: readonly string[]): void {
    const { now, leaseMs, graceMs } = this.options;
    this.awaited = new Set(awaited);
    this.awaitedUntil = now() + Math.max(leaseMs, graceMs);
    this.patience.clear();
    this.hellos.clear();
    this.arrivals.clear();
    this.away.clear();
  }

  /** A hello arrived on the connection. */
  hello(connectionId: number, message: HelloMessage): void {
    this.hellos.set(connectionId, message);
  }

  /** A message of the worker has reached the machine, read or not. */
  arrived(workerId: string): void {
    const times = this.arrivals.get(workerId) ?? [];
    times.push(this.options.now());
    this.arrivals.set(workerId, times.slice(-arrivalsKept));
  }

  /** A row could not be read, and what asked for it was refused: whoever said it may count as silent. */
  refused(): void {
    this.arrivals.clear();
  }

  /** Nobody listens before then: everybody has a lease from then on. */
  excuse(until: number): void {
    for (const [workerId, patience] of this.patience) {
      patience.until = Math.max(patience.until, until + this.leaseOf(workerId));
    }
  }

  /** A committed event, in order. */
  observe(event: ToldEvent): void {
    switch (event.type) {
      case 'worker_registered':
        this.leases.set(event.command.workerId, event.command.description.leaseMs);
        return;
      case 'worker_disconnected':
        this.away.add(event.worker.id);
        return;
      case 'worker_connected':
        this.leases.set(event.worker.id, event.description.leaseMs);
        this.away.delete(event.worker.id);
        this.awaited.delete(event.worker.id);
        return;
      case 'worker_attached':
        this.away.delete(event.worker.id);
        this.awaited.delete(event.worker.id);
        return;
      case 'worker_lost':
        this.judgeReturn(event.worker.id, event.at - this.options.skewMs());
        if (!this.away.delete(event.worker.id)) {
          this.judgeLoss(event.worker.id, event.at - this.options.skewMs());
        }
        return;
      default:
        return;
    }
  }

  /** A restart does not restart the work: who ran it has time to come back with it. */
  private judgeReturn(workerId: string, at: number): void {
    if (!this.awaited.delete(workerId) || at >= this.awaitedUntil - 1) return;
    const seconds = ((this.awaitedUntil - at) / 1000).toFixed(1);
    throw new BrokenPromise(
      `Worker ${workerId} is given up after a restart, ${seconds} s before its time is over.`,
    );
  }

  /** Within a millisecond: the coordinator counts in whole ones. */
  private judgeLoss(workerId: string, at: number): void {
    const leaseMs = this.leaseOf(workerId);
    const heardAt = this.arrivals.get(workerId)?.findLast((time) => time < at);
    if (heardAt === undefined || at - heardAt >= leaseMs - 1) return;
    const seconds = ((at - heardAt) / 1000).toFixed(1);
    throw new BrokenPromise(`Worker ${workerId} is lost, and was heard of ${seconds} s before.`);
  }

  /** A message of the worker arrived, or a call of it was answered. */
  heard(workerId: string): void {
    const patience = this.patience.get(workerId);
    if (patience === undefined) return;
    patience.until = Math.max(patience.until, this.options.now() + this.leaseOf(workerId));
  }

  private leaseOf(workerId: string, asked = this.leases.get(workerId) ?? null): number {
    return Math.max(this.options.leaseMs, asked ?? 0);
  }

  /** An operator removed it, which was acknowledged: it must not be seen again. */
  remove(workerId: string): void {
    this.removed.add(workerId);
  }

  /** After every command, and whenever time has passed. */
  check(state: State): void {
    const { now, graceMs } = this.options;
    for (const worker of state.workers.values()) {
      const leaseMs = this.leaseOf(worker.id, worker.leaseMs);
      if (worker.connection.state === 'offline') {
        this.patience.delete(worker.id);
        continue;
      }
      if (this.removed.has(worker.id)) {
        throw new BrokenPromise(`Worker ${worker.id} was removed and is back.`);
      }
      const connection = connectionOf(worker);
      const patience = this.patience.get(worker.id);
      if (patience?.connection !== connection) {
        // Silence while it is away counts as long as a restart may make it.
        const allowed = worker.connection.state === 'grace' ? Math.max(graceMs, leaseMs) : leaseMs;
        const until = Math.max(patience?.until ?? 0, now() + allowed);
        this.patience.set(worker.id, { connection, until });
        if (worker.connection.state === 'connected') this.compare(worker, worker.connection.id);
      } else if (now() > patience.until + slackMs) {
        const seconds = ((now() - patience.until) / 1000).toFixed(1);
        throw new BrokenPromise(
          `Worker ${worker.id} has passed its lease by ${seconds} s of silence and holds ${worker.attempts.size} attempts.`,
        );
      }
    }
  }

  /** Right after its hello, a worker holds nothing that it did not name with the right token. */
  private compare(worker: WorkerRecord, connectionId: number): void {
    const hello = this.hellos.get(connectionId);
    if (hello === undefined) return;
    this.hellos.delete(connectionId);
    for (const { task, attempt, token } of worker.attempts) {
      const id = taskId(task.job.spec.id, task.index);
      const isNamed = hello.attempts.some(
        (held) => held.task_id === id && held.attempt === attempt && held.token === token,
      );
      if (isNamed) continue;
      throw new BrokenPromise(
        `Worker ${worker.id} is taken to hold ${id} #${attempt}, which its hello does not name.`,
      );
    }
  }
}

function connectionOf({ connection }: WorkerRecord): string {
  return connection.state === 'connected' ? String(connection.id) : connection.state;
}
