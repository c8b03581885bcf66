// A database that remembers which statements were prepared of it, to look at the plans of them.

import type { DatabaseSync } from 'node:sqlite';

export function listeningTo(db: DatabaseSync): { listening: DatabaseSync; asked: string[] } {
  const asked: string[] = [];
  const listening = new Proxy(db, {
    get: (target) => (sql: string) => {
      asked.push(sql);
      return target.prepare(sql);
    },
  });
  return { listening, asked };
}

/** How SQLite would answer it, a line a step. */
export function planOf(db: DatabaseSync, sql: string): string[] {
  const steps = db.prepare(`explain query plan ${sql}`).all();
  return steps.map(({ detail }) => String(detail));
}
