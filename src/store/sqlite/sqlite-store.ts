// The embedded store: one file, one connection, everything on the calling thread. A call blocks
// for as long as SQLite works on it: the bounds in the arguments keep that short, and reads that may have
// to pass over many rows go window by window, with turns of the event loop in between.

import type { DatabaseSync } from 'node:sqlite';
import { joinParts } from '../parts.ts';
import type { Store } from '../store.ts';
import { SqliteAuditReading } from './audit-reading.ts';
import { SqliteBlobs } from './blobs.ts';
import { Connection, type Surroundings } from './connection.ts';
import { SqliteHistory } from './history.ts';
import { SqliteInputStaging } from './input-staging.ts';
import { SqliteJobReading } from './job-reading.ts';
import { SqliteNotificationReading } from './notification-reading.ts';
import { StoredTasks } from './stored-tasks.ts';
import { Sweeping } from './sweeping.ts';
import { makeTables } from './tables/tables.ts';
import { ValueGuard } from './tables/value-hash.ts';
import { SqliteSchedulerReading } from './scheduler-reading.ts';
import { SqliteTaskReading } from './task-reading.ts';
import { SqliteVisitorReading } from './visitor-reading.ts';
import { SqliteTokenReading } from './token-reading.ts';
import { WorkSpans } from './work-spans.ts';
import { SqliteWriting } from './writing.ts';

/** `onDamage` is called once for every damaged value that is read. */
export function makeSqliteStore(
  db: DatabaseSync,
  surroundings: Surroundings,
  onDamage?: (sentence: string) => void,
): Store {
  const connection = new Connection(db, surroundings);
  const tables = makeTables(db, new ValueGuard(connection.meta.hashedFrom, onDamage));
  const stored = new StoredTasks(tables);
  const sweeping = new Sweeping(db, tables.blobs, tables.programs);
  const workSpans = new WorkSpans(connection, tables);
  const blobs = new SqliteBlobs(connection, tables.blobs);
  const parts = joinParts(
    new SqliteJobReading(connection, tables),
    new SqliteTaskReading(connection, tables, stored),
    new SqliteNotificationReading(connection, tables),
    new SqliteTokenReading(connection, tables),
    new SqliteAuditReading(connection, tables),
    new SqliteSchedulerReading(connection, tables),
    new SqliteHistory(connection, tables, workSpans),
    new SqliteInputStaging(connection, tables),
    blobs,
    new SqliteVisitorReading({ connection, tables, stored, blobs }),
    new SqliteWriting({ connection, tables, stored, sweeping, workSpans }),
  );
  return Object.assign(parts, { close: () => connection.close() });
}
