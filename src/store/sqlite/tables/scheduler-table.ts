// Configurations of the scheduler, each as it was set: JSON text, the newest so many of them. They belong to no
// generation.

import type { DatabaseSync } from 'node:sqlite';
import type { SchedulerConfig } from '../../../core/snapshot.ts';
import { mostSchedulerChanges } from '../../rows.ts';
import { prepare, type Statement } from './statement.ts';

export class SchedulerTable {
  readonly #write: Statement;
  readonly #trim: Statement;
  readonly #list: Statement;

  constructor(db: DatabaseSync) {
    this.#write = prepare(db, 'insert into scheduler_changes (config) values (?)');
    this.#trim = prepare(
      db,
      'delete from scheduler_changes where id <= (select max(id) from scheduler_changes) - ?',
    );
    this.#list = prepare(db, 'select config from scheduler_changes order by id desc limit ?');
  }

  write(changes: readonly SchedulerConfig[]): void {
    if (changes.length === 0) return;
    for (const config of changes) this.#write.run(JSON.stringify(config));
    this.#trim.run(mostSchedulerChanges);
  }

  /** Newest first. */
  list(limit: number): readonly SchedulerConfig[] {
    return this.#list.all(limit).map(([config]) => JSON.parse(config as string) as SchedulerConfig);
  }
}
