// Checks rests: a worker that has said that it rests, and was answered, is given nothing before it says otherwise, and
// nothing that it gives back is held against it. What workers say is recorded where it arrives, so that the
// coordinator's own state does not prove itself; beside it stands what the events tell.

import type { State } from '../../core/state.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import type { SentMessage } from '../../coordinator/workers/sessions.ts';
import type { HeartbeatMessage, HelloMessage } from '../../protocol/messages.ts';
import { BrokenPromise } from '../broken-promise.ts';

/** What a worker has said, and was answered; nothing newer of it has arrived. */
interface Known {
  readonly because: string;
  /** For now; null: none is asked for, undefined: as before. */
  readonly leaseMs: number | null | undefined;
}

interface Unanswered {
  /** Null: the rest is over, or there was none. */
  readonly known: Known | null;
  readonly heartbeatId: number | null;
  readonly workerId: string | null;
  /** Of how many messages of the worker it was the newest. */
  readonly place: number;
}

export class RestChecker {
  private readonly known = new Map<string, Known>();
  /** How often each worker has said how it is. */
  private readonly places = new Map<string, number>();
  private readonly unanswered = new Map<number, Unanswered[]>();
  /** Who was welcomed last on each connection. */
  private readonly welcomed = new Map<number, string>();
  /** Workers that rest, as events tell. */
  private readonly resting = new Set<string>();

  /** A `hello` or heartbeat is about to be read. */
  said(
    connectionId: number,
    boundTo: string | null,
    message: HelloMessage | HeartbeatMessage,
  ): void {
    const isHello = message.type === 'hello';
    const workerId = isHello ? (message.worker_id ?? null) : boundTo;
    const place = workerId === null ? 0 : this.forget(workerId);
    const { rest } = message;
    const leaseMs = isHello ? undefined : leaseMsOf(message);
    const known = rest === undefined ? null : { because: rest.because, leaseMs };
    const heartbeatId = isHello ? null : message.heartbeat_id;
    const waiting = this.unanswered.get(connectionId) ?? [];
    waiting.push({ known, heartbeatId, workerId, place });
    this.unanswered.set(connectionId, waiting);
  }

  /** A frame leaves for the worker. */
  answered(connectionId: number, messages: readonly SentMessage[]): void {
    for (const message of messages) {
      if (message.type === 'ack' && message.heartbeat !== undefined) {
        this.learn(connectionId, message.heartbeat.heartbeat_id);
      }
      if (message.type !== 'welcome') continue;
      this.welcomed.set(connectionId, message.worker_id);
      this.learn(connectionId, null);
    }
  }

  /** Called with committed events, in order. */
  observe(event: ToldEvent): void {
    switch (event.type) {
      case 'worker_rest_changed':
        if (event.because === null) this.resting.delete(event.worker.id);
        else this.resting.add(event.worker.id);
        return;
      case 'worker_deregistered':
        this.resting.delete(event.worker.id);
        this.forget(event.worker.id);
        return;
      case 'task_assigned':
        if (!this.resting.has(event.worker.id) && !this.known.has(event.worker.id)) return;
        throw new BrokenPromise(`Worker ${event.worker.id} rests and is given a task.`);
      case 'attempt_ended': {
        if (!this.resting.has(event.attempt.worker.id)) return;
        if (event.pause === null && event.outcome !== 'refused') return;
        throw new BrokenPromise(
          `Worker ${event.attempt.worker.id} rests, and what it gives back is held against it.`,
        );
      }
      case 'database_cleared':
        return this.resume();
      default:
        return;
    }
  }

  /** After a crash: workers say anew that they rest. */
  resume(): void {
    for (const workerId of this.known.keys()) this.forget(workerId);
    this.unanswered.clear();
    this.welcomed.clear();
    this.resting.clear();
  }

  /** After every command. */
  check(state: State): void {
    for (const [id, { because, leaseMs }] of this.known) {
      const worker = state.workers.get(id);
      if (worker === undefined) continue;
      if (worker.rest?.because !== because) {
        throw new BrokenPromise(`Worker ${id} rests (${because}), and that is forgotten.`);
      }
      if (leaseMs === undefined || worker.leaseNowMs === leaseMs) continue;
      throw new BrokenPromise(
        `Worker ${id} asked for ${leaseMs} ms for now, and has ${worker.leaseNowMs}.`,
      );
    }
  }

  private learn(connectionId: number, heartbeatId: number | null): void {
    const waiting = this.unanswered.get(connectionId) ?? [];
    const found = waiting.findLast((said) => said.heartbeatId === heartbeatId);
    if (found === undefined || found.workerId === null || found.known === null) return;
    // A `hello` that came twice was welcomed as another worker, and what came behind it is that one's.
    const welcomed = this.welcomed.get(connectionId) ?? found.workerId;
    if (welcomed !== found.workerId) return;
    // Something newer of it is on the way to be read.
    if (this.places.get(found.workerId) !== found.place) return;
    this.known.set(found.workerId, found.known);
  }

  /** Returns the place of what the worker says now. */
  private forget(workerId: string): number {
    this.known.delete(workerId);
    const place = (this.places.get(workerId) ?? 0) + 1;
    this.places.set(workerId, place);
    return place;
  }
}

function leaseMsOf({ lease_seconds: seconds }: HeartbeatMessage): number | null {
  return seconds === undefined ? null : seconds * 1000;
}
