// How jobs come in. Small ones are written by the commit that shows them; large ones are staged in
// chunks that nobody sees, so that no transaction and no turn of the event loop gets long.

import { hash } from 'node:crypto';
import type { JobSpec } from '../../core/records.ts';
import type { State } from '../../core/state.ts';
import type { JobSummary } from '../../protocol/resources.ts';
import type { ProgramText } from '../../store/rows.ts';
import type { InputStaging } from '../../store/staging.ts';
import type { Batch } from '../writer/batch.ts';
import { type Blobs, blobReferences } from './blobs.ts';
import type { JobKeys } from './job-keys.ts';
import type {
  Idempotency,
  StreamedSubmission,
  Submission,
  SubmissionInputs,
  SubmissionPort,
} from '../port/jobs.ts';
import type { Result } from '../port/rejection.ts';
import type { Runtime } from '../runtime.ts';
import { jobSummary } from '../reads/views.ts';
import { jobRow } from '../writer/write-batch.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';

/** Inputs per staged transaction, and the most that ride in the commit of their job. */
const chunkInputs = 1000;
const chunkBytes = 2 * 1024 * 1024;

export interface SubmissionOptions {
  readonly state: State;
  readonly store: InputStaging;
  readonly runtime: Runtime;
  readonly loop: WriterLoop;
  readonly blobs: Blobs;
  readonly jobKeys: Pick<JobKeys, 'take'>;
  /** Called when rows wait to be swept. */
  readonly onDropped: () => void;
}

export class Submissions implements SubmissionPort {
  private readonly options: SubmissionOptions;

  constructor(options: SubmissionOptions) {
    this.options = options;
  }

  async submit(
    submission: Submission,
    inputs: SubmissionInputs,
    idempotency?: Idempotency,
  ): Promise<Result<JobSummary>> {
    // Refused before anything is stored. Submissions with streamed inputs were checked when they began.
    if (this.options.loop.isCrowded) return crowded;
    if (inputs.type === 'list' && !isSmall(inputs.inputs)) {
      const stream = this.stream(submission);
      let isThere = false;
      try {
        const appended = await stream.append(inputs.inputs);
        if (!appended.ok) return appended;
        const result = await stream.finish(idempotency);
        isThere = true;
        return result;
      } finally {
        if (!isThere) await stream.abort();
      }
    }
    const taskCount = inputs.type === 'range' ? inputs.count : inputs.inputs.length;
    const rangeStart = inputs.type === 'range' ? inputs.start : null;
    const texts = inputs.type === 'range' ? [] : inputs.inputs;
    const { generation } = this.options.state;
    const key = this.options.jobKeys.take();
    const made = { key: isAtHand(key) ? key : await key, taskCount, rangeStart };
    const references = blobReferences(texts, 0);
    const blobGeneration = references.size > 0 ? generation : null;
    if (references.size > 0) {
      const rejection = await this.options.blobs.touch(references);
      if (rejection !== undefined) return { ok: false, rejection };
    }
    const payload = { inputs: texts, blobs: [...references.keys()], blobGeneration };
    return (await this.commit(submission, made, payload, idempotency)).result;
  }

  stream(submission: Submission): StreamedSubmission {
    const { store, state, blobs } = this.options;
    const { generation } = state;
    const key = this.options.jobKeys.take();
    // The failure is met where the key is awaited below.
    if (!isAtHand(key)) key.catch(() => undefined);
    let count = 0;
    let blobGeneration: number | null = null;
    return {
      get count() {
        return count;
      },
      append: async (inputs) => {
        const jobKey = isAtHand(key) ? key : await key;
        for (const chunk of chunked(inputs)) {
          // The next coordinator drops what is staged when it loads; what comes later would stay.
          this.options.loop.assertRunning();
          const references = blobReferences(chunk, count);
          if (references.size > 0) {
            blobGeneration = generation;
            const rejection = await blobs.touch(references);
            if (rejection !== undefined) return { ok: false, rejection };
          }
          await store.stageInputs(jobKey, count, chunk, [...references.keys()]);
          count += chunk.length;
          await this.turn();
        }
        return { ok: true, value: null };
      },
      finish: async (idempotency) => {
        const jobKey = isAtHand(key) ? key : await key;
        const made = { key: jobKey, taskCount: count, rangeStart: null };
        const staged = { inputs: [], blobs: [], blobGeneration };
        const { result, isNew } = await this.commit(submission, made, staged, idempotency);
        // The answer was an earlier job, or a refusal: the staged inputs belong to no job.
        if (!isNew) await this.drop(jobKey);
        return result;
      },
      abort: async () => {
        if (isAtHand(key)) return this.drop(key);
        const jobKey = await key.catch(() => undefined);
        if (jobKey !== undefined) await this.drop(jobKey);
      },
    };
  }

