// Checks a database of PostgreSQL: whether it can be reached, can keep what it is given, and is in use. Nothing is
// created, migrated or repaired.

import { inspectDatabase } from '../../store/postgres/inspect.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const check = 'store';

export async function checkDatabase(address: string): Promise<readonly Finding[]> {
  try {
    const look = await inspectDatabase(address);
    const { shown, serverVersion, schemaVersion, newestSchema, isInUse, bytes, durability } = look;
    const where = `${shown} is PostgreSQL ${serverVersion}`;
    if (schemaVersion > newestSchema) {
      return [
        problem(
          check,
          `${shown} was written by a newer version of Muster (schema ${schemaVersion})`,
          'Start the newer version, or choose another schema.',
        ),
      ];
    }
    const state =
      schemaVersion === 0
        ? 'the first start will make its tables'
        : `${isInUse ? 'a coordinator works on it' : 'nobody works on it'} (${Math.ceil(bytes / 1e6)} MB)`;
    const found = [ok(check, `${where}; ${state}`)];
    if (durability !== 'unsafe') {
      const survives = durability === 'standby' ? 'a synchronous standby' : 'its own disk only';
      return [...found, ok('durability', `what is acknowledged is on ${survives}`)];
    }
    return [
      ...found,
      warning(
        'durability',
        'the server may lose what it has acknowledged (fsync or full_page_writes is off)',
        'Good for tests; turn them on for everything else.',
      ),
    ];
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    const advice =
      code === 'store_half_moved'
        ? 'Run that command; no coordinator starts before.'
        : 'Mend the address (--store) or the server.';
    return [problem(check, message, advice)];
  }
}
