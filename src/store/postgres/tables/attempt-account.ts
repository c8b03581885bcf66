// Accounts of attempts as cells: a short list in JSON, for every task that is completed has one. First what is only
// theirs, then the checkpoints, and of what it resumed from the attempt and the progress.

import type { AcceptedAccount, AttemptAccount, EndedAccount } from '../../../core/records.ts';
import type { Kind } from './kinds.ts';

type List = readonly (number | null)[];

export const acceptedAccount: Kind<AcceptedAccount> = {
  sql: 'text',
  encode: (account) => JSON.stringify([account.energyJoules, ...savedOf(account)]),
  decode: (cell) => {
    const [energyJoules = null, ...saved] = JSON.parse(cell as string) as List;
    return { energyJoules, ...toAccount(saved) };
  },
};

export const endedAccount: Kind<EndedAccount> = {
  sql: 'text',
  encode: (account) => JSON.stringify([account.runMs, ...savedOf(account)]),
  decode: (cell) => {
    const [runMs, ...saved] = JSON.parse(cell as string) as List;
    return { runMs: runMs ?? 0, ...toAccount(saved) };
  },
};

function savedOf({ checkpoints, resumedFrom }: AttemptAccount): List {
  return resumedFrom === null
    ? [checkpoints]
    : [checkpoints, resumedFrom.attempt, resumedFrom.progress];
}

function toAccount([checkpoints, attempt, progress]: List): AttemptAccount {
  const resumedFrom =
    attempt === undefined ? null : { attempt: attempt ?? 0, progress: progress ?? 0 };
  return { checkpoints: checkpoints ?? 0, resumedFrom };
}
