// How jobs come in. Small ones are written by the commit that shows them; large ones are staged in
// chunks that nobody sees, so that no transaction and no turn of the event loop gets long.

import { adminOwner } from '../../core/owner.ts';
import type { Handed, JobSpec } from '../../core/records.ts';
import type { State } from '../../core/state.ts';
import type { ErrorCode } from '../../protocol/error-codes.ts';
import { inputsLost } from '../../protocol/errors.ts';
import { kindOf } from '../../protocol/program.ts';
import type { JobSummary } from '../../protocol/resources.ts';
import type { JobRow } from '../../store/rows.ts';
import type { InputStaging } from '../../store/staging.ts';
import type { Batch } from '../writer/batch.ts';
import { blobReference, inputReferences } from '../../protocol/blob-reference.ts';
import { Arriving } from './arriving.ts';
import { type BlobReferences, programReferences } from './blob-references.ts';
import type { Blobs } from './blobs.ts';
import type { JobKeys } from './job-keys.ts';
import { JobQuotas, type QuotaCounts } from './job-quotas.ts';
import type { StreamRoom } from './stream-room.ts';
import type {
  FollowAsked,
  FollowedJob,
  Idempotency,
  StagedSubmission,
  StreamedSubmission,
  Submission,
  SubmissionInputs,
  SubmissionPort,
} from '../port/jobs.ts';
import type { DiskRoom } from '../port/disk-room.ts';
import type { Principal } from '../port/principal.ts';
import type { Rejection, Result } from '../port/rejection.ts';
import { programText } from '../program-text.ts';
import type { Runtime } from '../runtime.ts';
import type { ResultReads } from '../reads/result-reads.ts';
import { jobSummary } from '../reads/views.ts';
import type { UsualTimes } from './usual-times.ts';
import { jobRow } from '../writer/write-batch.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';

/** Inputs per staged transaction, and the most that ride in the commit of their job. */
const chunkInputs = 1000;
const chunkBytes = 1024 * 1024;

export interface SubmissionOptions {
  readonly state: State;
  readonly store: InputStaging;
  readonly runtime: Runtime;
  readonly loop: WriterLoop;
  readonly blobs: Pick<Blobs, 'touch' | 'touchProgram' | 'put'>;
  readonly jobKeys: Pick<JobKeys, 'take'>;
  readonly disk: DiskRoom;
  readonly quotaCounts: QuotaCounts;
  readonly results: Pick<ResultReads, 'join'>;
  readonly usualTimes: UsualTimes;
  /** Called when rows wait to be swept. */
  readonly onDropped: () => void;
}

/** A shared value that is longer becomes a blob, which each worker fetches once. */
const mostSharedBytes = 64 * 1024;

/** Whose submissions they are, and whether they may refer to every blob, or to those alone that it sees. */
export type Submitter = Pick<Principal, 'owner' | 'seesAll' | 'tokenId' | 'quota'>;

export class Submissions implements SubmissionPort {
  private readonly options: SubmissionOptions;
  private readonly owner: string;
  private readonly seesAll: boolean;
  /** Undefined: nothing bounds what is submitted. */
  readonly quotas: JobQuotas | undefined;

  constructor(options: SubmissionOptions, submitter: Submitter) {
    this.options = options;
    this.owner = submitter.owner;
    this.seesAll = submitter.seesAll;
    const isBounded = submitter.quota !== undefined;
    this.quotas = isBounded ? new JobQuotas(options.quotaCounts, submitter) : undefined;
  }

  of(submitter: Submitter): Submissions {
    return new Submissions(this.options, submitter);
  }

  async submit(
    submission: Submission,
    inputs: SubmissionInputs,
    idempotency?: Idempotency,
  ): Promise<Result<JobSummary>> {
    return (await this.enter(submission, inputs, idempotency)).result;
  }

  async submitFollowed(
    submission: Submission,
    inputs: SubmissionInputs,
    asked: FollowAsked,
    idempotency?: Idempotency,
  ): Promise<Result<FollowedJob>> {
    return followed(await this.enter(submission, inputs, idempotency, asked));
  }

