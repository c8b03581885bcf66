// A database of PostgreSQL into which another is moved. Each batch is a commit of the log, with how far the move is.

import type { Client } from 'pg';
import {
  type MovedFacts,
  type MovedRow,
  type MovedTable,
  movedTables,
} from '../../move/moved-tables.ts';
import { type Half, type MoveTarget, refuseSame } from '../../move/sides.ts';
import { StoreFault } from '../../store.ts';
import { type Address, parseAddress } from '../driver/address.ts';
import { asFault, asOpeningFault } from '../driver/faults.ts';
import { connect, inspectServer, run } from '../driver/session.ts';
import type { Statement } from '../driver/statement.ts';
import { encodeText } from '../driver/text.ts';
import type { CommitLog } from '../log/commit-log.ts';
import {
  dropHalfTable,
  makeHalfTable,
  readHalfText,
  writeHalfText,
} from '../migrations/half-schema.ts';
import { migrate, newestSchema } from '../migrations/migrate.ts';
import { lockDatabase, readIdentity, ServerSide, type ServerSideOptions } from './server-side.ts';
import { storedTables, toCell } from './stored-tables.ts';

/** Throws a `StoreFault` when something else is there, or the source, or a coordinator works on it. Makes its tables. */
export async function openServerTarget(
  text: string,
  options: ServerSideOptions & { readonly source?: string } = {},
): Promise<MoveTarget> {
  const address = parseAddress(text);
  try {
    const client = await connect(address);
    try {
      await inspectServer(client, address);
      const identity = await readIdentity(client, address);
      refuseSame(options.source, identity, address.shown);
      const half = await readHalfText(client, address);
      if (half === undefined) await makeTables(client, address);
      else await refuseOtherVersion(client, address);
      // Before anything is written, and again when nobody else can write any more.
      if (half === undefined) await refuseContent(client, address);
      const log = await lockDatabase(client, address, options);
      const target = new ServerTarget(address, identity, { log, half });
      try {
        if (half === undefined) await refuseContent(client, address);
      } catch (error) {
        await target.close();
        throw error;
      }
      return target;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  } catch (error) {
    throw asOpeningFault(error, address.shown);
  }
}

interface Opened {
  readonly log: CommitLog;
  /** JSON. */
  readonly half: string | undefined;
}

class ServerTarget extends ServerSide implements MoveTarget {
  readonly #place: Address;
  readonly #half: string | undefined;

  constructor(address: Address, identity: string, { log, half }: Opened) {
    super(address, identity, log);
    this.#place = address;
    this.#half = half;
  }

  async readHalf(): Promise<Half | undefined> {
    return this.#half === undefined ? undefined : (JSON.parse(this.#half) as Half);
  }

  begin(half: Half, facts: MovedFacts): Promise<void> {
    const { generation, nextJobKey, config, sequence, lastCommitAt, ...next } = facts;
    const { nextWorkerKey, nextRecoveryId, nextCheckpointId, totals } = next;
    return this.log.commit((newest) => ({
      entry: {
        ...newest,
        batch: sequence,
        at: lastCommitAt,
        nextWorkerKey,
        nextRecoveryId,
        nextCheckpointId,
        totals,
      },
      statements: [
        makeHalfTable,
        writeHalfText(JSON.stringify(half)),
        {
          text: 'update meta set generation = $1, next_job_key = $2, config = $3',
          values: [generation, nextJobKey, config === null ? null : encodeText(config)],
        },
      ],
    }));
  }

  write(table: MovedTable, rows: readonly MovedRow[], half: Half): Promise<void> {
    const inserts = rows.length === 0 ? [] : [insertOf(table, rows)];
    return this.log.commit((newest) => ({
      entry: newest,
      statements: [...inserts, writeHalfText(JSON.stringify(half))],
    }));
  }

  async finish(): Promise<void> {
    await this.log.commit((newest) => ({
      entry: newest,
      statements: [nextBlobKey, dropHalfTable],
    }));
    await analyze(this.#place);
  }
}

const nextBlobKey: Statement = {
  text: `select setval(pg_get_serial_sequence('blobs', 'key'),
    (select coalesce(max(key), 0) + 1 from blobs), false)`,
  values: [],
};

function insertOf({ name, columns, kinds }: MovedTable, rows: readonly MovedRow[]): Statement {
  const { types } = storedTables.get(name)!;
  const places = types.map((type, i) => `$${i + 1}::${type}[]`).join(', ');
  // Keys of blobs are the server's otherwise.
  const overriding = name === 'blobs' ? 'overriding system value' : '';
  return {
    text: `insert into ${name} (${columns.join(', ')}) ${overriding} select * from unnest(${places})`,
    values: kinds.map((kind, i) => rows.map((row) => toCell(kind, row[i]!))),
  };
}

/** So that the first start need not wait until the server knows its tables by itself. */
async function analyze(address: Address): Promise<void> {
  let client: Client | undefined;
  try {
    client = await connect(address);
    const names = movedTables.map(({ name }) => name).join(', ');
    await client.query(`begin read write; analyze ${names}; commit`);
  } catch {
    // It does so later.
  } finally {
    await client?.end().catch(() => undefined);
  }
}

/** Those of an older version are somebody's: they are not brought up to date by the way. */
async function makeTables(client: Client, address: Address): Promise<void> {
  const { shown, schema } = address;
  const [made] = await run(client, 'select to_regclass($1) is not null', [`${schema}.migrations`]);
  if (made![0] === true) {
    const [row] = await run(client, 'select coalesce(max(version), 0) from migrations');
    if ((row![0] as number) < newestSchema) throw occupied(shown);
  }
  await migrate(client, address);
}

async function refuseContent(client: Client, address: Address): Promise<void> {
  const { shown } = address;
  try {
    const looks = movedTables.map(({ name }) => `exists (select 1 from ${name})`).join(' or ');
    const [row] = await run(client, `select ${looks} or exists (select 1 from staged)`);
    if (row![0] !== true) return;
  } catch (error) {
    throw asFault(error, shown, 'read');
  }
  throw occupied(shown);
}

function occupied(shown: string): StoreFault {
  return new StoreFault(
    'store_occupied',
    `The database ${shown} holds something already. Name another schema (schema=… in the address), or remove that one.`,
  );
}

async function refuseOtherVersion(client: Client, { shown, schema }: Address): Promise<void> {
  const [row] = await run(client, 'select coalesce(max(version), 0) from migrations');
  if (row![0] === newestSchema) return;
  throw new StoreFault(
    'store_occupied',
    `Another version of Muster has begun to move a database to ${shown}. Go on with that version, or remove the schema ` +
      `"${schema}" and begin anew.`,
  );
}
