// Where the database of a coordinator is, and how it is opened.

import { dirname, join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Membership } from '../../store/membership.ts';
import type { Store } from '../../store/store.ts';
import { makeFolder, makeStorePrivate } from './private-files.ts';

export type StorePlace =
  | { readonly kind: 'memory' }
  | { readonly kind: 'file'; readonly path: string }
  /** A server of PostgreSQL; the address may hold a password. */
  | { readonly kind: 'server'; readonly address: string };

export interface StoreFlags {
  /** `sqlite:PATH`, `sqlite::memory:`, `postgres://…`. */
  readonly store?: string;
  readonly dataDir: string;
}

const MEBIBYTE = 1024 * 1024;

/** Relative paths begin in `folder`. */
export function storePlace({ store, dataDir }: StoreFlags, folder: string): StorePlace {
  if (store === undefined)
    return { kind: 'file', path: resolve(folder, join(dataDir, 'muster.db')) };
  if (!store.startsWith('sqlite:')) return { kind: 'server', address: store };
  const path = store.slice('sqlite:'.length);
  return path === ':memory:' ? { kind: 'memory' } : { kind: 'file', path: resolve(folder, path) };
}

/** The file of the database; undefined where there is none on this machine. */
export function fileOf(place: StorePlace): string | undefined {
  return place.kind === 'file' ? place.path : undefined;
}

/**
 * Makes what is missing, and brings an older database up to date. When `leaving` is aborted, a server is not waited for much
 * longer. Throws `StoreFault`.
 */
export async function openStore(
  place: StorePlace,
  log?: Logger,
  leaving?: AbortSignal,
): Promise<Store> {
  const onUpgrade = (sentence: string) => log?.warn(sentence);
  if (place.kind === 'server') {
    const { openPostgresStore } = await import('../../store/postgres/open.ts');
    const onWaiting = () =>
      log?.warn(
        'The coordinator before has not said goodbye: waiting whether it still works on the database.',
      );
    const onTrouble = (sentence: string) => log?.warn(sentence);
    const telling = { onUpgrade, onWaiting, onTrouble };
    return openPostgresStore(place.address, {
      ...telling,
      ...(leaving === undefined ? {} : { leaving }),
    });
  }
  const { openSqliteStore } = await import('../../store/sqlite/open.ts');
  if (place.kind === 'memory') return openSqliteStore(':memory:');
  const { path } = place;
  makeFolder(dirname(path));
  makeStorePrivate(path);
  return openSqliteStore(path, {
    onUpgrade,
    onWaiting: () => log?.warn(`Another program writes to ${path}; waiting for it.`),
    onLargeLog: (bytes) => log?.warn(largeLog(path, bytes)),
    onDamage: (sentence) => log?.error(sentence),
  });
}

/** Joins the coordinators that work on a database of PostgreSQL. Throws `StoreFault`. */
export async function joinStore(
  address: string,
  log: Logger,
  leaving: AbortSignal,
): Promise<Membership> {
  const { joinPostgres } = await import('../../store/postgres/open.ts');
  const warn = (sentence: string) => log.warn(sentence);
  return joinPostgres(address, { onUpgrade: warn, onTrouble: warn, leaving });
}

function largeLog(path: string, bytes: number): string {
  return (
    `The log ${path}-wal has grown to ${Math.round(bytes / MEBIBYTE)} MB: another program has the ` +
    'database open and reads it (a backup, an sqlite3 left in a transaction). It shrinks when that ends.'
  );
}
