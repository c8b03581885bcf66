// Everything that can be found out about a database file that lies there: is its structure whole, is
// every value in it what was stored, and what does it hold. A step at a time, with turns of the event
// loop in between.

import type { DatabaseSync } from 'node:sqlite';
import { asFault } from '../file/faults.ts';
import { openForReading, readNumber } from '../file/inspect.ts';
import { type CheckReport, StoreCheck } from './store-check.ts';

export interface WholeReport extends CheckReport {
  /** What is wrong with its pages, the first hundred; nothing else was looked at then. */
  readonly structure: readonly string[];
  readonly schema: number;
  readonly jobs: number;
  /** Of its newest commit; null before the first. */
  readonly committedAt: number | null;
  /** Somebody needs a token. */
  readonly hasTokens: boolean;
  /** Of the certificate that its coordinator has shown last; null when none was told. */
  readonly pin: string | null;
}

const mostFaults = 100;

/** What SQLite itself finds wrong; nothing in a whole database. */
export function structureFaults(db: DatabaseSync): readonly string[] {
  return db
    .prepare(`pragma integrity_check(${mostFaults})`)
    .all()
    .map((row) => String(Object.values(row)[0]))
    .filter((text) => text !== 'ok');
}

/** `tell` hears how many values were looked at; when it throws, the check ends. Throws `StoreFault`. */
export async function checkWhole(
  path: string,
  tell: (values: number) => void = () => undefined,
): Promise<WholeReport> {
  const reading = openForReading(path);
  try {
    const { db } = reading;
    const structure = structureFaults(db);
    const facts = {
      structure,
      schema: readNumber(db, 'pragma user_version'),
      ...contentOf(db),
      ...accessOf(db),
    };
    const check = new StoreCheck(db);
    while (structure.length === 0 && check.step()) {
      tell(check.report.values);
      await new Promise((resolve) => void setImmediate(resolve));
    }
    return { ...facts, ...check.report };
  } catch (error) {
    throw asFault(error, path, 'read');
  } finally {
    reading.close();
  }
}

function contentOf(db: DatabaseSync): Pick<WholeReport, 'jobs' | 'committedAt'> {
  const jobs = 'select count(*) from jobs where generation = meta.generation';
  const { count, at } = db
    .prepare(`select (${jobs}) as count, last_commit_at as at from meta`)
    .get()!;
  return { jobs: Number(count), committedAt: at === null ? null : Number(at) };
}

/** Nothing in a database of before there were tokens. */
function accessOf(db: DatabaseSync): Pick<WholeReport, 'hasTokens' | 'pin'> {
  const table = db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?");
  const first = (name: string, sql: string) =>
    table.get(name) === undefined ? undefined : db.prepare(sql).get();
  const admin = "select 1 from tokens where kind = 'admin' and revoked_at is null limit 1";
  const told = "select object from audit where action = 'certificate.change' order by id desc";
  const pin = first('audit', `${told} limit 1`)?.['object'];
  return {
    hasTokens: first('tokens', admin) !== undefined,
    pin: typeof pin === 'string' ? pin : null,
  };
}
