// A worker as the interface shows it.

import type { AttemptRecord, WorkerRecord } from '../../core/records.ts';
import { taskId } from '../../core/task-key.ts';
import { workerStatus } from '../../core/worker-status.ts';
import type { Telemetry } from '../../protocol/messages.ts';
import type { WorkerAttempt, WorkerDetail, WorkerResource } from '../../protocol/workers.ts';
import { isoTime } from '../iso-time.ts';

/** What the interface tells of, and nothing else is read of a worker: see `worker-texts.ts`. */
export type ShownWorker = Pick<
  WorkerRecord,
  | 'id'
  | 'registeredAt'
  | 'joined'
  | 'name'
  | 'type'
  | 'platform'
  | 'slots'
  | 'kinds'
  | 'runtimes'
  | 'labels'
  | 'isolation'
  | 'version'
  | 'connection'
  | 'waitsUntil'
  | 'draining'
  | 'leaving'
  | 'rest'
  | 'quarantine'
  | 'unwilling'
  | 'lastHeartbeatAt'
  | 'telemetryJson'
  | 'activeTasks'
  | 'totalCompleted'
  | 'totalFailed'
>;

export function workerResource(
  worker: ShownWorker,
  leaseMs: number,
  score: number | null = null,
): WorkerResource {
  return { ...beforeScore(worker, leaseMs), score, ...afterScore(worker) };
}

/** The fields of the resource up to its score, in their order. */
export function beforeScore(worker: ShownWorker, leaseMs: number): BeforeScore {
  return {
    id: worker.id,
    type: worker.type,
    platform: worker.platform,
    status: workerStatus(worker),
    draining: drainingOf(worker),
    leaving: worker.leaving && worker.connection.state !== 'offline',
    ...resting(worker),
    active_tasks: worker.activeTasks,
    total_completed: worker.totalCompleted,
    last_heartbeat: isoTime(worker.lastHeartbeatAt),
    name: worker.name,
    slots: worker.slots,
    kinds: worker.kinds,
    ...(worker.runtimes === null ? {} : { runtimes: worker.runtimes }),
    labels: worker.labels,
    isolation: worker.isolation,
    version: worker.version,
    lease_seconds: leaseMs / 1000,
    total_failed: worker.totalFailed,
    registered_at: isoTime(worker.registeredAt),
    telemetry: JSON.parse(worker.telemetryJson) as Telemetry,
  };
}

/** Those after it. */
export function afterScore(worker: ShownWorker): AfterScore {
  return { ...came(worker), ...refusing(worker) };
}

type AfterScore = Pick<WorkerResource, 'joined_by' | 'waits_until' | 'refusing'>;
type BeforeScore = Omit<WorkerResource, 'score' | 'series' | keyof AfterScore>;

function drainingOf({ draining }: ShownWorker): WorkerResource['draining'] {
  if (draining === null) return null;
  const { since, deadline } = draining;
  return {
    since: since === null ? null : isoTime(since),
    deadline: deadline === null ? null : isoTime(deadline),
  };
}

/** An offline worker does nothing, for whatever reason. */
function resting({
  rest,
  connection,
}: ShownWorker): Pick<WorkerResource, 'rests_because' | 'rests_since'> {
  const isKnown = rest !== null && connection.state !== 'offline';
  if (!isKnown) return { rests_because: null, rests_since: null };
  return { rests_because: rest.because, rests_since: isoTime(rest.since) };
}

/** How it came, and whether it has come in. */
function came({
  joined,
  waitsUntil,
}: ShownWorker): Pick<WorkerResource, 'joined_by' | 'waits_until'> {
  return {
    ...(joined === null ? {} : { joined_by: { token_id: joined.tokenId, label: joined.label } }),
    ...(waitsUntil === null ? {} : { waits_until: isoTime(waitsUntil) }),
  };
}

function refusing({ unwilling }: ShownWorker): Pick<WorkerResource, 'refusing'> {
  if (unwilling === null || unwilling.count === 0) return {};
  const { count, until, reason } = unwilling;
  return { refusing: { offers: count, until: isoTime(until), reason } };
}

/** Attempts that are shown of one worker. */
const attemptsShown = 100;

/** With an owner, of its attempts those of that owner's jobs. */
export function workerDetail(
  worker: WorkerRecord,
  resource: WorkerResource,
  owner?: string,
): WorkerDetail {
  const { quarantine, attempts } = worker;
  return {
    ...resource,
    quarantined_until: quarantine === null ? null : isoTime(quarantine.until),
    attempts: [...attempts]
      .filter(({ task }) => owner === undefined || task.job.spec.owner === owner)
      .sort((a, b) => a.assignedAt - b.assignedAt)
      .slice(0, attemptsShown)
      .map(workerAttempt),
  };
}

function workerAttempt({
  task,
  attempt,
  assignedAt,
  startedAt,
  progress,
}: AttemptRecord): WorkerAttempt {
  const { id } = task.job.spec;
  return {
    task_id: taskId(id, task.index),
    job_id: id,
    index: task.index,
    attempt,
    status: startedAt === null ? 'assigned' : 'running',
    assigned_at: isoTime(assignedAt),
    started_at: startedAt === null ? null : isoTime(startedAt),
    progress,
  };
}
