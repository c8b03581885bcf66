// A database into which another one is being moved. Until all of it is there nobody else may work on it.

import { StoreFault } from './store.ts';

/** Both places as they are given to the command. */
export interface HalfPlaces {
  readonly from: string;
  readonly to: string;
}

export function halfMoved({ from, to }: HalfPlaces): StoreFault {
  return new StoreFault(
    'store_half_moved',
    `${to} holds only a part of what is moved there from ${from}. Go on with it: ` +
      `muster migrate-store ${inShell(from)} ${inShell(to)}`,
  );
}

/** An address may have a `&`. */
function inShell(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
