// A history in the form that Jepsen writes and its checkers read: an invocation and a completion for every call, each a
// map of EDN on a line of its own.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Call } from './history.ts';

/** Writes it into the folder that MUSTER_HISTORY names, if it names one; returns the file. */
export function keepHistory(
  calls: readonly Call<{ readonly type: string }>[],
  name: string,
  folder = process.env['MUSTER_HISTORY'],
): string | undefined {
  if (folder === undefined || folder === '') return undefined;
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.edn`);
  writeFileSync(file, historyText(calls));
  return file;
}

/** A process is somebody who asks one thing after the other; who was left without an answer asks nothing more. */
export function historyText(calls: readonly Call<{ readonly type: string }>[]): string {
  const processOf = new Map<Call<unknown>, number>();
  const free: number[] = [];
  let processes = 0;
  const moments = calls.flatMap((call) => [
    { call, place: call.called, isCall: true },
    ...(call.returned === Number.POSITIVE_INFINITY
      ? []
      : [{ call, place: call.returned, isCall: false }]),
  ]);
  const lines = moments
    .sort((a, b) => a.place - b.place)
    .map(({ call, isCall }, index) => {
      if (isCall) processOf.set(call, free.pop() ?? processes++);
      const process = processOf.get(call)!;
      if (!isCall) free.push(process);
      return line(call, { index, process, isCall });
    });
  // What has no outcome stays open to the end.
  for (const call of calls) {
    if (call.returned !== Number.POSITIVE_INFINITY) continue;
    const at = { index: lines.length, process: processOf.get(call)!, isCall: false };
    lines.push(line(call, at, ':info'));
  }
  return lines.map((each) => `${each}\n`).join('');
}

function line(
  { key, operation, calledMs, returnedMs }: Call<{ readonly type: string }>,
  { index, process, isCall }: { readonly index: number; process: number; isCall: boolean },
  end = ':ok',
): string {
  const ms = isCall || end === ':info' ? calledMs : returnedMs;
  const { type, ...rest } = operation;
  const value = `[${edn(key)} ${isCall ? 'nil' : edn(rest)}]`;
  return (
    `{:index ${index}, :time ${Math.round(ms * 1e6)}, :type ${isCall ? ':invoke' : end}, ` +
    `:process ${process}, :f :${type}, :value ${value}}`
  );
}

function edn(value: unknown): string {
  if (value === null || value === undefined) return 'nil';
  if (Array.isArray(value)) return `[${value.map(edn).join(' ')}]`;
  if (typeof value === 'object') {
    const pairs = Object.entries(value).map(([key, each]) => `${named(key)} ${edn(each)}`);
    return `{${pairs.join(', ')}}`;
  }
  return typeof value === 'string' ? text(value) : JSON.stringify(value);
}

function named(key: string): string {
  return /^[a-zA-Z][\w-]*$/.test(key) ? `:${key.replaceAll('_', '-')}` : text(key);
}

/** EDN knows the escapes of JSON but `\b` and `\f`, which it writes as numbers. */
function text(value: string): string {
  return JSON.stringify(value).replaceAll('\\b', '\\u0008').replaceAll('\\f', '\\u000c');
}
