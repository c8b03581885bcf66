// A worker as the interface shows it.

import type { WorkerRecord } from '../../core/records.ts';
import { workerStatus } from '../../core/worker-status.ts';
import type { Telemetry } from '../../protocol/messages.ts';
import type { WorkerResource } from '../../protocol/resources.ts';
import { isoTime } from '../iso-time.ts';

export function workerResource(
  worker: WorkerRecord,
  leaseMs: number,
  score: number | null = null,
): WorkerResource {
  return {
    id: worker.id,
    type: worker.type,
    platform: worker.platform,
    status: workerStatus(worker),
    draining: drainingOf(worker),
    leaving: worker.leaving && worker.connection.state !== 'offline',
    active_tasks: worker.activeTasks,
    total_completed: worker.totalCompleted,
    last_heartbeat: isoTime(worker.lastHeartbeatAt),
    name: worker.name,
    slots: worker.slots,
    kinds: worker.kinds,
    labels: worker.labels,
    isolation: worker.isolation,
    version: worker.version,
    lease_seconds: leaseMs / 1000,
    total_failed: worker.totalFailed,
    registered_at: isoTime(worker.registeredAt),
    telemetry: JSON.parse(worker.telemetryJson) as Telemetry,
    score,
    ...refusing(worker),
  };
}

function drainingOf({ draining }: WorkerRecord): WorkerResource['draining'] {
  if (draining === null) return null;
  const { since, deadline } = draining;
  return {
    since: since === null ? null : isoTime(since),
    deadline: deadline === null ? null : isoTime(deadline),
  };
}

function refusing({ unwilling }: WorkerRecord): Pick<WorkerResource, 'refusing'> {
  if (unwilling === null || unwilling.count === 0) return {};
  const { count, until, reason } = unwilling;
  return { refusing: { offers: count, until: isoTime(until), reason } };
}
