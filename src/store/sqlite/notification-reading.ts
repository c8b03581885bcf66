// Reads who is told of ends of jobs.

import type { DueWanted, NotificationReading } from '../reading.ts';
import type { DueNotification, NotificationRow } from '../rows.ts';
import type { Connection } from './connection.ts';
import type { Tables } from './tables/tables.ts';

export class SqliteNotificationReading implements NotificationReading {
  readonly #connection: Connection;
  readonly #tables: Tables;

  constructor(connection: Connection, tables: Tables) {
    this.#connection = connection;
    this.#tables = tables;
  }

  async listNotifications(jobKey: number, limit: number): Promise<readonly NotificationRow[]> {
    const { jobs, notifications } = this.#tables;
    return this.#connection.read((generation) => {
      const job = jobs.see(jobKey, generation);
      return job === undefined ? [] : notifications.listOfJob(jobKey, job.id, limit);
    });
  }

  async listDueNotifications(wanted: DueWanted): Promise<readonly DueNotification[]> {
    const { jobs, notifications } = this.#tables;
    return this.#connection.read((generation) =>
      notifications
        .listDue(wanted, generation)
        .map((row) => ({ row, job: jobs.findHead(row.jobId, generation)! })),
    );
  }

  async nextNotificationAt(at: number): Promise<number | null> {
    const { notifications } = this.#tables;
    return this.#connection.read((generation) => notifications.nextAfter(at, generation));
  }
}
