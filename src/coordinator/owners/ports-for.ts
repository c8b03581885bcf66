// The ports as they are for one principal. Each part of an answer that is about jobs is asked for with the owner,
// or only after it is known that the job is the owner's. What belongs to no owner passes through as it is:
// whoever may call it may call it for the whole cluster.

import type { State } from '../../core/state.ts';
import type { StoreParts } from '../../store/store.ts';
import type { Blobs } from '../jobs/blobs.ts';
import type { JobCommands } from '../jobs/job-commands.ts';
import type { OwnerUse } from '../jobs/quota-use.ts';
import type { Submissions } from '../jobs/submissions.ts';
import type { BlobPort } from '../port/blobs.ts';
import type { CoordinatorPorts } from '../port/coordinator.ts';
import type { EventPort } from '../port/events.ts';
import type { NotificationPort } from '../port/notifications.ts';
import type { Principal } from '../port/principal.ts';
import type { Reads } from '../reads/reads.ts';
import type { TaskReads } from '../reads/task-reads.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';
import { OwnBlobs } from './own-blobs.ts';
import { OwnEvaluation } from './own-evaluation.ts';
import { OwnJobs } from './own-jobs.ts';
import { OwnReads } from './own-reads.ts';
import { OwnScheduler, type WholeScheduler } from './own-scheduler.ts';
import { OwnTaskReads } from './own-task-reads.ts';
import { Ownership } from './ownership.ts';
import { WorkerBlobs } from './worker-blobs.ts';

/** The parts of a coordinator, as they are for who sees all. */
export interface WholePorts extends CoordinatorPorts {
  readonly submissions: Submissions;
  readonly quota: OwnerUse;
  readonly jobs: JobCommands;
  readonly blobs: Blobs;
  readonly reads: Reads;
  readonly scheduler: WholeScheduler;
  readonly taskReads: TaskReads;
}

export interface Grounds {
  readonly store: StoreParts;
  readonly loop: Pick<WriterLoop, 'settled'>;
  readonly state: State;
}

export function portsFor(
  principal: Principal,
  all: WholePorts,
  { store, loop, state }: Grounds,
): CoordinatorPorts {
  const { sessions, pullWorkers, workers } = all;
  const submissions = all.submissions.of(principal);
  const jobs = all.jobs.of(submissions.quotas);
  const quota = all.quota.of(principal.owner);
  const { blobs, scheduler, reads, taskReads, evaluation, notifications, events } = all;
  const forWorkers = { sessions, pullWorkers, workers };
  if (principal.seesAll) {
    const read = { scheduler, reads, taskReads, evaluation, notifications, events };
    return { ...forWorkers, ...read, submissions, jobs, blobs, quota };
  }
  const own = new Ownership(principal.owner, { store, loop });
  return {
    ...forWorkers,
    submissions,
    quota,
    jobs: new OwnJobs(jobs, own),
    blobs: blobsFor(principal, submissions, blobs, { store, state }),
    scheduler: new OwnScheduler({ scheduler, reads, state }, own),
    reads: new OwnReads(reads, own),
    taskReads: new OwnTaskReads(taskReads, own),
    evaluation: new OwnEvaluation(evaluation, own),
    notifications: ownNotifications(notifications, own),
    events: ownEvents(events, own),
  };
}

function blobsFor(
  { role, owner }: Principal,
  { quotas }: Submissions,
  blobs: Blobs,
  { store, state }: Pick<Grounds, 'store' | 'state'>,
): BlobPort {
  if (role === 'worker') return new WorkerBlobs({ store, blobs, state, workerId: owner });
  return new OwnBlobs({ store, blobs, owner, quotas });
}

function ownNotifications(notifications: NotificationPort, own: Ownership): NotificationPort {
  return {
    ofJob: (jobId) => own.about(jobId, undefined, () => notifications.ofJob(jobId)),
  };
}

function ownEvents(events: EventPort, { owner }: Ownership): EventPort {
  return { follow: (filter, options) => events.follow({ ...filter, owner }, options) };
}
