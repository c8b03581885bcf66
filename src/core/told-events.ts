// What happened, as it is told outside of the core: after the commit, when the records may have changed
// again. Of the records that an event names only the part is to be seen that never changes; all else is
// a value in the event. It is the same object as the event that was applied, so telling costs nothing;
// only the few events that move a worker are made anew, with its status.

import type { Event } from './events.ts';
import type {
  AttemptRecord,
  CheckpointRecord,
  JobRecord,
  TaskRecord,
  WorkerRecord,
} from './records.ts';
import { workerStatus, type WorkerStatus } from './worker-status.ts';

/** Every field named here, and in the types below it, is fixed when the record is made, or when it is over. */
export type ToldJob = Pick<JobRecord, 'spec'>;
export type ToldTask = Pick<TaskRecord, 'index'> & { readonly job: ToldJob };
export type ToldWorker = Pick<WorkerRecord, 'id'>;
export type ToldAttempt = Pick<AttemptRecord, 'attempt' | 'token' | 'runBeforeMs'> & {
  readonly task: ToldTask;
  readonly worker: ToldWorker;
};
/** An attempt that is over: all of it stays as it is. */
export type OverAttempt = ToldAttempt &
  Pick<AttemptRecord, 'assignedAt' | 'progress' | 'checkpoints' | 'slot'> & {
    readonly resumedFrom: Pick<CheckpointRecord, 'attempt' | 'progress'> | null;
  };
type ToldCheckpoint = Omit<CheckpointRecord, 'task'> & { readonly task: ToldTask };

/** A worker as it was when the command that moved it was whole. */
export interface MovedWorker extends ToldWorker {
  readonly name: string | null;
  readonly status: WorkerStatus;
}

type WorkerMove = Extract<
  Event,
  {
    readonly type:
      | 'worker_connected'
      | 'worker_disconnected'
      | 'worker_lost'
      | 'worker_left'
      | 'worker_quarantined'
      | 'worker_probed'
      | 'worker_released'
      | 'worker_drained'
      | 'worker_resumed'
      | 'worker_approved'
      | 'worker_renamed'
      | 'worker_rest_changed'
      | 'worker_deregistered';
  }
>;

/** What ends attempts. */
type Ending = Extract<Event, { readonly type: 'attempt_ended' | 'task_completed' }>;

export type ToldEvent =
  | Told<Exclude<Event, WorkerMove | Ending>>
  | Over<Ending>
  | Moved<WorkerMove>;

/** A told event by its type. */
export type ToldAs<T extends ToldEvent['type']> = Extract<ToldEvent, { readonly type: T }>;

type Told<E> = E extends Event ? { readonly [K in keyof E]: ToldValue<E[K]> } : never;

type Over<E> = E extends Event ? { readonly [K in keyof E]: OverValue<E[K]> } : never;

type OverValue<T> = T extends AttemptRecord ? OverAttempt : ToldValue<T>;

type Moved<E> = E extends Event
  ? { readonly [K in keyof E]: K extends 'worker' ? MovedWorker : E[K] }
  : never;

type ToldValue<T> = T extends JobRecord
  ? ToldJob
  : T extends TaskRecord
    ? ToldTask
    : T extends AttemptRecord
      ? ToldAttempt
      : T extends CheckpointRecord
        ? ToldCheckpoint
        : T extends WorkerRecord
          ? ToldWorker
          : T;

/** Call it when the command is whole, and nothing else has changed the state since. */
export function tell(events: readonly Event[]): readonly ToldEvent[] {
  return events.every(movesNoWorker) ? events : events.map(tellOne);
}

function movesNoWorker(event: Event): event is Exclude<Event, WorkerMove> {
  switch (event.type) {
    case 'worker_connected':
    case 'worker_disconnected':
    case 'worker_lost':
    case 'worker_left':
    case 'worker_quarantined':
    case 'worker_probed':
    case 'worker_released':
    case 'worker_drained':
    case 'worker_resumed':
    case 'worker_approved':
    case 'worker_renamed':
    case 'worker_rest_changed':
    case 'worker_deregistered':
      return false;
    default:
      return true;
  }
}

function tellOne(event: Event): ToldEvent {
  if (movesNoWorker(event)) return event;
  const { worker } = event;
  return {
    ...event,
    worker: { id: worker.id, name: worker.name, status: workerStatus(worker) },
  };
}
