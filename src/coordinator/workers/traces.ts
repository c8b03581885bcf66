// What helps to find a mistake in a program: the stack of an error and what an attempt printed. It comes
// with the report of the attempt, is stored with it, and nothing is decided by it.

import type { NamedAttempt } from '../../core/commands.ts';
import type { JobRecord } from '../../core/records.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { TraceRow } from '../../store/rows.ts';

/** What a report brings along. */
export interface Traced {
  readonly error_stack?: string;
  readonly output?: string;
}

/** Characters kept of each job since this coordinator has it in memory. */
const keptOf = new WeakMap<JobRecord, number>();

/** Null when there is nothing to keep: the job does not want it, or has its share already. */
export function traceOf(
  job: JobRecord,
  { index, attempt }: NamedAttempt,
  { error_stack: stack = '', output: printed = '' }: Traced,
  hasFailed: boolean,
  { jobOutputCharacters }: Limits,
): TraceRow | null {
  const { key, keepOutput } = job.spec;
  const isKept = keepOutput === 'always' || (keepOutput === 'on_failure' && hasFailed);
  const output = isKept ? printed : '';
  if (stack === '' && output === '') return null;
  const kept = (keptOf.get(job) ?? 0) + stack.length + output.length;
  if (kept > jobOutputCharacters) return null;
  keptOf.set(job, kept);
  return {
    jobKey: key,
    index,
    attempt,
    stack: stack === '' ? null : stack,
    output: output === '' ? null : output,
  };
}
