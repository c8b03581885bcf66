// An attempt as a bar of a Gantt: how it is drawn, and what it came to in words.

import type { AttemptOfHistory } from '../../../protocol/evaluation.ts';
import type { BarKind } from './gantt-rows.ts';

type Status = AttemptOfHistory['status'];

/** What is not here is not drawn: it never took any time. */
export const barKinds: Readonly<Partial<Record<Status, BarKind>>> = {
  assigned: 'assigned',
  running: 'running',
  completed: 'completed',
  failed: 'failed',
  timed_out: 'failed',
  lost: 'lost',
  revoked: 'lost',
  released: 'lost',
  superseded: 'superseded',
};

const words: Readonly<Partial<Record<Status, string>>> = {
  timed_out: 'passed its time limit',
  revoked: 'was taken back',
  released: 'was given back',
  superseded: 'was overtaken by another attempt',
  assigned: 'waits to begin',
};

export function cameTo({ status, error_type: error }: AttemptOfHistory): string {
  return `${words[status] ?? status}${error === null ? '' : ` with ${error}`}`;
}
