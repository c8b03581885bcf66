// One event of the stream as a line of text: time, type and its other fields in their order.

import { plainText } from './foreign-text.ts';
import type { Colors } from './colors.ts';
import { clockFor } from './times.ts';

interface Event {
  /** Position in the stream; not shown. */
  readonly id?: string;
  readonly type: string;
  readonly at?: string;
}

const TYPE_CELLS = 20;
/** The id of a task contains the id of its job and its index. */
const IMPLIED_BY_TASK = new Set(['job_id', 'index']);

export function eventLine(
  event: Event,
  { cyan, dim, green, red, yellow }: Colors,
  nowMs: number,
): string {
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
  const time = clockFor([at ?? null], nowMs).text(at ?? null);
  const line = `${time}  ${paint(type.padEnd(TYPE_CELLS))}  ${parts.join('  ')}`;
  return plainText(line).trimEnd();
}

/** A text that is not one word stands in quotes; what is in others, in braces and brackets. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const parts = Object.entries(value).map(([name, each]) => `${name}=${shown(each)}`);
    return `{${parts.join(', ')}}`;
  }
  const text = String(value);
  return /^[\w.:-]+$/.test(text) ? text : JSON.stringify(text);
}
