// What is committed in the database, for whoever does not write it: a part of the store without its writer.

import { joinParts } from '../parts.ts';
import type { Reading } from '../reading.ts';
import { PostgresAuditReading } from './audit-reading.ts';
import { PostgresBlobs } from './blobs.ts';
import type { Reader } from './driver/reader.ts';
import { PostgresHistory } from './history.ts';
import { PostgresJobReading } from './job-reading.ts';
import { PostgresNotificationReading } from './notification-reading.ts';
import { PostgresSchedulerReading } from './scheduler-reading.ts';
import { PostgresTaskReading } from './task-reading.ts';
import { PostgresTokenReading } from './token-reading.ts';
import { WorkSpans } from './work-spans.ts';

export function makePostgresReading(reader: Reader): Reading {
  return joinParts(
    new PostgresJobReading(reader),
    new PostgresTaskReading(reader),
    new PostgresNotificationReading(reader),
    new PostgresTokenReading(reader),
    new PostgresAuditReading(reader),
    new PostgresSchedulerReading(reader),
    new PostgresHistory(reader, new WorkSpans(reader)),
    // Nothing is put through it, so there are no drafts of anybody.
    new PostgresBlobs(reader, ''),
  );
}
