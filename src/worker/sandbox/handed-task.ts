// A task as the agent handed it over: the fields of a `run` order, by their names.

export interface HandedTask {
  /** Number of the attempt within its child. */
  readonly number: number;
  readonly jobId: string;
  readonly taskId: string;
  readonly index: number;
  readonly attempt: number;
  readonly inputJson: string;
  readonly stateJson: string | null;
  /** Progress of the checkpoint that it resumes from. */
  readonly progress: number;
}

/** The fields from `at` on (`runWidth` of them, see messages.ts). */
export function handedTask(
  jobId: string,
  fields: readonly (string | number | null)[],
  at: number,
): HandedTask {
  return {
    number: fields[at] as number,
    jobId,
    taskId: fields[at + 1] as string,
    index: fields[at + 2] as number,
    attempt: fields[at + 3] as number,
    inputJson: fields[at + 4] as string,
    stateJson: fields[at + 5] as string | null,
    progress: fields[at + 6] as number,
  };
}
