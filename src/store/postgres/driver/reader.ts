// Everything that is not a commit: reads, and writes that need no fence because nobody sees them before a commit.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Address } from './address.ts';
import { asFault, closed, isCutOff } from './faults.ts';
import { isKnown, type PoolClient, run } from './session.ts';
import { cut, watch } from './silence.ts';
import type { Query, Row, Value } from './statement.ts';

/** How long calls wait for a database that cannot be reached. */
export interface Patience {
  readonly readMs: number;
  /** Above 0 only where it does no harm that something is written twice. */
  readonly writeMs: number;
}

/** Somebody waits for the answer, and can ask again. */
const patienceOfVisits: Patience = { readMs: 5_000, writeMs: 0 };
const pauseMs = 200;
/** A long read is left alone as long as its server lives. */
const doubts = { isKnown, doubtMs: 3_000, silenceMs: 10_000, isPatient: true };
/** How long what goes on when it is closed may take. */
const graceMs = 2_000;

/** Every method throws `StoreFault`. */
export class Reader {
  readonly #pool: Pool;
  readonly #address: Address;
  readonly #patience: Patience;
  /** Also those that nobody uses. */
  readonly #connections = new Set<PoolClient>();
  #isClosed = false;

  constructor(pool: Pool, address: Address, patience = patienceOfVisits) {
    this.#pool = pool;
    this.#address = address;
    this.#patience = patience;
    pool.on('connect', (client) => this.#connections.add(client));
    pool.on('remove', (client) => this.#connections.delete(client));
  }

  /** One statement, which sees one moment. */
  readonly query: Query = (text: string, values?: readonly Value[]): Promise<readonly Row[]> =>
    this.#with('read', (client) => run(client, text, values));

  /** Statements that all see the same moment. Nothing else is awaited in between. */
  snapshot<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#transact('read', 'begin isolation level repeatable read read only', work);
  }

  /** Writes what nobody sees yet, or any more. */
  write<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#transact('write', 'begin isolation level read committed read write', work);
  }

  /** The same without waiting for the disk: what makes it count comes in a later transaction, and that one waits. */
  writeUnsynced<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const begin = 'begin isolation level read committed read write';
    return this.#transact('write', `${begin}; set local synchronous_commit to off`, work);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Also later: a server that is gone lets no connection end, and an open one keeps the process from ending.
    const timer = setTimeout(() => {
      for (const client of this.#connections) cut(client);
    }, graceMs);
    timer.unref();
    await this.#pool.end();
  }

  #transact<T>(
    action: 'read' | 'write',
    begin: string,
    work: (query: Query) => Promise<T>,
  ): Promise<T> {
    return this.#with(action, async (client) => {
      await client.query(begin);
      const answer = await work((text, values) => run(client, text, values));
      const { command } = await client.query('commit');
      if (command !== 'COMMIT') throw new Error(`the commit was answered by ${command}`);
      return answer;
    });
  }

  /** What is cut off is made again while there is patience, so that a restart of the server is a pause and no failure. */
  async #with<T>(action: 'read' | 'write', work: (client: PoolClient) => Promise<T>): Promise<T> {
    const { readMs, writeMs } = this.#patience;
    const until = performance.now() + (action === 'read' ? readMs : writeMs);
    for (;;) {
      if (this.#isClosed || this.#isOver) throw closed();
      try {
        return await this.#once(work);
      } catch (error) {
        if (!isCutOff(error) || performance.now() > until || this.#isOver) {
          throw asFault(error, this.#address.shown, action);
        }
        await sleep(pauseMs);
      }
    }
  }

  /** Whoever leaves has waited long enough. */
  get #isOver(): boolean {
    return this.#address.lastWait?.over.aborted === true;
  }

  async #once<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let hasFailed = true;
    const endWatch = watch(client, this.#address, doubts);
    try {
      const answer = await work(client);
      hasFailed = false;
      return answer;
    } finally {
      endWatch();
      // A connection on which something has failed may be within a transaction, or out of step.
      client.release(hasFailed);
    }
  }
}
