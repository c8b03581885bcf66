// The file that a command is about which works on the database of a coordinator, not with the coordinator.

import { CommandFailure } from '../command-failure.ts';
import { type CoordinatorSettings, storePath } from './coordinator-process.ts';

export function databasePath(
  flags: Pick<CoordinatorSettings, 'store' | 'dataDir'>,
  folder: string,
): string {
  const path = storePath(flags, folder);
  if (path !== ':memory:') return path;
  throw new CommandFailure('usage', 'What is kept in memory only is in no file.');
}
