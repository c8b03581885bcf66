// What both sides of a move have in common when they are databases of PostgreSQL. The log of commits keeps all others
// out: whoever has added a row behind it is the one who works on the database, for as long as nobody adds another.

import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import type { MovedFacts, MovedRow, MovedTable } from '../../move/moved-tables.ts';
import type { Bounds, MoveSide, Page, Place } from '../../move/sides.ts';
import type { Address } from '../driver/address.ts';
import { Reader } from '../driver/reader.ts';
import { makePool, run } from '../driver/session.ts';
import type { Row, Value } from '../driver/statement.ts';
import { decodeText } from '../driver/text.ts';
import { CommitLog } from '../log/commit-log.ts';
import { ServerSession } from '../log/server-session.ts';
import { SignsOfLife } from '../log/signs-of-life.ts';
import { takeOver } from '../log/take-over.ts';
import {
  beforeAllDispatches,
  dispatchesAtOnce,
  dispatchesName,
  standingPageText,
  toStandingPage,
} from './standing-page.ts';
import { type StoredTable, storedTables } from './stored-tables.ts';

const readers = 2;
const patience = { readMs: 60_000, writeMs: 0 };
const standstillMs = 3_000;

export interface ServerSideOptions {
  readonly standstillMs?: number;
  /** Called when it has to wait whether a coordinator still works on the database. */
  readonly onWaiting?: () => void;
  readonly onTrouble?: (sentence: string) => void;
}

/** Whatever the planner believes of tables that it does not know yet: along the key, and no further than asked. */
export const alongTheKey = `select set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true)`;

export class ServerSide implements MoveSide {
  readonly identity: string;
  protected readonly log: CommitLog;
  readonly #address: Address;
  readonly #reader: Reader;
  readonly #signs: SignsOfLife;

  constructor(address: Address, identity: string, log: CommitLog) {
    this.#address = address;
    this.identity = identity;
    this.log = log;
    this.#reader = new Reader(makePool(address, readers), address, patience);
    this.#signs = new SignsOfLife(log);
  }

  get address(): string {
    return this.#address.shown;
  }

  async readFacts(): Promise<MovedFacts> {
    const [meta] = await this.#reader.query('select generation, next_job_key, config from meta');
    const config = meta![2] as string | null;
    const { newest } = this.log;
    return {
      generation: meta![0] as number,
      sequence: newest.batch,
      lastCommitAt: newest.at,
      nextJobKey: meta![1] as number,
      nextWorkerKey: newest.nextWorkerKey,
      nextRecoveryId: newest.nextRecoveryId,
      nextCheckpointId: newest.nextCheckpointId,
      config: config === null ? null : decodeText(config),
      totals: newest.totals,
    };
  }

  /** Behind the tasks with rows of their own come those that stand in a dispatch: elsewhere each has one. */
  async readPage(table: MovedTable, after: Place | null, bounds: Bounds): Promise<Page> {
    if (after?.[0] === dispatchesName) return this.#readStanding(after);
    const stored = storedTables.get(table.name)!;
    const { text, count } = after === null ? textsOf(stored).first : textsOf(stored).more;
    const values = [...(after ?? []), bounds.rows, bounds.bytes];
    const page = toPage(stored, await this.#readAlongTheKey(text, values.slice(0, count)));
    if (table.name !== 'tasks' || page.next !== null) return page;
    return { ...page, next: [dispatchesName] };
  }

  async #readStanding([, ...key]: Place): Promise<Page> {
    const values = key.length === 0 ? beforeAllDispatches : key;
    const rows = await this.#readAlongTheKey(standingPageText, [...values, dispatchesAtOnce]);
    return toStandingPage(rows);
  }

  #readAlongTheKey(text: string, values: readonly Value[]): Promise<readonly Row[]> {
    return this.#reader.snapshot(async (query) => {
      await query(alongTheKey);
      return query(text, values);
    });
  }

  confirm(): Promise<void> {
    return this.log.confirm();
  }

  async close(): Promise<void> {
    this.#signs.stop();
    await this.#reader.close();
    await this.log.close();
  }
}

/** Throws a `StoreFault` when a coordinator works on it. */
export async function lockDatabase(
  client: Client,
  address: Address,
  options: ServerSideOptions,
): Promise<CommitLog> {
  const { onWaiting, onTrouble } = options;
  const newest = await takeOver(
    client,
    address,
    { member: randomUUID() },
    {
      standstillMs: options.standstillMs ?? standstillMs,
      onWaiting,
    },
  );
  return new CommitLog(new ServerSession(client, address), newest, {
    shown: address.shown,
    open: () => ServerSession.open(address),
    onTrouble,
  });
}

/** The same by whatever name the server was reached. */
export async function readIdentity(client: Client, { schema }: Address): Promise<string> {
  const [row] = await run(
    client,
    'select pg_postmaster_start_time()::text, current_database()::text',
  );
  return JSON.stringify([row![0], row![1], schema]);
}

interface PageText {
  readonly text: string;
  readonly count: number;
}

const texts = new Map<StoredTable, { readonly first: PageText; readonly more: PageText }>();

function textsOf(stored: StoredTable) {
  let found = texts.get(stored);
  if (found === undefined) {
    found = { first: pageText(stored, false), more: pageText(stored, true) };
    texts.set(stored, found);
  }
  return found;
}

/**
 * The last column says how large a row is, the one before how many rows were looked at. Where values may be large, rows
 * are added up in the order of the key until the bound is passed; the server knows the size of one without reading it.
 */
export function pageText({ table, key, isVisible }: StoredTable, isMore: boolean): PageText {
  const { name, columns, large } = table;
  const list = columns.map((column) => `page.${column}`).join(', ');
  const keys = key.map((column) => `page.${column}`).join(', ');
  const places = key.map((_, i) => `$${i + 1}`).join(', ');
  const behind = isMore
    ? `and (${key.map((column) => `${name}.${column}`).join(', ')}) > (${places})`
    : '';
  const first = isMore ? key.length + 1 : 1;
  const size = [
    '64',
    ...large.map((column) => `coalesce(octet_length(${name}.${column}), 0)`),
  ].join(' + ');
  const page = `select ${name}.*, (${size})::bigint as size_of_row from ${name}
    where ${isVisible} ${behind} order by ${key.map((column) => `${name}.${column}`).join(', ')} limit $${first}`;
  if (large.length === 0) {
    const text = `select ${list}, count(*) over () = $${first}, page.size_of_row, ${keys} from (${page}) as page order by ${keys}`;
    return { text, count: first };
  }
  const text = `select ${list}, page.looked_at = $${first} or page.until > $${first + 1}, page.size_of_row, ${keys}
    from (
      select page.*, count(*) over () as looked_at, sum(page.size_of_row) over () as until,
        coalesce(sum(page.size_of_row) over
          (order by ${keys} rows between unbounded preceding and 1 preceding), 0) as before
      from (${page}) as page
    ) as page
    where page.before < $${first + 1} order by ${keys}`;
  return { text, count: first + 1 };
}

function toPage({ table, key, reads }: StoredTable, rows: readonly Row[]): Page {
  const width = table.columns.length;
  const moved: MovedRow[] = rows.map((row) => reads.map((read, i) => read(row[i]!)));
  const last = rows.at(-1);
  const hasMore = last?.[width] === true;
  return {
    rows: moved,
    bytes: rows.reduce((sum, row) => sum + (row[width + 1] as number), 0),
    next: hasMore ? (last.slice(-key.length) as (number | string)[]) : null,
  };
}
