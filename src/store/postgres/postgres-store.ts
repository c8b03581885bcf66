// The store in a database of PostgreSQL: one connection commits, others read. Nothing here is remembered between
// calls but the end of the log and which open jobs have a row.

import { joinParts } from '../parts.ts';
import type { Store } from '../store.ts';
import { PostgresAuditReading } from './audit-reading.ts';
import { PostgresBlobs } from './blobs.ts';
import type { Reader } from './driver/reader.ts';
import type { Foundation } from './foundation.ts';
import { PostgresHistory } from './history.ts';
import { PostgresInputStaging } from './input-staging.ts';
import { PostgresJobReading } from './job-reading.ts';
import type { SignsOfLife } from './log/signs-of-life.ts';
import { PostgresNotificationReading } from './notification-reading.ts';
import { PostgresSchedulerReading } from './scheduler-reading.ts';
import { Sweeping } from './sweeping.ts';
import { PostgresTaskReading } from './task-reading.ts';
import { PostgresTokenReading } from './token-reading.ts';
import { PostgresVisitorReading } from './visitor-reading.ts';
import { WorkSpans } from './work-spans.ts';
import { PostgresWriting } from './writing.ts';

interface WholeFoundation extends Foundation {
  /** For what the writer waits for. */
  readonly own: Reader;
  readonly signs: SignsOfLife;
}

export function makePostgresStore(foundation: WholeFoundation): Store {
  const { log, reader, own, member, signs } = foundation;
  const workSpans = new WorkSpans(reader);
  const sweeping = new Sweeping(reader, member);
  const parts = joinParts(
    new PostgresJobReading(reader),
    new PostgresTaskReading(reader),
    new PostgresNotificationReading(reader),
    new PostgresTokenReading(reader),
    new PostgresAuditReading(reader),
    new PostgresSchedulerReading(reader),
    new PostgresHistory(reader, workSpans),
    new PostgresInputStaging(reader, member),
    new PostgresBlobs(reader, member),
    new PostgresVisitorReading(own, new PostgresBlobs(own, member)),
    new PostgresWriting({ log, reader: own, member }, { sweeping, workSpans }),
  );
  let closing: Promise<void> | undefined;
  const close = async () => {
    signs.stop();
    await log.close();
    await Promise.all([own.close(), reader.close()]);
  };
  return Object.assign(parts, { close: () => (closing ??= close()) });
}
