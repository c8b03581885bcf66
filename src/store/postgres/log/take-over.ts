// Becomes the one writer. Nobody is asked: the log stands still where nobody lives, and whoever adds a row of a new
// term behind its newest has shut out all others.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreFault } from '../../store.ts';
import { databaseNow } from '../driver/database-now.ts';
import type { Address } from '../driver/address.ts';
import { isFenced, isLocked } from '../driver/faults.ts';
import type { Client } from 'pg';
import { run } from '../driver/session.ts';
import { type LogEntry, newestEntry, toEntry } from './log-entry.ts';
import { addEntry, endIdleWriters, quoted } from './server-session.ts';

export interface TakeOverOptions {
  /** How long the log must stand still before somebody counts as gone who has not said so. */
  readonly standstillMs: number;
  /** Called once when it has to wait for that. */
  readonly onWaiting?: (() => void) | undefined;
}

/** The second after whoever holds the log and is frozen was ended. */
const mostTries = 2;
/** Reads within a standstill. */
const looks = 5;

/** Who takes over. */
export interface Successor {
  /** What it stages bears this; new with every takeover. */
  readonly member: string;
  /** In a cluster: the process, and where the others reach it. */
  readonly coordinator?: { readonly id: string; readonly url: string };
}

/** Throws a `StoreFault` when another coordinator works on the database. Resolves to the row of the takeover. */
export async function takeOver(
  client: Client,
  address: Address,
  successor: Successor,
  options: TakeOverOptions,
): Promise<LogEntry> {
  return takeOverFrom(client, address, successor, await awaitStandstill(client, address, options));
}

/** The same from where the log was seen to stand still, and not from any newer place. */
export async function takeOverFrom(
  client: Client,
  address: Address,
  successor: Successor,
  seen: LogEntry,
): Promise<LogEntry> {
  const entry = { ...seen, sequence: seen.sequence + 1, term: randomUUID() };
  for (let tries = 1; ; tries++) {
    try {
      await client.query(takeOverText(entry, seen.term, successor));
      return entry;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      if (isFenced(error)) throw isBusy(address, error);
      if (!isLocked(error)) throw error;
      if (tries === mostTries) throw isBusy(address, error);
      await endIdleWriters(client);
    }
  }
}

/** One message: who freezes within leaves nothing open that would hold up others. */
function takeOverText(
  entry: LogEntry,
  termBefore: string,
  { member, coordinator }: Successor,
): string {
  const process =
    coordinator === undefined ? 'null, null' : `'${coordinator.id}', ${quoted(coordinator.url)}`;
  return `begin isolation level read committed read write; set local lock_timeout = '500ms';
    ${addEntry(entry, termBefore)};
    insert into terms (term, epoch, member, since, coordinator, url)
      select '${entry.term}', coalesce(max(epoch), 0) + 1, '${member}', ${databaseNow}, ${process} from terms;
    commit`;
}

async function awaitStandstill(
  client: Client,
  address: Address,
  { standstillMs, onWaiting }: TakeOverOptions,
): Promise<LogEntry> {
  const seen = await readNewest(client);
  const [isOver] = await run(client, 'select 1 from terms where term = $1 and ended is null', [
    seen.term,
  ]);
  if (isOver === undefined) return seen;
  onWaiting?.();
  for (let look = 0; look < looks; look++) {
    await sleep(standstillMs / looks);
    const now = await readNewest(client);
    if (now.sequence !== seen.sequence || now.term !== seen.term) throw isBusy(address);
  }
  return seen;
}

async function readNewest(client: Client): Promise<LogEntry> {
  const [row] = await run(client, newestEntry);
  if (row !== undefined) return toEntry(row);
  throw new StoreFault('store_damaged', 'The log of commits of the database is empty.');
}

function isBusy({ shown }: Address, cause?: unknown): StoreFault {
  const sentence =
    `Another coordinator works on the database ${shown}. Stop it first, or give this one a schema of its own: ` +
    'add schema=… to the address.';
  return new StoreFault('store_locked', sentence, cause);
}
