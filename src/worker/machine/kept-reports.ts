// Final reports that outlive the process: as they are given to the device to keep, and as they come back in the
// worker's next life.

import { RawJson, reportJson } from '../../protocol/codec.ts';
import type { FailureReport, ResultReport } from '../../protocol/messages.ts';
import { defaultProgramKind } from '../../protocol/program.ts';
import { newAttempt, type LocalAttempt, type Report } from './local-attempt.ts';
import type { Job } from './jobs.ts';
import { Pace } from './pace.ts';
import type { KeptReport } from './port.ts';

type FinalReport = Exclude<Report, { readonly kind: 'refusal' }>;

export function keptReport(
  { key, taskId, attempt, token }: LocalAttempt,
  report: FinalReport,
): KeptReport {
  const entryJson =
    report.kind === 'result' ? reportJson(report.entry) : JSON.stringify(report.entry);
  return { key, taskId, attempt, token, kind: report.kind, entryJson };
}

/** Null when the text cannot be read: what a device keeps may be damaged. */
export function readKept({ kind, taskId, attempt, token, entryJson }: KeptReport): Report | null {
  const ref = { task_id: taskId, attempt, token };
  try {
    const entry = { ...(JSON.parse(entryJson) as Partial<ResultReport & FailureReport>), ...ref };
    if (kind === 'failure') return { kind, entry: entry as FailureReport };
    const value = new RawJson(JSON.stringify(entry.value ?? null));
    return { kind, entry: { ...entry, value }, characters: entryJson.length };
  } catch {
    return null;
  }
}

/** An attempt that nothing is left of but its report. It stands before all others. */
export function attemptOf({ taskId: task_id, attempt, token }: KeptReport): LocalAttempt {
  const assignment = { task_id, attempt, token, job_id: '', index: 0, input: null };
  return newAttempt(assignment, unknownJob(), -Infinity);
}

/** What it was is not needed any more. */
function unknownJob(): Job {
  const program = { jobId: '', kind: defaultProgramKind, source: '', checkpointIntervalMs: null };
  return { program, timeoutMs: null, unfit: null, pace: new Pace(), held: 0 };
}
