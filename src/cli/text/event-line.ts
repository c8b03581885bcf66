// One event of the stream as a line of text: time, type and its other fields in their order.

import { plainText } from './foreign-text.ts';
import type { Colors } from './colors.ts';

interface Event {
  /** Position in the stream; not shown. */
  readonly id?: string;
  readonly type: string;
  readonly at?: string;
}

const TYPE_CELLS = 20;
/** The id of a task contains the id of its job and its index. */
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
  const line = `${at?.slice(11, 23) ?? ''}  ${paint(type.padEnd(TYPE_CELLS))}  ${parts.join('  ')}`;
  return plainText(line).trimEnd();
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[\w.:-]+$/.test(text) ? text : JSON.stringify(text);
}
