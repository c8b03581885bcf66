// A database that remembers which statements were prepared of it, to look at the plans of them, and which
// were run for what they change.

import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { openSqliteStore } from '../open.ts';
import { makeDirectory } from './directory.ts';

interface Listening {
  readonly listening: DatabaseSync;
  readonly asked: readonly string[];
  /** A text for each run. */
  readonly ran: readonly string[];
}

export function listeningTo(db: DatabaseSync): Listening {
  const asked: string[] = [];
  const ran: string[] = [];
  const listening = new Proxy(db, {
    get: (target) => (sql: string) => {
      asked.push(sql);
      const statement = target.prepare(sql);
      const run = statement.run.bind(statement) as (...values: SQLInputValue[]) => unknown;
      const told = (...values: SQLInputValue[]) => (ran.push(sql), run(...values));
      return Object.assign(statement, { run: told });
    },
  });
  return { listening, asked, ran };
}

/** One with the tables of a new file, which has no rows. Whoever asks for it closes `db`. */
export async function listeningToNewFile(): Promise<Listening & { readonly db: DatabaseSync }> {
  const path = join(await makeDirectory(), 'jobs.db');
  await openSqliteStore(path).close();
  const db = new DatabaseSync(path);
  return { db, ...listeningTo(db) };
}

/** How SQLite would answer it, a line a step. */
export function planOf(db: DatabaseSync, sql: string): string[] {
  const steps = db.prepare(`explain query plan ${sql}`).all();
  return steps.map(({ detail }) => String(detail));
}
