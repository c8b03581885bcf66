// Reads who is told of ends of jobs.

import type { DueWanted, NotificationReading } from '../reading.ts';
import type { DueNotification, NotificationRow } from '../rows.ts';
import type { Reader } from './driver/reader.ts';
import { jobsOf } from './tables/job-table.ts';
import { listDue, listNotificationsOf, nextDueAfter } from './tables/notification-table.ts';

const jobsText = 'select unnest($1::bigint[]) as key';

export class PostgresNotificationReading implements NotificationReading {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  async listNotifications(jobKey: number, limit: number): Promise<readonly NotificationRow[]> {
    return listNotificationsOf(this.#reader.query, jobKey, limit);
  }

  async listDueNotifications(wanted: DueWanted): Promise<readonly DueNotification[]> {
    return this.#reader.snapshot(async (query) => {
      const rows = await listDue(query, wanted);
      if (rows.length === 0) return [];
      const keys = new Set(rows.map(({ jobKey }) => jobKey));
      const jobs = await jobsOf(query, jobsText, [[...keys]], false);
      const byKey = new Map(jobs.map((job) => [job.spec.key, job]));
      return rows.map((row) => ({ row, job: byKey.get(row.jobKey)! }));
    });
  }

  async nextNotificationAt(at: number): Promise<number | null> {
    return nextDueAfter(this.#reader.query, at);
  }
}
