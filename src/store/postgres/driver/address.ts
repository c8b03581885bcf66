// Where the database is: `postgres://user@host:5432/database?schema=muster`. What is not for us goes on to the
// driver (`sslmode` and what else it knows), by names that are known: a misspelled one must not go unnoticed.

import { StoreFault } from '../../store.ts';
import type { LastWait } from './last-wait.ts';

export interface Address {
  /** For the driver, without what is ours. */
  readonly url: string;
  /** For people: without the password. */
  readonly shown: string;
  /** One schema is one queue. */
  readonly schema: string;
  /** False: a server that may lose what it has acknowledged is accepted. For tests. */
  readonly isDurable: boolean;
  /** Ends what is waited for on all connections that are made to it; absent: nothing does. */
  readonly lastWait?: LastWait;
}

/** Of the driver; those of its settings that would change what this room relies on are not among them. */
const ofDriver = new Set(
  (
    'host port user password application_name options uselibpqcompat ' +
    'sslmode sslrootcert sslcert sslkey sslnegotiation'
  ).split(' '),
);
/** The driver takes all others for `verify-full`, or is about to change what it takes them for. */
const sslModes = new Set(['disable', 'no-verify', 'verify-full']);

export function isPostgresAddress(text: string): boolean {
  return /^postgres(ql)?:/.test(text);
}

/** Throws a `StoreFault` with a sentence when it is none. */
export function parseAddress(text: string): Address {
  const url = URL.parse(text);
  if (url === null || !isPostgresAddress(text)) {
    throw refused('The address of the database is not a valid URL: postgres://user@host/database');
  }
  const { searchParams: asked } = url;
  // The authority ends at the first of `/ ? #`: the rest of a password would be shown as what it is not.
  if ([url.pathname, url.hash, ...asked.keys()].some((part) => part.includes('@'))) {
    throw refused(
      'The address of the database has an @ behind the host: within a password, write / as %2F, ? as %3F, # as %23, ' +
        '@ as %40, : as %3A and % as %25.',
    );
  }
  const schema = asked.get('schema') ?? 'muster';
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith('pg_')) {
    throw refused(
      `"${schema}" cannot be the schema of the database: use up to 63 small letters, digits and underscores.`,
    );
  }
  const durable = asked.get('durable') ?? 'yes';
  if (durable !== 'yes' && durable !== 'no') {
    throw refused('In the address of the database, "durable" is yes or no.');
  }
  const sslMode = asked.get('sslmode');
  if (sslMode !== null && !sslModes.has(sslMode) && asked.get('uselibpqcompat') !== 'true') {
    throw refused(
      'In the address of the database, "sslmode" is verify-full (encrypts, and checks the certificate of the server), ' +
        'no-verify (encrypts only) or disable.',
    );
  }
  asked.delete('schema');
  asked.delete('durable');
  for (const name of asked.keys()) {
    if (ofDriver.has(name)) continue;
    throw refused(`In the address of the database, "${name}" is no setting that is known here.`);
  }
  const shown = new URL(url);
  if (shown.password !== '') shown.password = '***';
  shown.searchParams.delete('password');
  if (schema !== 'muster') shown.searchParams.set('schema', schema);
  return { url: url.href, shown: shown.href, schema, isDurable: durable === 'yes' };
}

function refused(sentence: string): StoreFault {
  return new StoreFault('store_unwritable', sentence);
}
