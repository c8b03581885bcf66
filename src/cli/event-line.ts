// One event of the stream as a line: time, type, and whatever it says in the order in which it says it.

import { plainText } from './table.ts';
import type { Colors } from './terminal.ts';

interface Event {
  /** Where the stream could be taken up again; nothing for people. */
  readonly id?: string;
  readonly type: string;
  readonly at?: string;
}

const TYPE_CELLS = 20;
/** The task's id holds the job's and the index. */
const IMPLIED_BY_TASK = new Set(['job_id', 'index']);

export function eventLine(event: Event, { cyan, dim, green, red, yellow }: Colors): string {
  const { type, at, id: _id, ...rest } = event;
  const paint = type.endsWith('completed')
    ? green
    : /failed|lost|abandoned/.test(type)
      ? red
      : /requeued|cancelled|disconnected/.test(type)
        ? yellow
        : cyan;
  const hasTask = 'task_id' in rest;
  const parts = Object.entries(rest)
    .filter(([name, value]) => value !== null && !(hasTask && IMPLIED_BY_TASK.has(name)))
    .map(([name, value]) => `${dim(`${name.replace(/_id$/, '')}=`)}${shown(value)}`);
  return `${at?.slice(11, 23) ?? ''}  ${paint(type.padEnd(TYPE_CELLS))}  ${parts.join('  ')}`.trimEnd();
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const plain = plainText(text);
  return /^[\w.:-]+$/.test(plain) ? plain : JSON.stringify(plain);
}
