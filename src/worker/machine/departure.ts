// How a worker leaves: running attempts may finish; when the time for that is over they are told to stop;
// then the worker says `bye`. It leaves earlier when it holds no attempt any more.

import { byeReasons } from '../../protocol/leaving.ts';
import type { MachineTimer, MachineTuning } from './port.ts';
import { exitCodes } from './port.ts';
import type { Link } from './link.ts';
import type { Outgoing } from './outgoing.ts';
import type { Standing } from './standing.ts';
import type { Workload } from './workload.ts';

/**
 * - `no`: it works until it is told otherwise.
 * - `finishing`: asked to leave; running attempts may finish.
 * - `giving_up`: the time to finish is over; running attempts were told to stop.
 */
type Leaving = 'no' | 'finishing' | 'giving_up';

export class Departure {
  readonly #tuning: MachineTuning;
  readonly #out: Outgoing;
  readonly #workload: Workload;
  readonly #link: Link;
  readonly #standing: Standing;
  #leaving: Leaving = 'no';

  constructor(
    tuning: MachineTuning,
    out: Outgoing,
    workload: Workload,
    link: Link,
    standing: Standing,
  ) {
    this.#standing = standing;
    this.#tuning = tuning;
    this.#out = out;
    this.#workload = workload;
    this.#link = link;
  }

  get #hasBegun(): boolean {
    return this.#leaving !== 'no';
  }

  begin(nowMs: number): void {
    if (this.#hasBegun) return this.onDeadline();
    this.#leaving = 'finishing';
    this.#standing.isLeaving = true;
    this.#workload.setAccepting(false);
    this.#workload.orderCheckpoints();
    this.#setTimer('leave_deadline', this.#tuning.finishMs);
    const most = `${Math.round(this.#tuning.finishMs / 1_000)} s`;
    this.#out.log(
      'info',
      'leaving',
      `Finishing what runs, for at most ${most}; the rest is given back.`,
    );
    // The heartbeat stops new assignments; `bye` follows when the last report is acknowledged.
    if (!this.#isDone()) this.#link.sendHeartbeat(nowMs);
  }

  onDeadline(): void {
    if (this.#leaving === 'giving_up') return this.#sayBye(byeReasons.gaveUp);
    if (this.#leaving !== 'finishing') return;
    this.#leaving = 'giving_up';
    this.#workload.stopAll('release_by_bye');
    this.#setTimer('leave_deadline', this.#tuning.giveUpMs);
  }

  leaveWhenDone(): void {
    if (!this.#hasBegun || !this.#isDone()) return;
    // Attempts that were given back since `hello` can be released only after `welcome`.
    if (this.#link.connection.state !== 'greeting') this.#sayBye(byeReasons.finished);
  }

  #isDone(): boolean {
    return this.#workload.held.size === 0;
  }

  #sayBye(reason: string): void {
    if (this.#link.connection.state === 'ready') this.#out.message({ type: 'bye', reason });
    this.#link.exit(exitCodes.left, reason);
  }

  #setTimer(timer: MachineTimer, afterMs: number): void {
    this.#out.push({ type: 'set_timer', timer, afterMs });
  }
}
