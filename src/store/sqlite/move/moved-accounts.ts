// Accounts of attempts: in a file the energy of an accepted one stands in a column of its own, elsewhere it is the first
// of the list.

import type { MovedCell } from '../../move/moved-tables.ts';
import {
  acceptedAccount,
  acceptedCell,
  endedAccount,
  endedCell,
} from '../tables/attempt-account.ts';
import type { Cell } from '../tables/statement.ts';

export function acceptedToMoved(energyJoules: Cell | undefined, cell: Cell | undefined): MovedCell {
  const account = acceptedAccount(energyJoules, cell);
  if (account === null) return null;
  const { checkpoints, resumedFrom } = account;
  const from = resumedFrom === null ? [] : [resumedFrom.attempt, resumedFrom.progress];
  return JSON.stringify([account.energyJoules, checkpoints, ...from]);
}

interface AcceptedCells {
  readonly energyJoules: number | null;
  readonly cell: string | null;
}

export function acceptedFromMoved(cell: MovedCell): AcceptedCells {
  if (cell === null) return { energyJoules: null, cell: null };
  const [energyJoules = null, checkpoints = 0, attempt, progress = 0] = JSON.parse(
    cell as string,
  ) as readonly (number | null)[];
  const account = {
    energyJoules,
    checkpoints: checkpoints ?? 0,
    resumedFrom:
      attempt === undefined || attempt === null ? null : { attempt, progress: progress ?? 0 },
  };
  return { energyJoules, cell: acceptedCell(account) };
}

/** What cannot be read counts as unknown, as for every reader. */
export function endedToMoved(cell: Cell | undefined): MovedCell {
  return endedCell(endedAccount(cell));
}
