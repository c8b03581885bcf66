// Reads how the scheduler was configured.

import type { SchedulerConfig } from '../../core/snapshot.ts';
import type { SchedulerReading } from '../reading.ts';
import type { Reader } from './driver/reader.ts';
import { listSchedulerChanges } from './tables/scheduler-table.ts';

export class PostgresSchedulerReading implements SchedulerReading {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  async listSchedulerChanges(limit: number): Promise<readonly SchedulerConfig[]> {
    return listSchedulerChanges(this.#reader.query, limit);
  }
}
