// Checks leases and hellos: a worker that is silent for longer than its lease loses everything, one
// that is not loses nothing for silence, and a hello is exact. Messages of workers are recorded
// where they arrive, so that the coordinator's own state does not prove itself.

import type { ToldEvent } from '../../core/told-events.ts';
import type { State } from '../../core/state.ts';
import type { WorkerRecord } from '../../core/records.ts';
import { taskId } from '../../core/task-key.ts';
import type { HelloMessage } from '../../protocol/messages.ts';
import { BrokenPromise } from '../broken-promise.ts';

/**
 * Tolerance, because deadlines are handled in batches, and a batch waits for the disk. Over plain HTTP a
 * call counts as heard when it arrives and when it is answered: the coordinator renews the lease at both,
 * and a claim may wait for long between them.
 */
const slackMs = 1500;
const arrivalsKept = 20;

export interface WorkerCheckerOptions {
  readonly now: () => number;
  /** Error of the coordinator's clock, which stamps its events. */
  readonly skewMs: () => number;
  readonly leaseMs: number;
  readonly graceMs: number;
  /** So long a worker may be offline before it is removed; null: for good. */
  readonly keepAwayMs: number | null;
}

interface Patience {
  /** Connection on which the worker was last seen. */
  connection: string;
  /** Until when the worker may be silent. */
  until: number;
  /** Of the worker, which may be registered by the very commit that takes so long. */
  readonly leaseMs: number;
}

export class WorkerChecker {
  private readonly options: WorkerCheckerOptions;
  private readonly patience = new Map<string, Patience>();
  private readonly hellos = new Map<number, HelloMessage>();
  /** What each worker has said last of its start and its connection. */
  private readonly lives = new Map<
    string,
    Required<Pick<HelloMessage, 'instance' | 'connection'>>
  >();
  private readonly removed = new Set<string>();
  /** The leases that workers have asked for, by worker; the coordinator must not forget them. */
  private readonly leases = new Map<string, number | null>();
  /** Those that they have asked for for now; the same. */
  private readonly leasesNow = new Map<string, number>();
  /** When the last few messages of each worker reached the machine, the newest last. */
  private readonly arrivals = new Map<string, number[]>();
  /** Workers whose connections are closed, and since when: they are lost if they do not come back. */
  private readonly away = new Map<string, number>();
  /** Since when workers are offline, as it was told; of those of earlier lives only what is known. */
  private readonly offline = new Map<string, number>();
  /** Since when the way to a worker is cut, until it says hello. */
  private readonly cutOffAt = new Map<string, number>();
  /** Workers that held attempts when the coordinator started: they have a grace to come back. */
  private awaited = new Map<string, number>();
  /** What the coordinator before has written and told nobody is known by how this one begins. */
  private isNew = false;

  constructor(options: WorkerCheckerOptions) {
    this.options = options;
  }

  /** A new coordinator: workers have a grace to come back. */
  beginLife(awaited: readonly string[]): void {
    const { now, graceMs } = this.options;
    const until = (id: string) => now() + Math.max(this.leaseOf(id), graceMs);
    this.awaited = new Map(awaited.map((id) => [id, until(id)]));
    this.patience.clear();
    this.hellos.clear();
    this.arrivals.clear();
    this.away.clear();
    this.cutOffAt.clear();
    this.lives.clear();
    this.isNew = true;
  }

  /** The way to the worker is gone, and it knows nothing of that yet. */
  cutOff(workerId: string): void {
    this.cutOffAt.set(workerId, this.options.now());
  }

  /** Called when a hello has arrived on the connection. */
  hello(connectionId: number, message: HelloMessage): void {
    this.hellos.set(connectionId, message);
  }

  /** Called when a message of the worker has reached the machine, read or not. */
  arrived(workerId: string): void {
    const times = this.arrivals.get(workerId) ?? [];
    times.push(this.options.now());
    this.arrivals.set(workerId, times.slice(-arrivalsKept));
  }

  /**
   * A row could not be read and the message that needed it was refused: its worker may count as
   * silent.
   */
  refused(): void {
    this.arrivals.clear();
  }

