// Traces of attempts: the stack of the error and what was printed. Unlike results and errors they carry
// no hash: nothing is decided by them.

import type { DatabaseSync } from 'node:sqlite';
import { indexOf, jobKeyOf, taskKey } from '../../../core/task-key.ts';
import type { TraceRow, TraceSummary } from '../../rows.ts';
import { prepare, type Statement } from './statement.ts';

export class TraceTable {
  readonly #write: Statement;
  readonly #ofTask: Statement;
  readonly #output: Statement;

  constructor(db: DatabaseSync) {
    this.#write = prepare(
      db,
      'replace into traces (task_key, attempt, stack, output) values (?, ?, ?, ?)',
    );
    this.#ofTask = prepare(
      db,
      `select task_key, attempt, stack, output is not null from traces
        where task_key = ? order by attempt`,
    );
    this.#output = prepare(db, 'select output from traces where task_key = ? and attempt = ?');
  }

  write({ jobKey, index, attempt, stack, output }: TraceRow): void {
    this.#write.run(taskKey(jobKey, index), attempt, stack, output);
  }

  list(jobKey: number, index: number): readonly TraceSummary[] {
    return this.#ofTask.all(taskKey(jobKey, index)).map((row) => ({
      jobKey: jobKeyOf(row[0] as number),
      index: indexOf(row[0] as number),
      attempt: row[1] as number,
      stack: row[2] as string | null,
      hasOutput: row[3] === 1,
    }));
  }

  readOutput(jobKey: number, index: number, attempt: number): string | null {
    const row = this.#output.get(taskKey(jobKey, index), attempt);
    return row === undefined ? null : (row[0] as string | null);
  }
}