  private commit(
    submission: Submission,
    made: Pick<JobSpec, 'key' | 'taskCount' | 'rangeStart'>,
    { inputs, blobs, blobGeneration }: Payload,
    idempotency: Idempotency | undefined,
  ): Promise<Committed> {
    const { loop, runtime, state } = this.options;
    const id = runtime.newId();
    return loop.ask<Committed>(
      (batch) => {
        const result = idempotency && replay(batch, idempotency);
        if (result !== undefined) return () => ({ result, isNew: false });
        const { at } = batch;
        const { generation } = state;
        if (blobGeneration !== null && blobGeneration !== generation) {
          return () => ({ result: clearedMeanwhile, isNew: false });
        }
        const spec = specOf(submission, { id, ...made, generation, createdAt: at });
        const program = hashedProgram(submission.program);
        batch.addPayload({ jobKey: made.key, program, inputs });
        for (const sha256 of blobs) batch.addBlobReference({ jobKey: made.key, sha256 });
        if (idempotency !== undefined) {
          batch.addIdempotencyKey({ ...idempotency, jobId: id, jobKey: made.key, createdAt: at });
        }
        batch.execute({ type: 'submit_job', spec, at });
        const job = state.jobs.get(id)!;
        return () => ({ result: { ok: true, value: jobSummary(jobRow(job)) }, isNew: true });
      },
      {
        bytes: charactersOf(inputs) + submission.program.source.length,
        wants: (wanted) => {
          if (idempotency !== undefined) wanted.idempotencyKeys.add(idempotency.key);
        },
      },
    );
  }

  private async drop(jobKey: number): Promise<void> {
    await this.options.store.dropStaged(jobKey);
    this.options.onDropped();
  }

  /** Lets other work have its turn of the event loop between two chunks. */
  private turn(): Promise<void> {
    return new Promise((resolve) => this.options.runtime.defer(resolve));
  }
}

/** With a key at hand nothing is awaited, so that submissions are decided in the order of their calls. */
function isAtHand(key: number | Promise<number>): key is number {
  return typeof key === 'number';
}

/** What is stored by the commit of its job; empty when it was staged before. */
interface Payload {
  readonly inputs: readonly string[];
  /** Hashes of blobs that the inputs refer to. */
  readonly blobs: readonly string[];
  /** The generation in which the blobs were found; null when no input refers to any. */
  readonly blobGeneration: number | null;
}

const crowded: Result<never> = {
  ok: false,
  rejection: {
    code: 'busy',
    detail: 'Too much waits to be decided; nothing of this job was kept. Try again in a moment.',
  },
};

const clearedMeanwhile: Result<never> = {
  ok: false,
  rejection: {
    code: 'validation_failed',
    detail: 'The database was cleared meanwhile; upload the blobs of the inputs again.',
  },
};

interface Committed {
  readonly result: Result<JobSummary>;
  readonly isNew: boolean;
}

/**
 * When the idempotency key was used before: the job that it made, if the same was submitted. A key goes
 * with its job: when this very batch has removed the job, the key counts as new.
 */
function replay(batch: Batch, { key, bodyHash }: Idempotency): Result<JobSummary> | undefined {
  const earlier = batch.findIdempotencyKey(key);
  const job = earlier && batch.findJob(earlier.jobId);
  if (earlier === undefined || job === undefined) return undefined;
  if (earlier.bodyHash !== bodyHash) {
    const detail = `The key "${key}" came with another body before; use a new key for a new job.`;
    return { ok: false, rejection: { code: 'idempotency_conflict', detail } };
  }
  return { ok: true, value: jobSummary(jobRow(job)) };
}

/** The hash is that of the text that is stored and sent; different programs have different texts. */
function hashedProgram({ kind, source }: Submission['program']): ProgramText {
  const json = JSON.stringify({ kind, source });
  return { sha256: hash('sha256', json), json };
}

function specOf(
  submission: Submission,
  made: Pick<JobSpec, 'id' | 'key' | 'generation' | 'taskCount' | 'rangeStart' | 'createdAt'>,
): JobSpec {
  const { program, ...rest } = submission;
  return { ...rest, programKind: program.kind, ...made };
}

function isSmall(inputs: readonly string[]): boolean {
  return inputs.length <= chunkInputs && charactersOf(inputs) <= chunkBytes;
}

function charactersOf(inputs: readonly string[]): number {
  return inputs.reduce((sum, input) => sum + input.length, 0);
}

function* chunked(inputs: readonly string[]): Generator<readonly string[]> {
  let start = 0;
  let bytes = 0;
  for (let i = 0; i < inputs.length; i++) {
    bytes += inputs[i]!.length;
    if (i + 1 - start < chunkInputs && bytes < chunkBytes) continue;
    yield inputs.slice(start, i + 1);
    start = i + 1;
    bytes = 0;
  }
  if (start < inputs.length) yield inputs.slice(start);
}
