// A file into which a database is being moved. It bears another mark in its header than a whole one, so that nobody
// takes it for one, not even a version that knows nothing of moves; how far it has come stands in a table of its own.

import type { DatabaseSync } from 'node:sqlite';
import { halfMoved } from '../../half-moved.ts';
import type { StoreFault } from '../../store.ts';

/** 'MSTH' */
export const halfId = 0x4d535448;

/** Where a file is, as it is given to a command. */
export function fileAddress(path: string): string {
  return `sqlite:${path}`;
}

export function makeHalfTable(db: DatabaseSync): void {
  db.exec('create table moving (id integer primary key check (id = 1), half text not null) strict');
}

/** JSON. */
export function readHalfText(db: DatabaseSync): string {
  return String(db.prepare('select half from moving').get()!['half']);
}

export function writeHalfText(db: DatabaseSync, half: string): void {
  db.prepare('insert into moving values (1, ?) on conflict do update set half = excluded.half').run(
    half,
  );
}

/** Why nobody may work on it. */
export function halfFault(db: DatabaseSync, path: string): StoreFault {
  const { from } = JSON.parse(readHalfText(db)) as { readonly from: string };
  return halfMoved({ from, to: fileAddress(path) });
}
