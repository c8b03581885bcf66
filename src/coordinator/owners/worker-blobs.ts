// Blobs as a worker knows them: those that it has put itself, and those that the programs, shared values and inputs of
// the attempts that it has name. A state to resume from comes with the attempt, and which blob holds it is a worker's word.

import type { State } from '../../core/state.ts';
import type { AttemptRecord, JobSpec } from '../../core/records.ts';
import { payloadReferenceOf } from '../../protocol/blob-reference.ts';
import { blobsNamedBy } from '../../protocol/program.ts';
import type { JobReading } from '../../store/reading.ts';
import { storedProgram } from '../program-text.ts';
import { workerOwner } from '../workers/worker-owner.ts';
import { OwnBlobs, type OwnBlobsOptions } from './own-blobs.ts';

export interface WorkerBlobsOptions extends Omit<OwnBlobsOptions, 'owner'> {
  readonly store: OwnBlobsOptions['store'] & Pick<JobReading, 'readInputs' | 'findProgram'>;
  readonly state: Pick<State, 'workers'>;
  readonly workerId: string;
}

export class WorkerBlobs extends OwnBlobs {
  private readonly asked: WorkerBlobsOptions;

  constructor(options: WorkerBlobsOptions) {
    super({ ...options, owner: workerOwner(options.workerId) });
    this.asked = options;
  }

  protected override async isKnown(sha256: string): Promise<boolean> {
    if (await super.isKnown(sha256)) return true;
    const { state, workerId } = this.asked;
    // The attempts may change while their inputs are read.
    const attempts = [...(state.workers.get(workerId)?.attempts ?? [])];
    for (const job of new Set(attempts.map(({ task }) => task.job))) {
      if (await this.isOfProgram(job.spec, sha256)) return true;
    }
    for (const attempt of attempts) {
      if (await this.isGiven(attempt, sha256)) return true;
    }
    return false;
  }

  private async isOfProgram(spec: JobSpec, sha256: string): Promise<boolean> {
    const isShared = spec.requirements?.hands?.includes('shared') === true;
    if (spec.programKind === 'javascript' && !isShared) return false;
    const text = await this.asked.store.findProgram(spec.key);
    if (text === undefined) return false;
    const { program, shared = '' } = storedProgram(text);
    if (payloadReferenceOf(shared)?.sha256 === sha256) return true;
    return blobsNamedBy(program).some((each) => each.sha256 === sha256);
  }

  private async isGiven({ task }: AttemptRecord, sha256: string): Promise<boolean> {
    const { store } = this.asked;
    const { key, rangeStart } = task.job.spec;
    const inputs = rangeStart === null ? await store.readInputs(key, [task.index]) : [];
    return inputs.some((input) => payloadReferenceOf(input)?.sha256 === sha256);
  }
}