  private async enter(
    submission: Submission,
    inputs: SubmissionInputs,
    idempotency: Idempotency | undefined,
    asked?: FollowAsked,
  ): Promise<Entered> {
    // Refused before anything is stored. Submissions with streamed inputs were checked when they began.
    if (this.options.loop.isCrowded) return { result: crowded };
    if (this.options.disk.isFull) return { result: this.full() };
    if (inputs.type === 'list' && !isSmall(inputs.inputs)) {
      const stream = this.open(submission);
      let isThere = false;
      try {
        const appended = await stream.append(inputs.inputs);
        if (!appended.ok) return { result: appended };
        const entered = await stream.end(idempotency, asked);
        isThere = true;
        return entered;
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
    const { blobs: references, haveBytes } = inputReferences(texts, 0);
    if (references.size > 0) {
      const rejection = await this.touch(references);
      if (rejection !== undefined) return { result: { ok: false, rejection } };
    }
    const prepared = isAlone(submission) ? alone(submission) : await this.prepare(submission);
    if (!prepared.ok) return { result: prepared };
    const { job, blobs: ofProgram } = prepared.value;
    const blobs = [...references.keys(), ...ofProgram];
    const blobGeneration = blobs.length > 0 ? generation : null;
    const characters = charactersOf(texts);
    const payload = { inputs: texts, characters, blobs, blobGeneration, haveBytes };
    const holding = this.quotas?.hold();
    if (holding === undefined) {
      return this.commit(job, made, payload, { idempotency, asked });
    }
    const held = await holding;
    try {
      const room = { holding: held, refusal: undefined, taken: 0 };
      return await this.commit(job, made, payload, { idempotency, asked, room });
    } finally {
      held.leave();
    }
  }

  stream(submission: Submission): StreamedSubmission {
    const stream = this.open(submission);
    const { append, abort, end } = stream;
    return {
      get count() {
        return stream.count;
      },
      append,
      finish: async (idempotency) => (await end(idempotency)).result,
      finishFollowed: async (asked, idempotency) => followed(await end(idempotency, asked)),
      abort,
    };
  }

  streamStaged(submission: Submission, by: string): StagedSubmission {
    const arriving = this.arriving(by);
    const end = (idempotency?: Idempotency, asked?: FollowAsked) =>
      this.end(submission, arriving, { idempotency, asked });
    return {
      key: async () => arriving.jobKey,
      arrived: (count, characters) => arriving.grow(count, characters),
      refer: (references) => arriving.refer(references),
      finish: async (idempotency) => (await end(idempotency)).result,
      finishFollowed: async (asked, idempotency) => followed(await end(idempotency, asked)),
      abort: () => this.abort(arriving),
    };
  }

  private open(submission: Submission): OpenStream {
    const { store } = this.options;
    const arriving = this.arriving();
    return {
      get count() {
        return arriving.count;
      },
      append: async (inputs) => {
        const jobKey = isAtHand(arriving.jobKey) ? arriving.jobKey : await arriving.jobKey;
        for (const chunk of chunked(inputs)) {
          const from = arriving.count;
          const characters = arriving.characters + charactersOf(chunk);
          const grown = await arriving.grow(from + chunk.length, characters);
          if (!grown.ok) return grown;
          if (!grown.value) {
            await arriving.drop();
            continue;
          }
          const references = inputReferences(chunk, from);
          const referred = await arriving.refer(references);
          if (!referred.ok) return referred;
          const blobs = [...references.blobs.keys()];
          if (!(await store.stageInputs(jobKey, from, chunk, blobs))) return lostMeanwhile;
          await this.turn();
        }
        return { ok: true, value: null };
      },
      end: (idempotency, asked) => this.end(submission, arriving, { idempotency, asked }),
      abort: () => this.abort(arriving),
    };
  }

  private arriving(by?: string): Arriving {
    const touch = (references: BlobReferences) => this.touch(references);
    return new Arriving({ ...this.options, quotas: this.quotas, touch, by });
  }

  private async end(
    submission: Submission,
    arriving: Arriving,
    how: Pick<CommitOptions, 'idempotency' | 'asked'>,
  ): Promise<Entered> {
    const { count, characters, room, isKept, haveBytes } = arriving;
    const jobKey = await arriving.jobKey;
    const isSealed = await arriving.seal();
    const prepared = isAlone(submission) ? alone(submission) : await this.prepare(submission);
    if (!isSealed || !prepared.ok) {
      await this.abort(arriving);
      return { result: prepared.ok ? lostMeanwhile : prepared };
    }
    const { job, blobs } = prepared.value;
    const blobGeneration = blobs.length > 0 ? arriving.generation : arriving.blobGeneration;
    const made = { key: jobKey, taskCount: count, rangeStart: null };
    const kept = isKept ? { staged: count } : {};
    const staged = { inputs: [], ...kept, characters, blobs, blobGeneration, haveBytes };
    const committed = await this.commit(job, made, staged, { ...how, room });
    // The answer was an earlier job, or a refusal: the staged inputs belong to no job.
    if (committed.isNew) arriving.leave();
    else await this.abort(arriving);
    return committed;
  }

  private async abort(arriving: Arriving): Promise<void> {
    arriving.leave();
    if (await arriving.drop()) this.options.onDropped();
  }

  private commit(
    submission: Submission,
    made: Pick<JobSpec, 'key' | 'taskCount' | 'rangeStart'>,
    { inputs, staged, characters, blobs, blobGeneration, haveBytes }: Payload,
    { idempotency, asked, room }: CommitOptions,
  ): Promise<Committed> {
    const { loop, runtime, state, results, usualTimes } = this.options;
    const { owner } = this;
    const id = runtime.newId();
    const name = idempotency && ownKey(owner, idempotency.key);
    return loop.ask<Committed>(
      (batch) => {
        const earlier = idempotency && replay(batch, name!, idempotency);
        if (earlier?.ok === false) return () => ({ result: earlier, isNew: false });
        if (earlier !== undefined) {
          const { value: row } = earlier;
          const result = { ok: true, value: jobSummary(row) } as const;
          return () => ({ result, isNew: false, lines: asked && results.join(row, false, asked) });
        }
        const { at } = batch;
        const { generation } = state;
        if (blobGeneration !== null && blobGeneration !== generation) {
          return () => ({ result: clearedMeanwhile, isNew: false });
        }
        const storedBytes = characters + charactersOfProgram(submission);
        const rejection = this.refuse(submission, made.taskCount, storedBytes, room, at);
        if (rejection !== undefined)
          return () => ({ result: { ok: false, rejection }, isNew: false });
        const about = { id, ...made, owner, generation, createdAt: at };
        const spec = specOf(submission, about, haveBytes);
        const { program: code, shared } = submission;
        const program = programText({ program: code, shared });
        const before = staged === undefined ? {} : { staged };
        batch.addPayload({ jobKey: made.key, program, inputs, ...before });
        for (const sha256 of blobs) batch.addBlobReference({ jobKey: made.key, sha256 });
        if (idempotency !== undefined) {
          const { bodyHash } = idempotency;
          batch.addIdempotencyKey({
            key: name!,
            bodyHash,
            jobId: id,
            jobKey: made.key,
            createdAt: at,
          });
        }
        const presumedTaskMs = usualTimes.presume(spec, program.sha256);
        batch.execute({ type: 'submit_job', spec, storedBytes, presumedTaskMs, at });
        batch.about(id);
        this.quotas?.countSubmission(at);
        room?.holding?.settle();
        const job = state.jobs.get(id)!;
        return () => {
          const row = jobRow(job);
          const result = { ok: true, value: jobSummary(row) } as const;
          return { result, isNew: true, lines: asked && results.join(row, true, asked) };
        };
      },
      {
        bytes: (inputs.length > 0 ? characters : 0) + charactersOfProgram(submission),
        wants: (wanted) => {
          if (name !== undefined) wanted.idempotencyKeys.add(name);
        },
      },
    );
  }

  /** Why a quota does not let it in. What a stream has taken of the room is counted already. */
  private refuse(
    submission: Submission,
    taskCount: number,
    storedBytes: number,
    room: Room | undefined,
    at: number,
  ): Rejection<ErrorCode> | undefined {
    if (this.quotas === undefined) return undefined;
    if (room?.refusal !== undefined) return room.refusal;
    const bytes = storedBytes - (room?.taken ?? 0);
    const kept = { holding: room?.holding, bytes };
    return this.quotas.refuseJob({ ...submission, taskCount }, kept, at);
  }

  private touch(references: BlobReferences): ReturnType<Blobs['touch']> {
    return this.options.blobs.touch(references, this.seesAll ? undefined : this.owner);
  }

  /** All that the tasks of the job need is there until its commit, and a long shared value is in a blob. */
  private async prepare(submission: Submission): Promise<Result<Prepared>> {
    const { blobs } = this.options;
    let { shared } = submission;
    if (shared !== undefined && Buffer.byteLength(shared) > mostSharedBytes) {
      const { owner, quotas } = this;
      const put = await blobs.put(shared, this.seesAll ? undefined : { owner, quotas });
      if (!put.ok) return put;
      shared = blobReference(put.value);
    }
    const job = { ...submission, ...(shared === undefined ? {} : { shared }) };
    const rejection = await blobs.touchProgram(job, this.seesAll ? undefined : this.owner);
    if (rejection !== undefined) return { ok: false, rejection };
    return { ok: true, value: { job, blobs: [...programReferences(job).keys()] } };
  }

  private full(): Result<never> {
    return { ok: false, rejection: { code: 'disk_full', detail: this.options.disk.detail } };
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

/** What was taken for a submission before its commit. */
type Room = Pick<StreamRoom, 'holding' | 'refusal' | 'taken'>;

/** What is stored by the commit of its job; empty when it was staged before. */
interface Payload {
  readonly inputs: readonly string[];
  /** So many were. */
  readonly staged?: number;
  /** Of all inputs, staged ones too. */
  readonly characters: number;
  /** Hashes of blobs that the job refers to. */
  readonly blobs: readonly string[];
  /** The generation in which the blobs were found; null when no input refers to any. */
  readonly blobGeneration: number | null;
  /** Some inputs stand for bytes. */
  readonly haveBytes: boolean;
}

interface Prepared {
  readonly job: Submission;
  /** Hashes of blobs that all of its tasks need. */
  readonly blobs: readonly string[];
}

/** Its tasks need nothing but its source, as those of most jobs. */
function isAlone({ program, shared }: Submission): boolean {
  return program.kind === 'javascript' && shared === undefined;
}

function alone(job: Submission): { readonly ok: true; readonly value: Prepared } {
  return { ok: true, value: { job, blobs: [] } };
}

const crowded: Result<never> = {
  ok: false,
  rejection: {
    code: 'busy',
    detail: 'Too much waits to be decided; nothing of this job was kept. Try again in a moment.',
  },
};

const lostMeanwhile: Result<never> = {
  ok: false,
  rejection: { code: 'busy', detail: inputsLost },
};

const clearedMeanwhile: Result<never> = {
  ok: false,
  rejection: {
    code: 'validation_failed',
    detail: 'The database was cleared meanwhile; upload the blobs of the inputs again.',
  },
};

interface CommitOptions {
  readonly idempotency: Idempotency | undefined;
  /** By whoever follows the job from its commit on. */
  readonly asked?: FollowAsked | undefined;
  readonly room?: Room | undefined;
}

interface Entered {
  readonly result: Result<JobSummary>;
  /** There when the job is, and it was asked for them. */
  readonly lines?: AsyncIterable<string[]> | undefined;
}

interface Committed extends Entered {
  readonly isNew: boolean;
}

interface OpenStream extends Pick<StreamedSubmission, 'append' | 'count' | 'abort'> {
  readonly end: (idempotency: Idempotency | undefined, asked?: FollowAsked) => Promise<Entered>;
}

function followed({ result, lines }: Entered): Result<FollowedJob> {
  return result.ok ? { ok: true, value: { job: result.value, lines: lines! } } : result;
}

/**
 * When the idempotency key was used before: the job that it made, if the same was submitted. A key goes
 * with its job: when this very batch has removed the job, the key counts as new.
 */
function replay(
  batch: Batch,
  name: string,
  { key, bodyHash }: Idempotency,
): Result<JobRow> | undefined {
  const earlier = batch.findIdempotencyKey(name);
  const job = earlier && batch.findJob(earlier.jobId);
  if (earlier === undefined || job === undefined) return undefined;
  if (earlier.bodyHash !== bodyHash) {
    const detail = `The key "${key}" came with another body before; use a new key for a new job.`;
    return { ok: false, rejection: { code: 'idempotency_conflict', detail } };
  }
  return { ok: true, value: jobRow(job) };
}

/**
 * Under which a key is stored: keys of two owners never meet. Clients' keys are of visible characters, so the
 * admin's, which stand for themselves, are none of these.
 */
function ownKey(owner: string, key: string): string {
  return owner === adminOwner ? key : `${owner}\n${key}`;
}

/** Counted without parsing or measuring it anew for every job. */
function charactersOfProgram({ program, shared = '' }: Submission): number {
  if (program.kind === 'javascript') return program.source.length + shared.length;
  return programText({ program, shared: undefined }).json.length + shared.length;
}

function specOf(
  submission: Submission,
  made: Pick<
    JobSpec,
    'id' | 'key' | 'owner' | 'generation' | 'taskCount' | 'rangeStart' | 'createdAt'
  >,
  haveBytes: boolean,
): JobSpec {
  const { program, shared, requirements: asked, ...rest } = submission;
  const handed: readonly Handed[] = [
    ...(haveBytes ? (['bytes'] as const) : []),
    ...(shared === undefined ? [] : (['shared'] as const)),
  ];
  const requirements = handed.length === 0 ? asked : { ...asked, hands: handed };
  return { ...rest, requirements, programKind: kindOf(program), ...made };
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
