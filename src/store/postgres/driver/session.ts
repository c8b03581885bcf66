// Connections to the server, set up alike.

import {
  Client,
  type ClientBase,
  type ClientConfig,
  Pool,
  type PoolClient,
  TypeOverrides,
} from 'pg';
import { StoreFault } from '../../store.ts';
import type { Address } from './address.ts';
import { within } from './silence.ts';
import { type Cell, nameOf, type Row, type Value } from './statement.ts';

/** The oldest version that is supported. */
const oldestVersion = 140_000;

/** Of a new connection, and again of what is asked on it at once. */
export const answerMs = 10_000;

const types = new TypeOverrides();
const int8 = 20;
// Keys, ids and counts are far below 2^53.
types.setTypeParser(int8, Number);

/** Connections that a pooler has made. */
const pooled = new WeakSet<object>();

/** Anything that queries can be sent to. */
export type Channel = Pick<Client, 'query'>;

export async function run(
  channel: Channel,
  text: string,
  values: readonly Value[] = [],
): Promise<readonly Row[]> {
  const { rows } = await channel.query<Cell[]>({
    name: nameOf(text),
    text,
    values: values as unknown[],
    rowMode: 'array',
  });
  return rows;
}

/** A connection whose statements are sent without waiting for the answers of those before. */
export async function connect(address: Address): Promise<Client> {
  const client = new Client({ ...configOf(address), pipeline: true });
  // A connection that breaks fails the statements that wait for it; without a listener it ends the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await setUp(client, address);
    return client;
  } catch (error) {
    // Not waited for: a server that is going may never answer.
    void client.end().catch(() => undefined);
    throw error;
  }
}

/** `size` connections at the most, made when they are needed. */
export function makePool(address: Address, size: number): Pool {
  // It is awaited, though its type does not say so.
  const setting = {
    onConnect: (client: ClientBase) => {
      // The pool listens only to those that nobody uses: one that breaks amid a read would end the process.
      client.on('error', () => undefined);
      return setUp(client, address);
    },
  };
  const pool = new Pool({
    ...configOf(address),
    max: size,
    idleTimeoutMillis: 30_000,
    ...setting,
  });
  pool.on('error', () => undefined);
  return pool;
}

export type { PoolClient };

function configOf({ url, lastWait }: Address): ClientConfig {
  return {
    connectionString: url,
    application_name: 'muster',
    connectionTimeoutMillis: answerMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    types,
    ...(lastWait === undefined ? {} : { stream: lastWait.socket }),
  };
}

/** Whether the server still has this process of its own. Rejects when it cannot be asked within some seconds. */
export async function isKnown(address: Address, pid: number): Promise<boolean> {
  const other = await connect(address);
  try {
    const rows = await within(answerMs, other, () =>
      run(other, 'select 1 from pg_stat_activity where pid = $1', [pid]),
    );
    return rows.length > 0;
  } finally {
    void other.end().catch(() => undefined);
  }
}

/**
 * Settings go by a statement: a pooler between refuses them in the start message. Waits have no limit of the
 * server's, for who waits knows better; but a frozen client must not hold up others. Pages are read along an index: where
 * the planner knows nothing of a table yet, it takes a job for a few rows, which it gathers and sorts for each page. What is
 * not begun as a transaction that writes may not write: should a begin fail, what was sent behind it is refused.
 */
async function setUp(client: Channel, { schema }: Address): Promise<void> {
  const served = client as Channel & { processID: number };
  const settings = `set search_path to "${schema}", pg_catalog; set client_encoding to 'UTF8'; set timezone to 'UTC';
      set statement_timeout to 0; set lock_timeout to 0; set idle_in_transaction_session_timeout to '10s';
      set tcp_keepalives_idle to 5; set tcp_keepalives_interval to 1; set tcp_keepalives_count to 3;
      set default_transaction_isolation to 'read committed'; set jit to off; set enable_bitmapscan to off;
      set default_transaction_read_only to on; set standard_conforming_strings to on;
      select set_config('synchronous_commit', 'on', false)
        where current_setting('synchronous_commit') in ('off', 'local');
      select pg_backend_pid() as pid`;
  const answers = await within(answerMs, client, () => client.query(settings));
  const { rows } = (answers as unknown as readonly { rows: readonly { pid: number }[] }[]).at(-1)!;
  const { pid } = rows[0]!;
  // A pooler says a number of its own, by which the server knows nobody.
  if (pid !== served.processID) pooled.add(client);
  served.processID = pid;
}

/** Whether something else than the server has made the connection. */
export function isBehindPooler(client: Channel): boolean {
  return pooled.has(client);
}

/** Refuses a server that cannot keep what it is given. */
export async function inspectServer(client: Channel, { shown, isDurable }: Address): Promise<void> {
  const [row] = await run(
    client,
    `select current_setting('server_version_num')::int, current_setting('server_version'),
      current_setting('server_encoding'), current_setting('fsync'), pg_is_in_recovery()`,
  );
  const [number, version, encoding, fsync, isReplica] = row!;
  if ((number as number) < oldestVersion) {
    throw refused(`The database ${shown} is PostgreSQL ${version}: version 14 or newer is needed.`);
  }
  if (encoding !== 'UTF8') {
    throw refused(`The database ${shown} has the encoding ${encoding}: it must be made with UTF8.`);
  }
  if (isReplica === true) {
    throw refused(
      `The database ${shown} is a replica: give the address of the one that is written to.`,
    );
  }
  if (isDurable && fsync !== 'on') {
    throw refused(
      `The server of ${shown} runs with fsync = off, and may lose what it has acknowledged. ` +
        'Turn it on; only for tests add durable=no to the address.',
    );
  }
}

function refused(sentence: string): StoreFault {
  return new StoreFault('store_unwritable', sentence);
}
