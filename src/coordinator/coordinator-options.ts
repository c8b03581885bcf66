// What a coordinator is made with.

import type { CoreSettings } from '../core/settings.ts';
import type { SchedulerConfig } from '../core/snapshot.ts';
import type { State } from '../core/state.ts';
import type { ToldEvent } from '../core/told-events.ts';
import type { Limits } from '../protocol/limits.ts';
import type { AuditEntry } from '../store/rows.ts';
import type { SchedulerFactory } from '../scheduling/scheduler.ts';
import type { StoreParts } from '../store/store.ts';
import type { AuditKeeping } from './audit/audit-trail.ts';
import type { DiskRoom } from './port/disk-room.ts';
import type { Deliver } from './port/notifications.ts';
import type { Runtime } from './runtime.ts';
import type { InboxMarks } from './writer/inbox.ts';

export interface CoordinatorOptions {
  /** It stays open: whoever opened it closes it. */
  readonly store: StoreParts;
  readonly runtime: Runtime;
  readonly settings?: Partial<CoreSettings>;
  readonly limits?: Partial<Limits>;
  /** Sets the algorithm at start, when it is not the stored one. */
  readonly algorithm?: SchedulerConfig['algorithm'];
  /** Makes the schedulers that decide; those of the nine algorithms by default. */
  readonly createScheduler?: SchedulerFactory;
  /** Memory for past decisions, so that they can be explained; 4 MiB by default. */
  readonly decisionLogBytes?: number;
  /** How long a blob is kept that nothing refers to; an hour by default. */
  readonly blobKeepMs?: number;
  /** Tells others of the ends of jobs; absent: nobody is told, and what is owed waits. */
  readonly deliver?: Deliver;
  /** How much of the audit log is kept; years by default. */
  readonly auditKeeping?: AuditKeeping;
  /** Called with what was added to the audit log, after the commit. */
  readonly onAudit?: (entries: readonly AuditEntry[]) => void;
  /** What the operator calls it; workers are told. */
  readonly coordinatorName?: string;
  /** Where others of its cluster are reached, best first; workers are told. */
  readonly otherCoordinators?: () => readonly string[];
  /** How much room the store has; without it there is always some. */
  readonly disk?: DiskRoom;
  /** Called with every batch of events after its commit. */
  readonly onEvents?: (events: readonly ToldEvent[]) => void;
  /** Called with errors that failed one request, not the process: for the log. */
  readonly onError?: (error: Error) => void;
  /** A worker said hello while another connection spoke for it. */
  readonly onTakeover?: (workerId: string) => void;
  /** The store had much past work to sum, as after an upgrade. */
  readonly onManySummed?: (sums: number) => void;
  /** How long each commit took. */
  readonly onCommit?: (microseconds: number) => void;
  /** Commands in one batch; a simulation makes it small. */
  readonly batchLimit?: number;
  /** When the inbox is crowded; tests make them small. */
  readonly inboxMarks?: InboxMarks;
  /** Called after every command, in tests and simulations. */
  readonly check?: (state: State) => void;
}
