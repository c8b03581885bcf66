// The file that a command is about which works on the database of a coordinator, not with the coordinator.

import { CommandFailure } from '../command-failure.ts';
import { type StoreFlags, storePlace } from './store-place.ts';

export function databasePath(flags: StoreFlags, folder: string): string {
  const place = storePlace(flags, folder);
  if (place.kind === 'file') return place.path;
  if (place.kind === 'memory') {
    throw new CommandFailure('usage', 'What is kept in memory only is in no file.');
  }
  throw new CommandFailure(
    'usage',
    'This command works on the file of a database. One of PostgreSQL has tools of its own:',
    [
      'Save it with `pg_dump --schema=muster --format=custom`, and bring it back with `pg_restore`.',
    ],
  );
}
