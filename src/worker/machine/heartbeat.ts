// The periodic message: telemetry, the number of the newest `assign` received, the attempts held
// for longer than one interval. The time until its answer is the latency.

import type { HeartbeatAnswer, Telemetry } from '../../protocol/messages.ts';
import type { ReadyConnection } from './connection.ts';
import { attemptsOlderThan } from './held-lists.ts';
import type { Outgoing } from './outgoing.ts';
import type { Standing } from './standing.ts';
import type { Workload } from './workload.ts';

/** The interval is varied by ± this share, so that a fleet does not beat in step. */
const jitter = 0.1;

export class Heartbeat {
  readonly #random: () => number;
  readonly #telemetry: () => Telemetry;
  #lastId = 0;
  #latencyMs: number | null = null;
  #lastWarnings = '';

  constructor(random: () => number, telemetry: () => Telemetry) {
    this.#random = random;
    this.#telemetry = telemetry;
  }

  nextAfterMs(connection: ReadyConnection): number {
    return Math.round(connection.intervalMs * (1 - jitter + 2 * jitter * this.#random()));
  }

  /**
   * Telemetry of the device, with the latency measured here unless the device measures it itself.
   */
  measured(): Telemetry {
    const telemetry = this.#telemetry();
    if (this.#latencyMs === null) return telemetry;
    return { network_latency_ms: this.#latencyMs, ...telemetry };
  }

  send(
    connection: ReadyConnection,
    workload: Workload,
    standing: Standing,
    out: Outgoing,
    nowMs: number,
  ): void {
    this.#lastId += 1;
    connection.unanswered = { heartbeatId: this.#lastId, sentAtMs: nowMs };
    out.message({
      type: 'heartbeat',
      heartbeat_id: this.#lastId,
      telemetry: this.measured(),
      assign_sequence: connection.assignSequence,
      running: attemptsOlderThan(workload.held, nowMs - connection.intervalMs),
      ...standing.inHeartbeat(),
    });
  }

  /** The machine itself obeys the orders in the answer, and its `drain`. */
  answered(
    connection: ReadyConnection,
    answer: HeartbeatAnswer,
    out: Outgoing,
    nowMs: number,
  ): void {
    const { unanswered } = connection;
    if (unanswered?.heartbeatId === answer.heartbeat_id) {
      this.#latencyMs = Math.round((nowMs - unanswered.sentAtMs) * 100) / 100;
      connection.unanswered = null;
    }
    if (answer.heartbeat_interval_seconds > 0) {
      connection.intervalMs = answer.heartbeat_interval_seconds * 1000;
    }
    const warnings = answer.warnings.join(' ');
    if (warnings !== this.#lastWarnings && warnings !== '') {
      out.log('warn', 'heartbeat_warning', warnings);
    }
    this.#lastWarnings = warnings;
  }
}