  /** The coordinator reads nothing before then: all workers have a new lease from then on. */
  excuse(until: number): void {
    for (const [workerId, patience] of this.patience) {
      const leaseMs = Math.max(patience.leaseMs, this.leaseOf(workerId));
      patience.until = Math.max(patience.until, until + leaseMs);
    }
  }

  /** Called with committed events, in order. */
  observe(event: ToldEvent): void {
    switch (event.type) {
      case 'worker_registered':
        this.leases.set(event.command.workerId, event.command.description.leaseMs);
        this.offline.set(event.command.workerId, event.at - this.options.skewMs());
        return;
      case 'worker_disconnected':
        this.away.set(event.worker.id, event.at - this.options.skewMs());
        return;
      case 'worker_connected':
        this.leases.set(event.worker.id, event.description.leaseMs);
        this.away.delete(event.worker.id);
        this.offline.delete(event.worker.id);
        this.awaited.delete(event.worker.id);
        return;
      case 'worker_lease_changed':
        return this.leaseChanged(event.worker.id, event.leaseMs);
      case 'worker_attached':
        this.away.delete(event.worker.id);
        this.offline.delete(event.worker.id);
        this.awaited.delete(event.worker.id);
        return;
      case 'worker_left':
        this.offline.set(event.worker.id, event.at - this.options.skewMs());
        return;
      case 'worker_deregistered':
        if (event.because !== 'away') return;
        this.judgeAbsence(event.worker.id, event.at - this.options.skewMs());
        return;
      case 'worker_lost':
        this.offline.set(event.worker.id, event.at - this.options.skewMs());
        this.judgeReturn(event.worker.id, event.at - this.options.skewMs());
        this.judgeLoss(event.worker.id, event.at - this.options.skewMs());
        return;
      default:
        return;
    }
  }

  /** After a restart, workers have time to come back with the attempts that they run. */
  private judgeAbsence(workerId: string, at: number): void {
    const { keepAwayMs } = this.options;
    const since = this.offline.get(workerId);
    const awayMs = since === undefined ? 0 : at - since;
    // Times are whole milliseconds for the coordinator.
    if (keepAwayMs !== null && awayMs >= keepAwayMs - 1) return;
    throw new BrokenPromise(`Worker ${workerId} is removed, and was away for ${awayMs} ms.`);
  }

  private judgeReturn(workerId: string, at: number): void {
    const until = this.awaited.get(workerId);
    this.awaited.delete(workerId);
    if (until === undefined || at >= until - 1) return;
    const seconds = ((until - at) / 1000).toFixed(1);
    throw new BrokenPromise(
      `Worker ${workerId} is given up after a restart, ${seconds} s before its time is over.`,
    );
  }

  /** A device that is about to sleep is waited for from now on, or no more. */
  private leaseChanged(workerId: string, leaseMs: number | null): void {
    if (leaseMs === null) this.leasesNow.delete(workerId);
    else this.leasesNow.set(workerId, leaseMs);
    this.heard(workerId);
  }

  /** A worker whose connection closed, and that has a lease for now, may come back for so long. */
  private judgeGrace(workerId: string, awayMs: number): void {
    const leaseMs = this.leasesNow.get(workerId);
    if (leaseMs === undefined || awayMs >= this.leaseOf(workerId) - 1) return;
    const seconds = (awayMs / 1000).toFixed(1);
    throw new BrokenPromise(
      `Worker ${workerId} is lost ${seconds} s after its connection closed, and has a lease for now of ${leaseMs} ms.`,
    );
  }

  /** Who knows nothing of it comes back when its own patience is over. */
  private judgeCutOff(workerId: string, at: number): void {
    const since = this.cutOffAt.get(workerId);
    this.cutOffAt.delete(workerId);
    const awayMs = since === undefined ? Infinity : at - since;
    if (awayMs >= this.leaseOf(workerId) + this.options.graceMs - 1) return;
    const seconds = (awayMs / 1000).toFixed(1);
    throw new BrokenPromise(
      `Worker ${workerId} is lost ${seconds} s after the way to it was cut, of which it knows nothing.`,
    );
  }

