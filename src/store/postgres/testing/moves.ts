// Moves between places as the command line names them.

import { type MoveOptions, move, type MoveReport } from '../../move/move.ts';
import type { MoveSource, MoveTarget } from '../../move/sides.ts';
import { openFileSource } from '../../sqlite/move/source.ts';
import { openFileTarget } from '../../sqlite/move/target.ts';
import { isPostgresAddress } from '../driver/address.ts';
import { openServerSource } from '../move/source.ts';
import { openServerTarget } from '../move/target.ts';

/** Files are paths. Unless the test says so, nobody is waited for who has not said goodbye. */
export async function moveStore(
  from: string,
  to: string,
  { standstillMs = 0, ...options }: MoveOptions & { readonly standstillMs?: number } = {},
): Promise<MoveReport> {
  const source = await openSource(from, standstillMs);
  let target: MoveTarget | undefined;
  try {
    target = await openTarget(to, source.identity, standstillMs);
    return await move(source, target, options);
  } finally {
    await target?.close();
    await source.close();
  }
}

async function openSource(place: string, standstillMs: number): Promise<MoveSource> {
  return isPostgresAddress(place)
    ? openServerSource(place, { standstillMs })
    : openFileSource(place);
}

async function openTarget(
  place: string,
  source: string,
  standstillMs: number,
): Promise<MoveTarget> {
  return isPostgresAddress(place)
    ? openServerTarget(place, { source, standstillMs })
    : openFileTarget(place, source);
}
