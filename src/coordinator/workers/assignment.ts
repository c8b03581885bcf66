// An assignment in the words of the wire, as it goes out on a socket and in the answer to a claim.

import type { AttemptRecord, JobSpec } from '../../core/records.ts';
import { taskId } from '../../core/task-key.ts';
import { defaultTaskMemoryMb } from '../../protocol/task-memory.ts';
import type { Assignment, JobDescription } from '../../protocol/messages.ts';
import { adminOwner } from '../../core/owner.ts';
import { localOwner } from '../../protocol/owner.ts';
import type { ProgramKind } from '../../protocol/program.ts';
import type { Equipped } from './outfitter.ts';
import type { SentProgram } from './programs.ts';

/** All of an assignment that need not be read. */
type Words = Omit<Assignment, 'input' | 'checkpoint'>;

/** All that is told of a job but its program, of which only the kind is known. */
export interface JobWords {
  readonly kind: ProgramKind;
  readonly about: Omit<JobDescription, 'program'>;
}

export function assignmentOf(outfit: Equipped): Assignment {
  return filledIn(wordsOf(outfit.attempt), outfit);
}

export function wordsOf({ task, attempt, token, priority }: AttemptRecord): Words {
  const { job, index } = task;
  return {
    task_id: taskId(job.spec.id, index),
    job_id: job.spec.id,
    owner: toldOwner(job.spec.owner),
    index,
    ...(priority === 0 ? {} : { priority }),
    attempt,
    token,
  };
}

export function filledIn(
  words: Words,
  { input, checkpoint }: Pick<Equipped, 'input' | 'checkpoint'>,
): Assignment {
  return { ...words, input, ...(checkpoint === undefined ? {} : { checkpoint }) };
}

/** No two owners are told by the same text, whatever they are called. */
function toldOwner(owner: string): string {
  if (owner === adminOwner) return localOwner;
  return owner === localOwner || owner.startsWith('@') ? `@${owner}` : owner;
}

/** The part of an assignment that belongs to its job. `program` is null when the receiver keeps it already. */
export function jobProgramOf(
  { attempt, programSha256 }: Equipped,
  program: SentProgram | null,
): JobDescription {
  return withProgram(jobWordsOf(attempt.task.job), programSha256, program);
}

export function jobWordsOf({ spec }: { readonly spec: JobSpec }): JobWords {
  const { programKind, attemptTimeoutMs, checkpointIntervalMs } = spec;
  const { keepOutput, liveOutput, memoryMb } = spec;
  const about = {
    attempt_timeout_seconds: inSeconds(attemptTimeoutMs),
    checkpoint_interval_seconds: inSeconds(checkpointIntervalMs),
    ...(keepOutput === 'on_failure' ? {} : { keep_output: keepOutput }),
    ...(liveOutput ? { live_output: true } : {}),
    ...(memoryMb === defaultTaskMemoryMb ? {} : { memory_mb: memoryMb }),
  };
  // The core has it as a text.
  return { kind: programKind as ProgramKind, about };
}

export function withProgram(
  { kind, about }: JobWords,
  sha256: string,
  program: SentProgram | null,
): JobDescription {
  return { program: program ?? { kind, sha256 }, ...about };
}

function inSeconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}
