// The session of a worker over plain HTTP: a mailbox instead of a socket. It keeps assignments until they
// are claimed, and only their records: what an attempt needs is read at the claim, because a worker may
// have a thousand slots and never claim.

import type { AttemptRecord } from '../../core/records.ts';
import { taskId } from '../../core/task-key.ts';
import type { CoordinatorMessage, StopOrder } from '../../protocol/messages.ts';
import { Bounded } from '../bounded.ts';
import type { Runtime } from '../runtime.ts';
import { Session, type SessionIntake } from './sessions.ts';

/** Most orders to stop that are kept. A heartbeat that names another stale attempt is told so anyway. */
const mostStops = 256;

export class PullSession extends Session {
  /** The sequence of the newest assignment that was handed out. */
  deliveries = 1;
  /** Claims are filled one at a time: no two get the same attempt, and only one answer is in memory. */
  readonly claims = new Bounded(1);
  private readonly waitingAttempts = new Set<AttemptRecord>();
  private stops: StopOrder[] = [];
  /** Wakes claims that wait; a worker may have several at a time. */
  private readonly waitingClaims = new Set<() => void>();

  constructor(id: number, intake: SessionIntake) {
    super(id, { send: () => undefined, close: () => undefined }, intake);
  }

  get hasMail(): boolean {
    return this.waitingAttempts.size > 0;
  }

  /** The oldest assignments; they stay until they are taken out. */
  mail(most: number): AttemptRecord[] {
    return [...this.waitingAttempts].slice(0, most);
  }

  takeOut(attempt: AttemptRecord): void {
    this.waitingAttempts.delete(attempt);
  }

  override get isClaimed(): boolean {
    return true;
  }

  override keepUntilClaimed(attempt: AttemptRecord): boolean {
    if (this.isOpen) this.waitingAttempts.add(attempt);
    this.wakeAll();
    return true;
  }

  override post(message: CoordinatorMessage): void {
    if (message.type === 'cancel' || message.type === 'revoke') this.stop(message.attempts);
  }

  override end(reason: string): void {
    super.end(reason);
    this.waitingAttempts.clear();
    this.wakeAll();
  }

  takeStops(): readonly StopOrder[] {
    const taken = this.stops;
    this.stops = [];
    return taken;
  }

  /** Resolves when there may be an assignment, the time is over, or the claim is aborted. */
  async news(runtime: Runtime, waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = () => {
        cancel();
        signal?.removeEventListener('abort', end);
        this.waitingClaims.delete(end);
        resolve();
      };
      const cancel = runtime.setTimer(runtime.now() + waitMs, end);
      this.waitingClaims.add(end);
      signal?.addEventListener('abort', end);
    });
  }

  private wakeAll(): void {
    for (const wake of this.waitingClaims) wake();
  }

  /** An attempt that was not handed out yet needs no order: it is only taken out. */
  private stop(orders: readonly StopOrder[]): void {
    for (const order of orders) {
      const kept = this.findMail(order);
      if (kept === undefined) this.stops.push(order);
      else this.takeOut(kept);
    }
    this.stops = this.stops.slice(-mostStops);
  }

  private findMail(order: StopOrder): AttemptRecord | undefined {
    for (const kept of this.waitingAttempts) {
      const { job, index } = kept.task;
      if (kept.attempt === order.attempt && taskId(job.spec.id, index) === order.task_id)
        return kept;
    }
    return undefined;
  }
}
