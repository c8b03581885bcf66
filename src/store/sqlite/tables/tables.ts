// The tables of a database, each with its statements. `meta` is not among them: it belongs to the
// connection.

import type { DatabaseSync } from 'node:sqlite';
import { damagedTasks } from '../../damage.ts';
import { AttemptTable } from './attempt-table.ts';
import { AuditTable } from './audit-table.ts';
import { BlobTable } from './blob-table.ts';
import { CheckpointTable } from './checkpoint-table.ts';
import { DispatchTable } from './dispatch-table.ts';
import { IdempotencyTable } from './idempotency-table.ts';
import { InputTable } from './input-table.ts';
import { JobTable } from './job-table.ts';
import { NotificationTable } from './notification-table.ts';
import { OpenDispatches } from './open-dispatches.ts';
import { ProgramTable } from './program-table.ts';
import { RecoveryTable } from './recovery-table.ts';
import { SchedulerTable } from './scheduler-table.ts';
import { TaskTable } from './task-table.ts';
import { TokenTable } from './token-table.ts';
import { TraceTable } from './trace-table.ts';
import type { ValueGuard } from './value-hash.ts';
import { WorkSumTable } from './work-sum-table.ts';
import { WorkTable } from './work-table.ts';
import { WorkerTable } from './worker-table.ts';

export type Tables = ReturnType<typeof makeTables>;

export function makeTables(db: DatabaseSync, guard: ValueGuard) {
  const tellDamage = (jobId: string) => guard.tell(damagedTasks(jobId));
  const dispatches = new OpenDispatches(new DispatchTable(db, guard), tellDamage);
  return {
    jobs: new JobTable(db),
    programs: new ProgramTable(db, guard),
    inputs: new InputTable(db, guard),
    dispatches,
    tasks: new TaskTable(db, guard, dispatches),
    attempts: new AttemptTable(db, guard),
    traces: new TraceTable(db),
    workers: new WorkerTable(db),
    recoveries: new RecoveryTable(db),
    notifications: new NotificationTable(db),
    checkpoints: new CheckpointTable(db),
    blobs: new BlobTable(db, guard),
    idempotencyKeys: new IdempotencyTable(db),
    tokens: new TokenTable(db),
    audit: new AuditTable(db),
    schedulerChanges: new SchedulerTable(db),
    work: new WorkTable(db),
    workSums: new WorkSumTable(db),
  };
}
