// Reads the lines of a trace, one after the other; a trace may be larger than a text can be.

import type { z } from 'zod';
import { TraceFault } from './trace-fault.ts';
import {
  headSchema,
  recordSchema,
  recordTypes,
  type TraceHead,
  type TraceRecord,
  traceVersion,
} from './trace-format.ts';

export interface ReadRecords {
  readonly head: TraceHead;
  readonly records: readonly TraceRecord[];
  /** The last line has no end: writing it was broken off. */
  readonly isCut: boolean;
}

export const mostTraceBytes = 1_000_000_000;
const lineBreak = 10;

/** `name` is for messages. Throws `TraceFault`. */
export function parseRecords(bytes: Buffer, name: string): ReadRecords {
  if (bytes.length === 0) throw new TraceFault(`${name} is empty: nothing was recorded.`);
  const headEnd = bytes.indexOf(lineBreak);
  const head = readHead(bytes.toString('utf8', 0, headEnd < 0 ? bytes.length : headEnd), name);
  const records: TraceRecord[] = [];
  let from = headEnd < 0 ? bytes.length : headEnd + 1;
  for (let line = 2; ; line++) {
    const end = bytes.indexOf(lineBreak, from);
    if (end < 0) return { head, records, isCut: headEnd < 0 || from < bytes.length };
    const record = readRecord(bytes.toString('utf8', from, end), line, name);
    if (record !== undefined) records.push(record);
    from = end + 1;
  }
}

function readHead(line: string, name: string): TraceHead {
  const json = parsed(line);
  const { type, version } = (json ?? {}) as { readonly type?: unknown; readonly version?: unknown };
  if (type !== 'trace') {
    throw new TraceFault(
      `${name} is no trace: its first line is not that of \`muster serve --record\`.`,
    );
  }
  if (typeof version === 'number' && version > traceVersion) {
    throw new TraceFault(
      `${name} is of version ${version} of the form of traces, and this Muster reads up to ${traceVersion}: ` +
        'a newer Muster has written it.',
    );
  }
  const head = headSchema.safeParse(json);
  if (head.success) return head.data;
  throw new TraceFault(`${name}, line 1: ${sayIssue(head.error)}`);
}

/** Undefined: of a type that is not known. */
function readRecord(text: string, line: number, name: string): TraceRecord | undefined {
  const json = parsed(text);
  const type = (json as { readonly type?: unknown } | undefined)?.type;
  if (typeof type !== 'string') {
    throw new TraceFault(`${name}, line ${line}: this is no record (an object with a type).`);
  }
  if (!recordTypes.has(type)) return undefined;
  const record = recordSchema.safeParse(json);
  if (record.success) return record.data;
  throw new TraceFault(`${name}, line ${line}: ${sayIssue(record.error)}`);
}

/** Undefined: no JSON, or null. */
function parsed(line: string): unknown {
  try {
    return (JSON.parse(line) as unknown) ?? undefined;
  } catch {
    return undefined;
  }
}

function sayIssue(error: z.ZodError): string {
  const issue = error.issues[0]!;
  const where = issue.path.map(String).join('.');
  return `${where === '' ? 'the record' : where}: ${issue.message}`;
}
