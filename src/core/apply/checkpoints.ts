// The points from which a task resumes. The two newest keep their states in the store: the older one
// is for the day on which the newest cannot be read.

import type { Event } from '../events.ts';
import type { CheckpointRecord, RecoveryRecord, TaskRecord } from '../records.ts';
import type { State } from '../state.ts';
import { applyProgress } from './attempts.ts';
import { resumeFrom } from './recoveries.ts';

const keptStates = 2;

export function applyCheckpointSaved(
  state: State,
  event: Extract<Event, { type: 'checkpoint_saved' }>,
): void {
  const { attempt, command } = event;
  const { task, worker, runBeforeMs } = attempt;
  const { sequence, progress, sizeBytes, storedBytes, sha256, at } = command;
  // `startedAt` may be too late: the `started` report may have waited unread with this checkpoint. A worker
  // cannot have run an attempt for longer than it had it.
  const ranMs = command.runMs ?? at - event.startedAt;
  const mostMs = at - event.assignedAt;
  const record: CheckpointRecord = {
    id: state.nextCheckpointId++,
    task,
    attempt: attempt.attempt,
    sequence,
    workerId: worker.id,
    progress,
    sizeBytes,
    storedBytes,
    sha256,
    runMs: runBeforeMs + Math.min(ranMs, mostMs),
    createdAt: at,
  };
  task.checkpoints = [...task.checkpoints, record].slice(-keptStates);
  attempt.checkpoints++;
  applyProgress(state, attempt, progress, attempt.progressMessage, at);
}

/** The checkpoints whose states are dropped when the task saves its next one. */
export function outdatedCheckpoints({ checkpoints }: TaskRecord): readonly CheckpointRecord[] {
  return checkpoints.slice(0, Math.max(0, checkpoints.length + 1 - keptStates));
}

export function applyCheckpointDropped(checkpoint: CheckpointRecord): void {
  const { task } = checkpoint;
  task.checkpoints = task.checkpoints.filter((kept) => kept !== checkpoint);
  const recovery = recoveryFrom(checkpoint);
  if (recovery !== null) resumeFrom(recovery, task.checkpoints.at(-1) ?? null);
}

/** The open recovery of the task, if the task is to resume from this checkpoint. */
export function recoveryFrom({ id, task }: CheckpointRecord): RecoveryRecord | null {
  const { recovery } = task;
  return recovery?.checkpointId === String(id) ? recovery : null;
}
