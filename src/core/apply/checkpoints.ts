// The points from which a task resumes. The two newest keep their states in the store: the older one
// is for the day on which the newest cannot be read.

import type { SaveCheckpoint } from '../commands.ts';
import type { AttemptRecord, CheckpointRecord, TaskRecord } from '../records.ts';
import type { State } from '../state.ts';
import { applyProgress } from './attempts.ts';
import { resumeFrom } from './recoveries.ts';

const keptStates = 2;

export function applyCheckpointSaved(
  state: State,
  attempt: AttemptRecord,
  command: SaveCheckpoint,
): void {
  const { task, worker, runBeforeMs } = attempt;
  const { sequence, progress, sizeBytes, storedBytes, sha256, at } = command;
  // The word that it began may have lain unread beside this checkpoint; longer than it was here it cannot have run.
  const ranMs = command.runMs ?? at - (attempt.startedAt ?? at);
  const mostMs = at - attempt.assignedAt;
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
  const kept = [...task.checkpoints, record];
  for (const older of kept.splice(0, kept.length - keptStates)) drop(state, older);
  task.checkpoints = kept;
  state.dirty.checkpoints.push({ record, state: command.state });
  applyProgress(state, attempt, progress, attempt.progressMessage, at);
}

export function applyCheckpointDropped(state: State, checkpoint: CheckpointRecord): void {
  const { task } = checkpoint;
  task.checkpoints = task.checkpoints.filter((kept) => kept !== checkpoint);
  drop(state, checkpoint);
  const { recovery } = task;
  if (recovery?.checkpointId === String(checkpoint.id)) {
    resumeFrom(state, recovery, task.checkpoints.at(-1) ?? null);
  }
}

/** Nothing will resume the task any more. */
export function dropCheckpoints(state: State, task: TaskRecord): void {
  if (task.checkpoints.length === 0) return;
  for (const checkpoint of task.checkpoints) drop(state, checkpoint);
  task.checkpoints = [];
}

function drop(state: State, { id }: CheckpointRecord): void {
  state.dirty.droppedStates.push(id);
}
