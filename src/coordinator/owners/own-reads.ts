// What an owner reads of jobs and workers: its own jobs, and of workers who they are and how they stand, with
// nothing of what they measure and of whose tasks they have.

import type { WorkerFailure, WorkerResource } from '../../protocol/workers.ts';
import type {
  JobListFilter,
  ReadPort,
  ResultsAsked,
  TaskMapAsked,
  TaskPageAsked,
  WorkersAsked,
} from '../port/reads.ts';
import type { Reads } from '../reads/reads.ts';
import { withoutReasons, withoutTelemetry } from '../workers/worker-texts.ts';
import type { Ownership } from './ownership.ts';

export class OwnReads implements ReadPort {
  private readonly reads: Reads;
  private readonly own: Ownership;

  constructor(reads: Reads, own: Ownership) {
    this.reads = reads;
    this.own = own;
  }

  stats(): ReturnType<ReadPort['stats']> {
    return this.reads.stats(this.own.owner);
  }

  census(): ReturnType<ReadPort['census']> {
    return this.reads.census(this.own.owner);
  }

  jobs(filter: JobListFilter): ReturnType<ReadPort['jobs']> {
    return this.reads.jobs({ ...filter, owner: this.own.owner });
  }

  jobHeads(filter: JobListFilter): ReturnType<ReadPort['jobHeads']> {
    return this.reads.jobHeads({ ...filter, owner: this.own.owner });
  }

  meantJobs(handle: string, limit: number): ReturnType<ReadPort['meantJobs']> {
    return this.reads.meantJobs(handle, limit, this.own.owner);
  }

  findJob(jobId: string): ReturnType<ReadPort['findJob']> {
    return this.own.about(jobId, undefined, () => this.reads.findJob(jobId));
  }

  findJobDetail(jobId: string): ReturnType<ReadPort['findJobDetail']> {
    return this.own.about(jobId, undefined, () => this.reads.findJobDetail(jobId));
  }

  findTasks(jobId: string, asked: TaskPageAsked): ReturnType<ReadPort['findTasks']> {
    return this.own.about(jobId, undefined, () => this.reads.findTasks(jobId, asked));
  }

  findErrors(jobId: string, limit: number): ReturnType<ReadPort['findErrors']> {
    return this.own.about(jobId, undefined, () => this.reads.findErrors(jobId, limit));
  }

  findTaskMap(jobId: string, asked: TaskMapAsked): ReturnType<ReadPort['findTaskMap']> {
    return this.own.about(jobId, undefined, () => this.reads.findTaskMap(jobId, asked));
  }

  findResults(jobId: string, options: ResultsAsked): ReturnType<ReadPort['findResults']> {
    return this.own.about(jobId, undefined, () => this.reads.findResults(jobId, options));
  }

  async workers(): Promise<readonly WorkerResource[]> {
    return (await this.reads.workers()).map(withoutMeasurements);
  }

  workerTexts({ pieceChars }: WorkersAsked): AsyncIterable<string> {
    return this.reads.workerTexts({ pieceChars }, 'owners');
  }

  async meantWorkers(handle: string, limit: number): Promise<readonly WorkerResource[]> {
    return (await this.reads.meantWorkers(handle, limit)).map(withoutMeasurements);
  }

  async findWorker(workerId: string): ReturnType<ReadPort['findWorker']> {
    const found = await this.reads.findWorker(workerId, this.own.owner);
    return found && withoutMeasurements(found);
  }

  findFailures(workerId: string, limit?: number): Promise<readonly WorkerFailure[] | undefined> {
    return this.reads.findFailures(workerId, limit, this.own.owner);
  }
}

/** Its score is that of the last decision, whosever task it was about. */
function withoutMeasurements<W extends WorkerResource>(worker: W): W {
  return { ...withoutTelemetry(withoutReasons(worker)), score: null };
}
