// Looks at a database of PostgreSQL and changes nothing.

import { setTimeout as sleep } from 'node:timers/promises';
import { parseAddress } from './driver/address.ts';
import { asOpeningFault } from './driver/faults.ts';
import { refuseTransactionPooler } from './driver/pooler.ts';
import { type Channel, connect, inspectServer, run } from './driver/session.ts';
import type { Row } from './driver/statement.ts';
import { databaseNow } from './driver/database-now.ts';
import { refuseHalf } from './migrations/half-schema.ts';
import { newestSchema, refuseStrangers, refuseWithoutRights } from './migrations/migrate.ts';

export interface DatabaseLook {
  /** The address without a password. */
  readonly shown: string;
  readonly serverVersion: string;
  /** 0: nothing was made yet. */
  readonly schemaVersion: number;
  readonly newestSchema: number;
  /** Whether a coordinator works on it: the log of commits moved while it was looked at. */
  readonly isInUse: boolean;
  readonly bytes: number;
  /** What an acknowledged commit survives. */
  readonly durability: 'one_server' | 'standby' | 'unsafe';
  /** Null where nobody works together with others. */
  readonly cluster: ClusterGlance | null;
}

export interface ClusterGlance {
  /** Addresses of those that were seen within the last seconds. */
  readonly alive: readonly string[];
  readonly silent: readonly string[];
  /** Null while nobody leads that others reach. */
  readonly leader: string | null;
  readonly versions: readonly string[];
  /** Of those alive. */
  readonly mayLead: number;
  readonly termsOfLastHour: number;
}

/** A coordinator that has nothing to do commits once a second. */
const lookMs = 2_200;

/** Throws a `StoreFault` when a coordinator could not work on it. */
export async function inspectDatabase(text: string): Promise<DatabaseLook> {
  const address = parseAddress(text);
  try {
    const client = await connect(address);
    try {
      await refuseTransactionPooler(client, address);
      await inspectServer(client, address);
      const [facts] = await run(
        client,
        `select current_setting('server_version'), current_setting('fsync'), current_setting('full_page_writes'),
          current_setting('synchronous_standby_names'), to_regclass('migrations') is not null`,
      );
      const [serverVersion, fsync, fullPages, standbys, isMade] = facts!;
      const isSafe = fsync === 'on' && fullPages === 'on';
      const seen = {
        shown: address.shown,
        serverVersion: serverVersion as string,
        newestSchema,
        durability: !isSafe ? 'unsafe' : standbys === '' ? 'one_server' : 'standby',
      } as const;
      await refuseStrangers(client, address);
      if (isMade !== true) await refuseWithoutRights(client, address);
      if (isMade !== true)
        return { ...seen, schemaVersion: 0, isInUse: false, bytes: 0, cluster: null };
      await refuseHalf(client, address);
      const [version] = await run(client, 'select coalesce(max(version), 0) from migrations');
      const [size] = await run(
        client,
        `select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint from pg_class
          where relnamespace = current_schema()::regnamespace and relkind = 'r'`,
      );
      const schemaVersion = version![0] as number;
      const cluster = schemaVersion === newestSchema ? await glance(client) : null;
      const position = async () => String(await run(client, 'select max(sequence) from commits'));
      const before = await position();
      await sleep(lookMs);
      return {
        ...seen,
        schemaVersion,
        cluster,
        isInUse: (await position()) !== before,
        bytes: size![0] as number,
      };
    } finally {
      await client.end();
    }
  } catch (error) {
    throw asOpeningFault(error, address.shown);
  }
}

const membersText = `select url, version, may_lead, abs(seen_at - ${databaseNow}) < 5000 from coordinators order by id`;
const leaderText = `select terms.url, (select count(*) from terms where since > ${databaseNow} - 3600000)
  from commits left join terms on terms.term = commits.term and terms.ended is null
  order by commits.sequence desc limit 1`;

async function glance(client: Channel): Promise<ClusterGlance | null> {
  const rows = await run(client, membersText);
  if (rows.length === 0) return null;
  const [term] = await run(client, leaderText);
  const alive = rows.filter(([, , , isAlive]) => isAlive === true);
  const urls = (some: readonly Row[]) => some.map(([url]) => url as string);
  return {
    alive: urls(alive),
    silent: urls(rows.filter(([, , , isAlive]) => isAlive !== true)),
    leader: (term?.[0] ?? null) as string | null,
    versions: [...new Set(alive.map(([, each]) => each as string))].toSorted(),
    mayLead: alive.filter(([, , may]) => may === true).length,
    termsOfLastHour: (term?.[1] ?? 0) as number,
  };
}
