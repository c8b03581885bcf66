// An assignment in the words of the wire, as it goes out on a socket and in the answer to a claim.

import { taskId } from '../../core/task-key.ts';
import { defaultTaskMemoryMb } from '../../protocol/task-memory.ts';
import type { Assignment, JobDescription } from '../../protocol/messages.ts';
import { adminOwner } from '../../core/owner.ts';
import { localOwner } from '../../protocol/owner.ts';
import type { ProgramKind } from '../../protocol/program.ts';
import type { Equipped } from './outfitter.ts';
import type { SentProgram } from './programs.ts';

export function assignmentOf({ attempt, input, checkpoint }: Equipped): Assignment {
  const { job, index } = attempt.task;
  return {
    task_id: taskId(job.spec.id, index),
    job_id: job.spec.id,
    owner: toldOwner(job.spec.owner),
    index,
    ...(attempt.priority === 0 ? {} : { priority: attempt.priority }),
    attempt: attempt.attempt,
    token: attempt.token,
    input,
    ...(checkpoint === undefined ? {} : { checkpoint }),
  };
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
  const { spec } = attempt.task.job;
  const { programKind, attemptTimeoutMs, checkpointIntervalMs } = spec;
  const { keepOutput, liveOutput, memoryMb } = spec;
  // The core has it as a text; submissions with another kind were refused.
  const kind = programKind as ProgramKind;
  return {
    program: program ?? { kind, sha256: programSha256 },
    attempt_timeout_seconds: inSeconds(attemptTimeoutMs),
    checkpoint_interval_seconds: inSeconds(checkpointIntervalMs),
    ...(keepOutput === 'on_failure' ? {} : { keep_output: keepOutput }),
    ...(liveOutput ? { live_output: true } : {}),
    ...(memoryMb === defaultTaskMemoryMb ? {} : { memory_mb: memoryMb }),
  };
}

function inSeconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}
