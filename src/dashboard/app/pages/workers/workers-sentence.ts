// The answer of the page: who is here, what is at work, and what is wrong.

import { grouped } from '../../text/numbers.ts';
import { capitalized, counted, inWords } from '../../text/words.ts';
import type { Sums } from './worker-list.ts';
import type { Trouble, TroubleKind } from './trouble.ts';

export interface WorkersSentence {
  readonly here: string;
  /** `, one is out of service`; empty: none is. */
  readonly out: string;
  /** Null while nobody is here: there is no slot either. */
  readonly slots: string | null;
  /** The worst, as a sentence; null: nothing is wrong. */
  readonly trouble: string | null;
}

export function workersSentence(
  { workers, here, out, slots, taken }: Sums,
  troubles: readonly Trouble[],
): WorkersSentence {
  const all = workers === 1 ? 'One worker' : `All ${counted(workers, 'worker')}`;
  return {
    here: here === workers ? all : `${grouped(here)} of ${counted(workers, 'worker')}`,
    out: out === 0 ? '' : `, ${inWords(out, 'is', 'are')} out of service`,
    slots: slots === 0 ? null : `${grouped(taken)} of ${counted(slots, 'slot')}`,
    trouble: worst(troubles),
  };
}

const inOrder: readonly TroubleKind[] = ['quarantined', 'failing', 'waiting', 'silent', 'refusing'];

function worst(troubles: readonly Trouble[]): string | null {
  const blamed = troubles.filter(({ kind }) => kind === 'quarantined' || kind === 'failing').length;
  if (blamed > 0) {
    return `${capitalized(inWords(blamed, 'worker fails', 'workers fail'))} what others finish.`;
  }
  for (const kind of inOrder) {
    const count = troubles.filter((trouble) => trouble.kind === kind).length;
    if (count > 0) return capitalized(sentenceOf(kind, count));
  }
  return null;
}

function sentenceOf(kind: TroubleKind, count: number): string {
  if (kind === 'waiting') return `${inWords(count, 'worker asks', 'workers ask')} to be let in.`;
  if (kind === 'silent') return `${inWords(count, 'worker is', 'workers are')} silent.`;
  return `${inWords(count, 'worker gives', 'workers give')} tasks back.`;
}
