// The rows of a log of commits in memory, under the fence of the real one.

import { DatabaseError } from 'pg';
import type { LogLook, LogPlace } from './log-session.ts';

export class LogInMemory<Row extends LogPlace> {
  /** Without holes: the row of a sequence stands at it. */
  readonly rows: Row[];

  constructor(first: Row) {
    this.rows = [first];
  }

  get newest(): Row {
    return this.rows.at(-1)!;
  }

  look(sequence: number): LogLook {
    return { newest: this.newest, asked: this.rows[sequence] };
  }

  /** Throws what a server says when the row does not come behind one of the term, or is there already. */
  check({ sequence }: LogPlace, termBefore: string): void {
    if (this.rows[sequence - 1]?.term !== termBefore) {
      throw serverError({ code: '23502', table: 'commits' });
    }
    if (sequence < this.rows.length) {
      throw serverError({ code: '23505', constraint: 'commits_pkey' });
    }
  }

  add(row: Row, termBefore: string): void {
    this.check(row, termBefore);
    this.rows.push(row);
  }
}

export function serverError(fields: Partial<DatabaseError>): DatabaseError {
  return Object.assign(
    new DatabaseError('a row was refused', 0, 'error'),
    { severity: 'ERROR' },
    fields,
  );
}
