// Poolers between coordinator and server. One that gives each client a connection of its own for as long as it is there
// does no harm; one that gives it away between transactions takes away what a connection was told: its settings, the
// statements that it has prepared, and that what is not begun as a writing transaction may not write.

import type { Client } from 'pg';
import { StoreFault } from '../../store.ts';
import type { Address } from './address.ts';
import { connect, isBehindPooler } from './session.ts';

/** The process of the server that serves a connection at the moment. */
export type AskBackend = () => Promise<number>;

const rounds = 10;

/** Throws a `StoreFault` when connections are not those of who has made them. */
export async function refuseTransactionPooler(client: Client, address: Address): Promise<void> {
  // Nothing stands between: the server itself has said who serves this one.
  if (!isBehindPooler(client)) return;
  const other = await connect(address).catch((error: unknown) => {
    throw tooFew(address, error as Error);
  });
  try {
    if (await areShared(backendOf(client), backendOf(other))) throw refused(address);
  } finally {
    await other.end().catch(() => undefined);
  }
}

/**
 * Whether two connections that are open at the same time are served by one process, or one of them by several. A pooler that
 * gives them away hands out the one that was used last, or all of them in turn: either is seen within some questions.
 */
export async function areShared(one: AskBackend, other: AskBackend): Promise<boolean> {
  const [ofOne, ofOther] = [new Set<number>(), new Set<number>()];
  for (let round = 0; round < rounds; round++) {
    ofOne.add(await one());
    ofOther.add(await other());
    if (ofOne.size > 1 || ofOther.size > 1 || ofOne.has([...ofOther][0]!)) return true;
  }
  return false;
}

function backendOf(client: Client): AskBackend {
  return async () => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return rows[0]!.pid;
  };
}

function tooFew({ shown }: Address, error: Error): StoreFault {
  const sentence =
    `A pooler on the way to the database ${shown} has given one connection and no second one (${error.message}); a coordinator ` +
    'needs several: give this database a larger pool (default_pool_size of pgbouncer), or wait until others have left it.';
  return new StoreFault('store_unwritable', sentence, error);
}

function refused({ shown }: Address): StoreFault {
  const sentence =
    `A pooler on the way to the database ${shown} gives connections away between transactions (pool_mode = transaction ` +
    'of pgbouncer), and a coordinator needs connections of its own: set pool_mode = session for this database, or give ' +
    'the address of the server itself.';
  return new StoreFault('store_unwritable', sentence);
}
