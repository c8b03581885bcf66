// A heartbeat over either transport: one command, and the answer that the worker gets.

import { heartbeatMsOf } from '../../core/lease.ts';
import type { State } from '../../core/state.ts';
import type { HeartbeatAnswer, HeartbeatMessage } from '../../protocol/messages.ts';
import { leaseMsOf } from './hello.ts';
import { namedAttempt, stopOrders } from './named-attempts.ts';
import { readTelemetry } from './telemetry.ts';
import type { Batch } from '../writer/batch.ts';

export interface HeartbeatContent extends Pick<HeartbeatMessage, 'running'> {
  readonly telemetry: unknown;
  /** Sequence of the newest assignment that has reached the worker. */
  readonly assignSequence: number;
  readonly leaving: boolean;
  readonly rest: string | null;
  /** The lease for now; undefined: that of its hello. */
  readonly leaseSeconds: number | undefined;
}

export function takeHeartbeat(
  state: State,
  batch: Batch,
  workerId: string,
  { telemetry, running, assignSequence, leaving, rest, leaseSeconds }: HeartbeatContent,
): Omit<HeartbeatAnswer, 'heartbeat_id'> {
  const sane = readTelemetry(telemetry);
  const executed = batch.execute({
    type: 'heartbeat',
    workerId,
    measured: sane.measured,
    telemetryJson: sane.json,
    assignSequence,
    leaving,
    rest,
    leaseMs: leaseMsOf(leaseSeconds),
    held: running.flatMap((ref) => {
      const named = namedAttempt(ref);
      return named === undefined ? [] : [{ ...named, progress: ref.progress ?? null }];
    }),
    at: batch.at,
  });
  return {
    stop: stopOrders(executed),
    heartbeat_interval_seconds: heartbeatMsOf(state) / 1000,
    drain: (state.workers.get(workerId)?.draining ?? null) !== null,
    warnings: sane.warnings,
  };
}