  /** Allows one millisecond, because the coordinator counts whole ones. */
  private judgeLoss(workerId: string, at: number): void {
    const since = this.away.get(workerId);
    this.away.delete(workerId);
    if (since !== undefined) {
      this.judgeCutOff(workerId, at);
      return this.judgeGrace(workerId, at - since);
    }
    const leaseMs = this.leaseOf(workerId);
    const heardAt = this.arrivals.get(workerId)?.findLast((time) => time < at);
    if (heardAt === undefined || at - heardAt >= leaseMs - 1) return;
    const seconds = ((at - heardAt) / 1000).toFixed(1);
    throw new BrokenPromise(`Worker ${workerId} is lost, and was heard of ${seconds} s before.`);
  }

  /** Called when a message of the worker has arrived, or a call of it was answered. */
  heard(workerId: string): void {
    const patience = this.patience.get(workerId);
    if (patience === undefined) return;
    patience.until = Math.max(patience.until, this.options.now() + this.leaseOf(workerId));
  }

  private leaseOf(workerId: string, asked = this.askedBy(workerId)): number {
    return Math.max(this.options.leaseMs, asked ?? 0);
  }

  private askedBy(workerId: string): number | null {
    return this.leasesNow.get(workerId) ?? this.leases.get(workerId) ?? null;
  }

  /** The removal of the worker was acknowledged: it must not be seen again. */
  remove(workerId: string): void {
    this.removed.add(workerId);
  }

  /** After every command, and whenever time has passed. */
  check(state: State): void {
    const { now, graceMs } = this.options;
    if (this.isNew) this.learnLeases(state);
    for (const worker of state.workers.values()) {
      const leaseMs = this.leaseOf(worker.id, worker.leaseNowMs ?? worker.leaseMs);
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
        // A worker that is away may be silent for as long as a restart allows.
        // One that knows nothing of it has its lease before that.
        const unawareMs = this.cutOffAt.has(worker.id) ? leaseMs : 0;
        const inGraceMs = unawareMs + Math.max(graceMs, leaseMs);
        const allowed = worker.connection.state === 'grace' ? inGraceMs : leaseMs;
        const until = Math.max(patience?.until ?? 0, now() + allowed);
        this.patience.set(worker.id, { connection, until, leaseMs });
        if (worker.connection.state === 'connected') {
          this.cutOffAt.delete(worker.id);
          this.compare(worker, worker.connection.id);
        }
      } else if (now() > patience.until + slackMs) {
        const seconds = ((now() - patience.until) / 1000).toFixed(1);
        throw new BrokenPromise(
          `Worker ${worker.id} has passed its lease by ${seconds} s of silence and holds ${worker.attempts.size} attempts.`,
        );
      }
    }
  }

  /** That a restart forgets nothing is for the checker of the disk. */
  private learnLeases(state: State): void {
    this.isNew = false;
    for (const { id, leaseNowMs } of state.workers.values()) {
      if (leaseNowMs === null) this.leasesNow.delete(id);
      else this.leasesNow.set(id, leaseNowMs);
    }
  }

  /** Of one start of a worker its newest connection counts, whichever hello comes first. */
  private compareLife(workerId: string, { instance, connection }: HelloMessage): void {
    if (instance === undefined || connection === undefined) return;
    const newest = this.lives.get(workerId);
    this.lives.set(workerId, { instance, connection });
    if (newest?.instance !== instance || connection >= newest.connection) return;
    throw new BrokenPromise(
      `Worker ${workerId} is taken to be on its connection ${connection}, after it has said hello on ${newest.connection}.`,
    );
  }

  /** Right after its hello, a worker must hold nothing that it did not name with the right token. */
  private compare(worker: WorkerRecord, connectionId: number): void {
    const hello = this.hellos.get(connectionId);
    if (hello === undefined) return;
    this.hellos.delete(connectionId);
    this.compareLife(worker.id, hello);
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
