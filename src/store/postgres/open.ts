// Opens a database of PostgreSQL: brings its schema up to date, and becomes the one that writes to it.

import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import type { Membership, TakenOver } from '../membership.ts';
import type { Store } from '../store.ts';
import { type Address, parseAddress } from './driver/address.ts';
import { asOpeningFault } from './driver/faults.ts';
import { LastWait } from './driver/last-wait.ts';
import { Reader } from './driver/reader.ts';
import { refuseTransactionPooler } from './driver/pooler.ts';
import { connect, inspectServer, makePool, run } from './driver/session.ts';
import { CommitLog } from './log/commit-log.ts';
import type { LogEntry } from './log/log-entry.ts';
import { ServerSession } from './log/server-session.ts';
import { SignsOfLife } from './log/signs-of-life.ts';
import { takeOver } from './log/take-over.ts';
import { PostgresMembership } from './membership.ts';
import { refuseHalf } from './migrations/half-schema.ts';
import { migrate } from './migrations/migrate.ts';
import { makePostgresStore } from './postgres-store.ts';

export interface PostgresOptions {
  /** Connections for reads of others, beside the three of the writer; 8 by default. */
  readonly connections?: number;
  /** How long the log of another that has not said goodbye must stand still; 3 s by default. */
  readonly standstillMs?: number;
  /** Called with the progress of an upgrade of an older schema. */
  readonly onUpgrade?: (sentence: string) => void;
  /** How long a database that cannot be reached is waited for; a minute by default. */
  readonly patienceMs?: number;
  /** Called when a commit was cut off, and when it is clear what became of it. */
  readonly onTrouble?: (sentence: string) => void;
  /** Called when it has to wait whether another coordinator still works on the database. */
  readonly onWaiting?: () => void;
  /**
   * Aborted when the process leaves: the database is waited for some seconds more, whatever it does. A commit that is not
   * answered by then fails with `store_unanswered`.
   */
  readonly leaving?: AbortSignal;
}

const defaultStandstillMs = 3_000;
/** For what the writer reads itself: whoever reads much, and for long, must not keep it waiting. */
const ownConnections = 2;
/** Of a member that does not lead, for what its workers are sent. */
const outfitConnections = 4;
/** For what a member answers from the database while another one leads. */
const readingConnections = 4;
/** When somebody leaves: for so long its last commits are waited for, … */
const lastCommitsMs = 5_000;
/** … and for so long what the cluster is told; its server ends in between. */
const lastWordsMs = 9_000;
const ownPatience = { readMs: 30_000, writeMs: 30_000 };

/** Throws `StoreFault`. */
export async function openPostgresStore(
  text: string,
  options: PostgresOptions = {},
): Promise<Store> {
  const address = addressOf(text, options, lastCommitsMs);
  try {
    return await open(address, options);
  } catch (error) {
    throw asOpeningFault(error, address.shown);
  }
}

/** A coordinator among others: it works on the database when it is told to take over. Throws `StoreFault`. */
export async function joinPostgres(
  text: string,
  options: Omit<PostgresOptions, 'standstillMs' | 'onWaiting'> = {},
): Promise<Membership> {
  const address = addressOf(text, options, lastWordsMs);
  const leading = addressOf(text, options, lastCommitsMs);
  try {
    const client = await connect(address);
    try {
      await refuseTransactionPooler(client, address);
      await inspectServer(client, address);
      await refuseHalf(client, address);
      await migrate(client, address, options.onUpgrade);
      const [row] = await run(client, 'select secret from meta');
      return new PostgresMembership({
        address,
        leading,
        secret: row![0] as string,
        reader: new Reader(makePool(address, readingConnections), address),
        outfitReader: new Reader(makePool(address, outfitConnections), address, ownPatience),
        begin: (connection, newest, member) =>
          begin(leading, options, { connection, newest, member }),
        newMember: randomUUID,
      });
    } finally {
      await client.end().catch(() => undefined);
    }
  } catch (error) {
    throw asOpeningFault(error, address.shown);
  }
}

function addressOf(text: string, { leaving }: PostgresOptions, lastMs: number): Address {
  const address = parseAddress(text);
  return leaving === undefined ? address : { ...address, lastWait: new LastWait(leaving, lastMs) };
}

async function open(address: Address, options: PostgresOptions): Promise<Store> {
  const { standstillMs = defaultStandstillMs, onUpgrade, onWaiting } = options;
  const connection = await connect(address);
  try {
    await refuseTransactionPooler(connection, address);
    await inspectServer(connection, address);
    await refuseHalf(connection, address);
    await migrate(connection, address, onUpgrade);
    const member = randomUUID();
    const newest = await takeOver(connection, address, { member }, { standstillMs, onWaiting });
    // Whoever was waited for may have begun to move something here.
    await refuseHalf(connection, address);
    return begin(address, options, { connection, newest, member }).store;
  } catch (error) {
    await connection.end().catch(() => undefined);
    throw error;
  }
}

interface Beginning {
  readonly connection: Client;
  /** The row by which this one has taken over. */
  readonly newest: LogEntry;
  readonly member: string;
}

function begin(
  address: Address,
  { connections = 8, patienceMs, onTrouble }: PostgresOptions,
  { connection, newest, member }: Beginning,
): Omit<TakenOver, 'term'> {
  const log = new CommitLog(new ServerSession(connection, address), newest, {
    shown: address.shown,
    open: () => ServerSession.open(address),
    patienceMs,
    onTrouble,
    over: address.lastWait?.over,
  });
  const reader = new Reader(makePool(address, connections), address);
  const own = new Reader(makePool(address, ownConnections), address, ownPatience);
  const store = makePostgresStore({ log, reader, own, member, signs: new SignsOfLife(log) });
  return { store, failed: log.failed, endAsLonely: () => log.close('lonely') };
}
