// Brings a database to the newest schema, one transaction per step: a crash between two steps is
// taken up at the next start.

import type { DatabaseSync } from 'node:sqlite';
import { readNumber } from './inspect.ts';
import { migrations } from './migrations/migrations.ts';
import { defineHashes } from './program-table.ts';

export const newestVersion = migrations.length;

export function migrate(db: DatabaseSync): void {
  defineHashes(db);
  for (let version = readNumber(db, 'pragma user_version'); version < newestVersion; version++) {
    db.exec('begin immediate');
    try {
      db.exec(migrations[version]!);
      db.exec(`pragma user_version = ${version + 1}; commit`);
    } catch (error) {
      if (db.isTransaction) db.exec('rollback');
      throw error;
    }
  }
}
