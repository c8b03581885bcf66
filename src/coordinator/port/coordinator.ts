// What the coordinator offers to its shells (HTTP server, simulator, tests): a port for each part, so
// that nobody is given more than it needs. Everything that is asked to change goes through the writer
// loop and resolves after the commit; everything that is read shows committed state only.

import type { AuditPort } from './audit.ts';
import type { BlobPort } from './blobs.ts';
import type { EventPort } from './events.ts';
import type { JobPort, SubmissionPort } from './jobs.ts';
import type { NotificationPort } from './notifications.ts';
import type { EvaluationPort, ReadPort, TaskReadPort } from './reads.ts';
import type { Principal } from './principal.ts';
import type { QuotaPort } from './quota.ts';
import type { Result } from './rejection.ts';
import type { SchedulerPort } from './scheduler.ts';
import type { TokenPort } from './tokens.ts';
import type { PullWorkerPort, SessionPort, WorkerPort } from './workers.ts';

export interface CoordinatorPorts {
  readonly submissions: SubmissionPort;
  readonly jobs: JobPort;
  readonly blobs: BlobPort;
  readonly workers: WorkerPort;
  readonly sessions: SessionPort;
  readonly pullWorkers: PullWorkerPort;
  readonly scheduler: SchedulerPort;
  readonly reads: ReadPort;
  readonly taskReads: TaskReadPort;
  readonly evaluation: EvaluationPort;
  readonly notifications: NotificationPort;
  readonly events: EventPort;
  readonly quota: QuotaPort;
}

/** The condition of the coordinator as a whole. */
export interface CoordinatorCondition {
  readonly health: 'starting' | 'ready' | 'stopping' | 'failed';
  /**
   * Too much waits to be decided. New jobs are refused, and nothing more should be read from the sockets of
   * workers meanwhile: messages are not lost there, and no worker is taken for silent.
   */
  readonly isCrowded: boolean;
  /** Resolves when the coordinator is not crowded. */
  eased(): Promise<void>;
}

/** How one begins and ends is not asked here: that is for who runs it. */
export interface Coordinator extends CoordinatorPorts, CoordinatorCondition {
  /** The ports as they are for this principal: what is not for it looks as if it were not there. */
  for(principal: Principal): CoordinatorPorts;
  readonly tokens: TokenPort;
  readonly audit: AuditPort;
  /** Removes everything but the configuration of the scheduler. */
  clear(): Promise<Result<Cleared>>;
}

/** How many of each were removed. */
export interface Cleared {
  readonly jobs: number;
  readonly tasks: number;
  readonly workers: number;
  readonly checkpoints: number;
}
