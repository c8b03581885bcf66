// The entries of a worker's report, whichever transport brought it: the good ones go on, every bad
// one is rejected by itself with a sentence that says what is wrong.

import { RawJson } from '../protocol/codec.ts';
import type { Limits } from '../protocol/limits.ts';
import type { WorkerMessage } from '../protocol/messages.ts';
import { reportSchemas } from '../protocol/schemas/worker-messages.ts';
import { reportChecks, type ReportName } from './report-checks.ts';
import { problemOf } from './validation.ts';

export interface BadEntry {
  /** Null: the entry does not say which attempt it is about. */
  readonly task_id: string | null;
  readonly attempt: number | null;
  readonly kind: ReportName;
  readonly code: 'invalid_report';
  readonly detail: string;
}

/** The array in each kind of report. */
export const arrayNames = {
  started: 'started',
  progress: 'progress',
  checkpoint: 'checkpoints',
  result: 'results',
  failure: 'failures',
  refusal: 'refusals',
  release: 'releases',
} as const satisfies Record<ReportName, string>;

/** The message of the good entries, null when there is none; `onBad` hears of the others. */
export function reportMessage(
  kind: ReportName,
  entries: readonly unknown[],
  limits: Limits,
  onBad: (bad: BadEntry) => void,
): WorkerMessage | null {
  let fitting: unknown[] | null = null;
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i];
    const problem = entryProblem(kind, entry, limits);
    if (problem === null) {
      fitting?.push(entry);
    } else {
      // Most reports are good as a whole: only now is an array of its own needed.
      fitting ??= entries.slice(0, i);
      onBad(badEntry(kind, entry, problem));
    }
  }
  const good = fitting ?? entries;
  if (good.length === 0) return null;
  return { type: kind, [arrayNames[kind]]: good } as unknown as WorkerMessage;
}

function entryProblem(kind: ReportName, entry: unknown, limits: Limits): string | null {
  return reportChecks[kind](entry)
    ? settle(kind, entry as Record<string, unknown>, limits)
    : (problemOf(reportSchemas[kind], entry, 'The entry') ?? withoutPayload);
}

const withoutPayload = 'The entry has no value.';

/**
 * Payloads become JSON text here, once and for all; texts for people are cut to their limits, since
 * a failure must count however much it has to say. The answer says what is wrong, null for nothing.
 */
function settle(kind: ReportName, entry: Record<string, unknown>, limits: Limits): string | null {
  if (kind === 'result') {
    // One that is too large counts as a failure of its task: the coordinator sees to that.
    return setText(entry, 'value', Infinity);
  } else if (kind === 'checkpoint') {
    return settleState(entry, limits.checkpointBytes);
  } else if (kind === 'failure') {
    entry['error_type'] = cut(entry['error_type'] as string, limits.nameCharacters);
    entry['error_message'] = cut(entry['error_message'] as string, limits.errorMessageCharacters);
  }
  return null;
}

/** A packed state is believed to be as large as it says; who unpacks it looks again. */
function settleState(entry: Record<string, unknown>, mostBytes: number): string | null {
  if (entry['state'] !== undefined) return setText(entry, 'state', mostBytes);
  const bytes = entry['size_bytes'] as number;
  return bytes > mostBytes ? tooLarge('The state', mostBytes) : null;
}

function tooLarge(what: string, mostBytes: number): string {
  return `${what} is larger than ${mostBytes} bytes of JSON (limit checkpoint_bytes).`;
}

/** Parsing is no matter of depth, writing is: it exhausts the stack at some thousands of levels. */
function setText(entry: Record<string, unknown>, field: string, mostBytes: number): string | null {
  let text: string;
  try {
    text = JSON.stringify(entry[field]);
  } catch {
    return `${field} is nested too deeply.`;
  }
  if (text.length * 3 > mostBytes && Buffer.byteLength(text) > mostBytes) {
    return tooLarge(field, mostBytes);
  }
  entry[field] = new RawJson(text);
  return null;
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 1)}…`;
}

function badEntry(kind: ReportName, entry: unknown, detail: string): BadEntry {
  const { task_id, attempt } = (entry ?? {}) as Record<string, unknown>;
  return {
    task_id: typeof task_id === 'string' ? task_id : null,
    attempt: typeof attempt === 'number' ? attempt : null,
    kind,
    code: 'invalid_report',
    detail,
  };
}
