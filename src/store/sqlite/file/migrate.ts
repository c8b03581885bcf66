// Brings a database to the newest schema, one transaction per step: a crash between two steps is
// taken up at the next start.

import type { DatabaseSync } from 'node:sqlite';
import { readNumber } from './inspect.ts';
import { migrations } from './migrations/migrations.ts';
import { defineHashes } from '../tables/program-table.ts';

export const newestVersion = migrations.length;

/** `tell` gets a sentence before, after each step and at the end; none for a new file. */
export function migrate(
  db: DatabaseSync,
  tell: (sentence: string) => void = () => undefined,
): void {
  const from = readNumber(db, 'pragma user_version');
  if (from === newestVersion) return;
  defineHashes(db);
  const startedAt = performance.now();
  const say = from === 0 ? () => undefined : tell;
  say(
    `The database (${megabytes(db)} MB) is brought from schema ${from} to ${newestVersion}; ` +
      'nobody is served before that is done.',
  );
  for (let version = from; version < newestVersion; version++) {
    step(db, version);
    say(`The database has schema ${version + 1} of ${newestVersion}.`);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  say(`The database was brought to schema ${newestVersion} in ${seconds.toFixed(1)} s.`);
}

function step(db: DatabaseSync, version: number): void {
  db.exec('begin immediate');
  try {
    db.exec(migrations[version]!);
    db.exec(`pragma user_version = ${version + 1}; commit`);
  } catch (error) {
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}

function megabytes(db: DatabaseSync): number {
  const bytes = readNumber(db, 'pragma page_count') * readNumber(db, 'pragma page_size');
  return Math.ceil(bytes / 2 ** 20);
}
