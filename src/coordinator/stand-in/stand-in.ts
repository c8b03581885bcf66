// What a process answers while another coordinator decides, or while none does: who may ask, and whatever the store
// alone tells. The readers are those of the coordinator, over a memory in which there is nothing: every job is read as
// one that has ended, so they are asked about no other (`ended-jobs.ts`). All else is left to whoever decides.

import { createState, defaultSchedulerConfig } from '../../core/state.ts';
import { type CoreSettings, defaultCoreSettings } from '../../core/settings.ts';
import type { Reading } from '../../store/reading.ts';
import { StoredTokens } from '../access/stored-tokens.ts';
import { DecisionLog } from '../decisions/decision-log.ts';
import { findStoredBlob } from '../jobs/stored-blob.ts';
import { OwnBlobs } from '../owners/own-blobs.ts';
import { OwnEvaluation } from '../owners/own-evaluation.ts';
import { OwnReads } from '../owners/own-reads.ts';
import { OwnTaskReads } from '../owners/own-task-reads.ts';
import { Ownership } from '../owners/ownership.ts';
import type { BlobPort } from '../port/blobs.ts';
import type { Coordinator, CoordinatorPorts } from '../port/coordinator.ts';
import type { Principal } from '../port/principal.ts';
import type { EvaluationPort, ReadPort, TaskReadPort } from '../port/reads.ts';
import { endedOutlook } from '../rates/estimate.ts';
import { AttemptExport } from '../reads/attempt-export.ts';
import { JobErrorReads } from '../reads/job-errors.ts';
import { JobTasks } from '../reads/job-tasks.ts';
import { Reads } from '../reads/reads.ts';
import { ResultReads } from '../reads/result-reads.ts';
import { TaskMaps } from '../reads/task-map.ts';
import { TaskReads } from '../reads/task-reads.ts';
import type { Runtime } from '../runtime.ts';
import { Followers } from '../streams/followers.ts';
import { decidedElsewhere, elsewhere, only } from './elsewhere.ts';
import { EndedJobs } from './ended-jobs.ts';

export interface StandInOptions {
  /** Shows what is committed, whoever commits it. */
  readonly store: Reading;
  readonly runtime: Pick<Runtime, 'now' | 'hash' | 'defer'>;
  /** Those with which whoever decides was started. */
  readonly settings?: Partial<CoreSettings>;
  /** There is an admin token, as far as is known. */
  readonly areNeeded: () => boolean;
  readonly onError?: (error: Error) => void;
}

interface Read {
  readonly reads: Reads | OwnReads;
  readonly taskReads: TaskReads | OwnTaskReads;
  readonly evaluation: Pick<EvaluationPort, 'exportAttempts'>;
  readonly blobs: Pick<BlobPort, 'find'>;
}

/** Everything is committed that can be read. */
const loop = {
  settled: () => Promise.resolve(),
  allDecisions: { count: 0, seconds: 0 },
};

export class StandIn implements Pick<Coordinator, 'tokens' | 'for'> {
  readonly tokens: StoredTokens;
  private readonly store: Reading;
  private readonly ended: EndedJobs;
  private readonly reads: Reads;
  private readonly taskReads: TaskReads;
  private readonly evaluation: EvaluationPort;

  constructor({ store, runtime, settings, areNeeded, onError }: StandInOptions) {
    const { now, defer } = runtime;
    this.tokens = new StoredTokens({ store, runtime, areNeeded });
    this.store = store;
    this.ended = new EndedJobs(store);
    const state = createState({ ...defaultCoreSettings, ...settings }, defaultSchedulerConfig);
    const turn = () => new Promise<void>((resolve) => defer(resolve));
    // Nothing is answered of how long it runs.
    const time = { now, startedAt: 0 };
    const source = { state, store, loop, turn };
    const followers = new Followers((error) => onError?.(error));
    this.reads = new Reads({
      ...source,
      results: new ResultReads({ ...source, followers }),
      jobTasks: new JobTasks(source),
      jobErrors: new JobErrorReads(source),
      taskMaps: new TaskMaps(source),
      isRegistered: (workerId) => store.isRegistered(workerId),
      // Of no open job, and of no worker.
      rates: { outlookOf: () => endedOutlook },
      newest: { scores: new Map() },
      series: { of: elsewhere },
      ...time,
    });
    this.taskReads = new TaskReads({ ...source, log: new DecisionLog(0), ...time });
    const attempts = new AttemptExport(source);
    this.evaluation = only<EvaluationPort>({ exportAttempts: (asked) => attempts.find(asked) });
  }

  for({ role, owner, seesAll }: Principal): CoordinatorPorts {
    // What a worker may have is told by its attempts.
    if (role === 'worker') return decidedElsewhere;
    const { store, reads, taskReads, evaluation } = this;
    const blobs = {
      find: (sha256: string) => findStoredBlob(store, sha256),
      receiveFrom: elsewhere,
      receiveStagedFrom: elsewhere,
    };
    if (seesAll) return this.told({ reads, taskReads, evaluation, blobs });
    const own = new Ownership(owner, { store, loop });
    return this.told({
      reads: new OwnReads(reads, own),
      taskReads: new OwnTaskReads(taskReads, own),
      evaluation: new OwnEvaluation(evaluation, own),
      blobs: new OwnBlobs({ store, blobs, owner }),
    });
  }

  private told({ reads, taskReads, evaluation, blobs }: Read): CoordinatorPorts {
    const { ended } = this;
    return {
      ...decidedElsewhere,
      reads: only<ReadPort>({
        jobs: (filter) => reads.jobs(filter),
        meantJobs: (handle, limit) => reads.meantJobs(handle, limit),
        findJob: (id) => ended.about(id, () => reads.findJob(id)),
        findJobDetail: (id) => ended.about(id, () => reads.findJobDetail(id)),
        findTasks: (id, asked) => ended.about(id, () => reads.findTasks(id, asked)),
        findErrors: (id, limit) => ended.about(id, () => reads.findErrors(id, limit)),
        findTaskMap: (id, asked) => ended.about(id, () => reads.findTaskMap(id, asked)),
        findResults: (id, asked) => {
          if (!asked.follow) return ended.about(id, () => reads.findResults(id, asked));
          // Nothing of it is still to come.
          const all = () => reads.findResults(id, { ...asked, follow: false });
          return ended.followed(id, all, asked.signal);
        },
        findFailures: async (id, limit) => (await reads.findFailures(id, limit)) ?? elsewhere(),
      }),
      taskReads: only<TaskReadPort>({
        findTask: (id, index) => ended.about(id, () => taskReads.findTask(id, index)),
        findProgram: (id) => ended.about(id, () => taskReads.findProgram(id)),
        findOutput: (id, index, attempt) =>
          ended.about(id, () => taskReads.findOutput(id, index, attempt)),
        findCheckpoints: (id) => ended.about(id, () => taskReads.findCheckpoints(id)),
        recoveryEvents: () => taskReads.recoveryEvents(),
      }),
      evaluation: only<EvaluationPort>({
        exportAttempts: async (asked) => (await evaluation.exportAttempts(asked)) ?? elsewhere(),
      }),
      blobs: only<BlobPort>({
        find: async (sha256) => (await blobs.find(sha256)) ?? elsewhere(),
      }),
    };
  }
}
