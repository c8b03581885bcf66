// The entries of a worker's report, over either transport: good ones go on, and each bad one is rejected
// by itself, with a sentence that says what is wrong.

import { deepestNesting } from '../../protocol/limits.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { WorkerMessage } from '../../protocol/messages.ts';
import { reportSchemas } from '../../protocol/schemas/worker-messages.ts';
import type { Payloads } from '../json-reader.ts';
import type { PackedStates } from './packed-states.ts';
import { reportChecks, type ReportName } from './report-checks.ts';
import { problemOf } from '../validation.ts';

export interface BadEntry {
  /** Null when the entry does not name its attempt. */
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
  output: 'outputs',
  checkpoint: 'checkpoints',
  result: 'results',
  failure: 'failures',
  refusal: 'refusals',
  release: 'releases',
} as const satisfies Record<ReportName, string>;

/** Shared by the entries of one frame or call. */
export interface EntryContext {
  readonly limits: Limits;
  /** The payloads; the entries have an index of one in its place. */
  readonly payloads: Payloads;
  readonly explanations: Explanations;
  readonly packedStates: PackedStates;
}

/** Finding the sentence for a bad entry takes long: only the first ones get one of their own. */
export class Explanations {
  private left = 20;

  of(kind: ReportName, entry: unknown): string | null {
    if (this.left === 0) return 'The entry breaks its schema, as others before it do.';
    const problem = problemOf(reportSchemas[kind], entry, 'The entry');
    if (problem !== null) this.left--;
    return problem;
  }
}

/** A message with the good entries, null when there are none; calls `onBad` for the others. */
export function reportMessage(
  kind: ReportName,
  entries: readonly unknown[],
  context: EntryContext,
  onBad: (bad: BadEntry) => void,
): WorkerMessage | null {
  let fitting: unknown[] | null = null;
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i];
    const problem = entryProblem(kind, entry, context);
    if (problem === null) {
      fitting?.push(entry);
    } else {
      // Most reports have no bad entry, so the array is copied only now.
      fitting ??= entries.slice(0, i);
      onBad(badEntry(kind, entry, problem));
    }
  }
  const good = fitting ?? entries;
  if (good.length === 0) return null;
  return { type: kind, [arrayNames[kind]]: good } as unknown as WorkerMessage;
}

function entryProblem(kind: ReportName, entry: unknown, context: EntryContext): string | null {
  return reportChecks[kind](entry)
    ? settle(kind, entry as Record<string, unknown>, context)
    : (context.explanations.of(kind, entry) ?? withoutPayload);
}

const withoutPayload = 'The entry has no value.';

/**
 * Puts the payloads into an entry as the texts that were sent, and cuts texts for people to their limits:
 * a failure or a sign of progress must count, however long its text is. Returns what is wrong, or null.
 */
function settle(
  kind: ReportName,
  entry: Record<string, unknown>,
  context: EntryContext,
): string | null {
  const { limits, payloads } = context;
  if (kind === 'result') {
    const value = entry['value'] as number;
    if (payloads.isTooDeep(value)) return tooDeep('value');
    // The coordinator turns a value that is too large into a failure of its task.
    entry['value'] = payloads.get(value);
    cutOptional(entry, 'output', limits.outputCharacters);
  } else if (kind === 'checkpoint') {
    return settleState(entry, context);
  } else if (kind === 'failure') {
    entry['error_type'] = cut(entry['error_type'] as string, limits.nameCharacters);
    entry['error_message'] = cut(entry['error_message'] as string, limits.errorMessageCharacters);
    cutOptional(entry, 'error_stack', limits.errorStackCharacters);
    cutOptional(entry, 'output', limits.outputCharacters);
  } else if (kind === 'output') {
    entry['text'] = cut(entry['text'] as string, limits.outputCharacters);
  } else if (kind === 'progress' && typeof entry['message'] === 'string') {
    entry['message'] = cut(entry['message'], limits.progressMessageCharacters);
  }
  return null;
}

/** What is said of a packed state that is not looked at is checked when it is unpacked. */
function settleState(
  entry: Record<string, unknown>,
  { payloads, packedStates, limits: { checkpointBytes: mostBytes } }: EntryContext,
): string | null {
  const state = entry['state'] as number | undefined;
  if (state !== undefined) {
    if (payloads.isTooDeep(state)) return tooDeep('state');
    if (payloads.sizeOf(state) > mostBytes) return tooLarge('state', mostBytes);
    entry['state'] = payloads.get(state);
    return null;
  }
  const bytes = entry['size_bytes'] as number;
  if (bytes > mostBytes) return tooLarge('The state', mostBytes);
  const { state_gzip: packed, sha256 } = entry;
  if (typeof packed !== 'string') return null;
  return packedStates.problemOf(packed, sha256 as string, bytes);
}

function tooDeep(what: string): string {
  return `${what} is nested deeper than ${deepestNesting} levels, those of the message included.`;
}

function tooLarge(what: string, mostBytes: number): string {
  return `${what} is larger than ${mostBytes} bytes of JSON (limit checkpoint_bytes).`;
}

function cutOptional(entry: Record<string, unknown>, name: string, characters: number): void {
  const text = entry[name];
  if (typeof text === 'string') entry[name] = cut(text, characters);
}

/** Cuts a text into a copy, because a slice would keep all of the text in memory. */
function cut(text: string, characters: number): string {
  if (text.length <= characters) return text;
  return Buffer.from(`${text.slice(0, characters - 1)}…`).toString();
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
