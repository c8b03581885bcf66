// A task as the agent handed it over: the fields of a `run` order, by their names.

import type { TaskField } from './messages.ts';

export interface HandedTask {
  /** Number of the attempt within its child. */
  readonly number: number;
  readonly jobId: string;
  readonly taskId: string;
  readonly index: number;
  readonly attempt: number;
  /** JSON text, or bytes. */
  readonly input: string | Uint8Array;
  readonly stateJson: string | null;
  /** Progress of the checkpoint that it resumes from. */
  readonly progress: number;
}

/** The fields from `at` on (`runWidth` of them, see messages.ts). */
export function handedTask(jobId: string, fields: readonly TaskField[], at: number): HandedTask {
  return {
    number: fields[at] as number,
    jobId,
    taskId: fields[at + 1] as string,
    index: fields[at + 2] as number,
    attempt: fields[at + 3] as number,
    input: fields[at + 4] as string | Uint8Array,
    stateJson: fields[at + 5] as string | null,
    progress: fields[at + 6] as number,
  };
}
