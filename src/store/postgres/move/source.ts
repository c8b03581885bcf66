// A database of PostgreSQL from which is moved. Its tables stay as they are; only its log of commits gets rows, which keep
// coordinators out meanwhile.

import type { MoveSource } from '../../move/sides.ts';
import { StoreFault } from '../../store.ts';
import { parseAddress } from '../driver/address.ts';
import { asOpeningFault } from '../driver/faults.ts';
import { connect, inspectServer, run } from '../driver/session.ts';
import { refuseHalf } from '../migrations/half-schema.ts';
import { newestSchema, newerSchema, refuseStrangers } from '../migrations/migrate.ts';
import { lockDatabase, readIdentity, ServerSide, type ServerSideOptions } from './server-side.ts';

/** Throws a `StoreFault` when it is in use, is none, or is of another version. */
export async function openServerSource(
  text: string,
  options: ServerSideOptions = {},
): Promise<MoveSource> {
  const address = parseAddress(text);
  const { shown, schema } = address;
  try {
    const client = await connect(address);
    try {
      await inspectServer(client, address);
      await refuseStrangers(client, address);
      const [made] = await run(client, 'select to_regclass($1) is not null', [
        `${schema}.migrations`,
      ]);
      if (made![0] !== true) {
        throw new StoreFault('store_unwritable', `There is no database of Muster at ${shown}.`);
      }
      await refuseHalf(client, address);
      const [row] = await run(client, 'select coalesce(max(version), 0) from migrations');
      const version = row![0] as number;
      if (version > newestSchema) throw newerSchema(address, version);
      if (version < newestSchema) {
        throw new StoreFault(
          'store_outdated',
          `The database ${shown} was written by an older version of Muster (schema ${version}, this one has ` +
            `${newestSchema}). Start the coordinator on it once, which brings it up to date, end it, and move it then.`,
        );
      }
      const identity = await readIdentity(client, address);
      return new ServerSource(address, identity, await lockDatabase(client, address, options));
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  } catch (error) {
    throw asOpeningFault(error, shown);
  }
}

class ServerSource extends ServerSide implements MoveSource {
  /** The server finds damage by itself when it reads. */
  async findDamage(): Promise<readonly string[]> {
    return [];
  }
}
