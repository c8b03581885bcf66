// What helps to find a mistake in a program: what a task printed, the program of its job, and its stack with
// places in the person's own files.

import { MusterError } from './errors.ts';
import { jobPath } from './job-head.ts';
import { programMap } from './program-map.ts';
import { type Endpoint, requestJson, requestText } from './request.ts';
import type { TaskDetail } from '../protocol/resources.ts';

/** An error does not wait for its stack for longer. */
const patienceMs = 3_000;

export interface OutputOptions {
  /** Counted from 1. */
  readonly attempt?: number;
  readonly signal?: AbortSignal;
}

export async function taskOutput(
  endpoint: Endpoint,
  jobId: string,
  index: number,
  { attempt, signal }: OutputOptions = {},
): Promise<string | null> {
  const path = `${jobPath(jobId)}/tasks/${index}/output`;
  try {
    return await wholeText(requestText(endpoint, path, { query: { attempt }, signal }));
  } catch (error) {
    if (error instanceof MusterError && error.code === 'no_output') return null;
    throw error;
  }
}

export function jobProgram(
  endpoint: Endpoint,
  jobId: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  return wholeText(requestText(endpoint, `${jobPath(jobId)}/program`, { signal }));
}

/** The stack of a failed task; null when none is known, or it cannot be had: the failure counts, not this. */
export async function remoteStack(
  endpoint: Endpoint,
  jobId: string,
  index: number,
  program: string,
): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(patienceMs);
    const path = `${jobPath(jobId)}/tasks/${index}`;
    const task = await requestJson<TaskDetail>(endpoint, path, { signal });
    const stack = task.error?.stack;
    return stack === undefined ? null : programMap(program).mapped(stack);
  } catch {
    return null;
  }
}

async function wholeText(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}
