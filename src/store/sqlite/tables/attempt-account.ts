// Accounts of attempts as cells. Most attempts saved nothing and began from the start: for them the text is empty.
// Otherwise it is a list in JSON: checkpoints, and of what it resumed from the attempt and the progress.

import type { AcceptedAccount, AttemptAccount, EndedAccount } from '../../../core/records.ts';
import type { Cell } from './statement.ts';

/** Of an accepted attempt; its energy has a cell of its own. */
export function acceptedCell(account: AcceptedAccount | null): string | null {
  if (account === null) return null;
  const { checkpoints, resumedFrom } = account;
  return checkpoints === 0 && resumedFrom === null ? '' : JSON.stringify(savedOf(account));
}

export function acceptedAccount(
  energyJoules: Cell | undefined,
  cell: Cell | undefined,
): AcceptedAccount | null {
  if (typeof cell !== 'string') return null;
  const saved = cell === '' ? plain : listOf(cell);
  if (saved === undefined) return null;
  return {
    energyJoules: typeof energyJoules === 'number' ? energyJoules : null,
    ...toAccount(saved),
  };
}

/** The run time comes first. */
export function endedCell(account: EndedAccount | null): string | null {
  return account === null ? null : JSON.stringify([account.runMs, ...savedOf(account)]);
}

export function endedAccount(cell: Cell | undefined): EndedAccount | null {
  if (typeof cell !== 'string') return null;
  const list = listOf(cell);
  if (list === undefined) return null;
  const [runMs = 0, ...saved] = list;
  return { runMs, ...toAccount(saved) };
}

const plain: readonly number[] = [0];

/** Undefined when the cell is damaged: then nothing is known of it, and the attempt stays in its list. */
function listOf(cell: string): readonly number[] | undefined {
  try {
    const list = JSON.parse(cell) as unknown;
    return Array.isArray(list) ? (list as readonly number[]) : undefined;
  } catch {
    return undefined;
  }
}

function savedOf({ checkpoints, resumedFrom }: AttemptAccount): readonly number[] {
  return resumedFrom === null
    ? [checkpoints]
    : [checkpoints, resumedFrom.attempt, resumedFrom.progress];
}

function toAccount([checkpoints = 0, attempt, progress = 0]: readonly number[]): AttemptAccount {
  return { checkpoints, resumedFrom: attempt === undefined ? null : { attempt, progress } };
}
