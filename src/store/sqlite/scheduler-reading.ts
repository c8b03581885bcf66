// Reads how the scheduler was configured.

import type { SchedulerConfig } from '../../core/snapshot.ts';
import type { SchedulerReading } from '../reading.ts';
import type { Connection } from './connection.ts';
import type { Tables } from './tables/tables.ts';

export class SqliteSchedulerReading implements SchedulerReading {
  readonly #connection: Connection;
  readonly #tables: Tables;

  constructor(connection: Connection, tables: Tables) {
    this.#connection = connection;
    this.#tables = tables;
  }

  async listSchedulerChanges(limit: number): Promise<readonly SchedulerConfig[]> {
    return this.#connection.read(() => this.#tables.schedulerChanges.list(limit));
  }
}
