// Brings the schema of a database to the newest version. Several programs may begin at once: one of them does it.

import { StoreFault } from '../../store.ts';
import type { Address } from '../driver/address.ts';
import { type Channel, run } from '../driver/session.ts';
import { firstLight } from './0001-first-light.ts';
import { dispatches } from './0002-dispatches.ts';
import { runtimes } from './0003-runtimes.ts';

interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** Those that have been released are never changed. */
const migrations: readonly Migration[] = [
  { name: 'first light', sql: firstLight },
  { name: 'dispatches', sql: dispatches },
  { name: 'runtimes', sql: runtimes },
];

export const newestSchema = migrations.length;

/** Of all programs that migrate, whatever their schema: it is held for a moment. */
const lockKey = 6_047_183_902;

export async function migrate(
  client: Channel,
  address: Address,
  onUpgrade?: (sentence: string) => void,
): Promise<void> {
  const { shown } = address;
  await client.query('begin read write');
  try {
    await run(client, 'select pg_advisory_xact_lock($1)', [lockKey]);
    await makeSchema(client, address);
    await refuseStrangers(client, address);
    await client.query(
      'create table if not exists migrations (version integer primary key, name text not null)',
    );
    const [row] = await run(client, 'select coalesce(max(version), 0) from migrations');
    const version = row![0] as number;
    if (version > newestSchema) throw newerSchema(address, version);
    const missing = migrations.slice(version);
    for (const [place, { name, sql }] of missing.entries()) {
      const next = version + place + 1;
      if (version > 0) onUpgrade?.(`Upgrading the database ${shown}: ${name} (schema ${next})…`);
      await client.query(sql);
      await run(client, 'insert into migrations (version, name) values ($1, $2)', [next, name]);
    }
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/**
 * Another member of a newer version may have changed the schema while this one followed, and keep things where this one does
 * not look. Who does so later has moved the log. Throws a `StoreFault`.
 */
export async function refuseNewer(client: Channel, address: Address): Promise<void> {
  const [row] = await run(client, 'select coalesce(max(version), 0) from migrations');
  const version = row![0] as number;
  if (version > newestSchema) throw newerSchema(address, version);
}

export function newerSchema({ shown }: Address, version: number): StoreFault {
  return new StoreFault(
    'store_newer',
    `The database ${shown} was written by a newer version of Muster (schema ${version}, this one ` +
      `knows ${newestSchema}). Start that version, or a newer one.`,
  );
}

/** Who may make none, and was given one, is not refused. */
async function makeSchema(client: Channel, address: Address): Promise<void> {
  const [row] = await run(
    client,
    'select to_regnamespace($1) is not null, to_regclass($2) is not null',
    [address.schema, `${address.schema}.migrations`],
  );
  const [isThere, isFilled] = row!;
  if (isFilled !== true) await refuseWithoutRights(client, address);
  if (isThere !== true) await client.query(`create schema if not exists "${address.schema}"`);
}

const rightText = `select case
    when to_regnamespace($1) is null then has_database_privilege(current_database(), 'CREATE')
    else has_schema_privilege($1, 'CREATE') and has_schema_privilege($1, 'USAGE') end, current_user`;

/** Throws a `StoreFault` where nothing is made yet, and the role may not make it. */
export async function refuseWithoutRights(
  client: Channel,
  { shown, schema }: Address,
): Promise<void> {
  const [row] = await run(client, rightText, [schema]);
  if (row![0] === true) return;
  const sentence =
    `The role ${row![1]} may not make the schema "${schema}" with its tables in the database ${shown}: ` +
    `make it for that role (create schema "${schema}" authorization …).`;
  throw new StoreFault('store_unwritable', sentence);
}

/** A table where ours are to be made, or one that is called as our first and has other columns. */
const strangerText = `select relname from pg_class where relnamespace = to_regnamespace($1) and relkind in ('r', 'p')
    and not exists (select from pg_class join pg_attribute on attrelid = pg_class.oid
      where relnamespace = to_regnamespace($1) and relname = 'migrations' and attname = 'version')
  order by relname limit 1`;

/** Throws a `StoreFault` where tables of another program are. */
export async function refuseStrangers(client: Channel, { shown, schema }: Address): Promise<void> {
  const [taken] = await run(client, strangerText, [schema]);
  if (taken === undefined) return;
  const sentence =
    `The schema "${schema}" of the database ${shown} has tables of something else ("${taken[0]}"): ` +
    'take another one, by schema=… in the address.';
  throw new StoreFault('store_unwritable', sentence);
}
