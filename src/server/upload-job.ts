// Takes a job that arrives as NDJSON: the job without its inputs in the first line, then one input a line. Its lines are read
// here, or by another member of the cluster, which stores the inputs and tells how many there are. The job is invisible
// until all of it has arrived and is committed.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Coordinator } from '../coordinator/port/coordinator.ts';
import type {
  FollowAsked,
  FollowedJob,
  Idempotency,
  StagedSubmission,
  StreamedSubmission,
  Submission,
} from '../coordinator/port/jobs.ts';
import type { Limits } from '../protocol/limits.ts';
import type { IdempotencyKey } from './idempotency.ts';
import type { InFlight } from './in-flight.ts';
import { JobLines } from './job-lines.ts';
import { type JobReceipt, jobReceiptsOf, sayJobKey } from './job-receipts.ts';
import { accepted, ClientGone, Refusal } from './refusal.ts';
import { discardRest, refuseEncoded } from './request-body.ts';
import { sayTaken, unreadableReceipt } from './staged-receipts.ts';
import { checkPriorities, type SubmissionReader } from './submission.ts';

/** The lines are there where it was asked for them. */
export type Submitted = Pick<FollowedJob, 'job'> & Partial<Pick<FollowedJob, 'lines'>>;

export interface UploadContext {
  readonly coordinator: Pick<Coordinator, 'submissions'>;
  readonly limits: Limits;
  readonly inFlight: InFlight;
  readonly reader: SubmissionReader;
}

export async function uploadJob(
  context: UploadContext,
  request: FastifyRequest,
  key: IdempotencyKey | null,
  asked?: FollowAsked,
): Promise<Submitted> {
  refuseEncoded(request);
  const { inFlight } = context;
  const upload = new Upload(context);
  const hold = inFlight.hold(false);
  try {
    const onBytes = (bytes: Buffer) => key?.take(bytes);
    const rest = await upload.lines.read(request.raw, { inFlight, hold, onBytes });
    return await upload.finish(rest, key?.finish(), asked);
  } catch (error) {
    await upload.abort();
    discardRest(request.raw);
    throw error;
  } finally {
    hold.release();
  }
}

class Upload {
  readonly lines: JobLines;
  private readonly context: UploadContext;
  private submission: Submission | null = null;
  private stream: StreamedSubmission | null = null;

  constructor(context: UploadContext) {
    this.context = context;
    this.lines = new JobLines(context.limits, {
      begin: async (line) => {
        this.submission = await context.reader.readHead(line);
      },
      store: (inputs) => this.store(inputs),
    });
  }

  /** `rest`: inputs that were not stored. */
  async finish(
    rest: readonly string[],
    idempotency: Idempotency | undefined,
    asked: FollowAsked | undefined,
  ): Promise<Submitted> {
    const submission = this.submission!;
    checkPriorities(submission, this.lines.inputCount);
    const { stream } = this;
    if (stream === null) return submitFew(this.context, submission, rest, idempotency, asked);
    if (rest.length > 0) await this.store(rest);
    if (asked === undefined) return { job: accepted(await stream.finish(idempotency)) };
    return accepted(await stream.finishFollowed(asked, idempotency));
  }

  async abort(): Promise<void> {
    await this.stream?.abort();
  }

  private async store(inputs: readonly string[]): Promise<void> {
    this.stream ??= this.context.coordinator.submissions.stream(this.submission!);
    accepted(await this.stream.append(inputs));
  }
}

/** The same by the receipts of the member that reads the lines. */
export async function uploadStagedJob(
  context: UploadContext,
  request: FastifyRequest,
  reply: FastifyReply,
  key: IdempotencyKey | null,
  asked?: FollowAsked,
): Promise<Submitted> {
  refuseEncoded(request);
  const { inFlight, limits } = context;
  const upload = new StagedUpload(context, (jobKey) => sayJobKey(reply.raw, jobKey));
  const hold = inFlight.hold(false);
  try {
    sayTaken(reply.raw, true);
    for await (const receipt of jobReceiptsOf(request.raw, limits, inFlight, hold)) {
      const isLast = receipt[0] === 'few' || receipt[0] === 'whole';
      if (isLast) return await upload.finish(receipt, idempotencyOf(key, receipt[1]), asked);
      const isWanted = await upload.take(receipt);
      if (!isWanted) sayTaken(reply.raw, false);
    }
    throw new ClientGone('The member that reads the job went away.');
  } catch (error) {
    await upload.abort();
    discardRest(request.raw);
    throw error;
  } finally {
    hold.release();
  }
}

function idempotencyOf(key: IdempotencyKey | null, bodyHash: string | null) {
  if (key === null) return undefined;
  if (bodyHash === null) throw unreadableReceipt();
  return key.finishAs(bodyHash);
}

type LastReceipt = Extract<JobReceipt, readonly ['few' | 'whole', ...unknown[]]>;

class StagedUpload {
  private readonly context: UploadContext;
  private readonly onKey: (jobKey: number) => void;
  private submission: Submission | null = null;
  private staged: StagedSubmission | null = null;
  private isWanted = true;

  constructor(context: UploadContext, onKey: (jobKey: number) => void) {
    this.context = context;
    this.onKey = onKey;
  }

  /** False when it has turned out that there is no room for the inputs. */
  async take(receipt: Exclude<JobReceipt, LastReceipt>): Promise<boolean> {
    switch (receipt[0]) {
      case 'job':
        await this.begin(Buffer.from(receipt[1], 'base64'), receipt[2]);
        return true;
      case 'refused':
        throw new Refusal(receipt[1], receipt[2]);
      case 'blobs':
        accepted(await this.begun.refer({ blobs: new Map(receipt[1]), haveBytes: receipt[2] }));
        return true;
      case 'arrived': {
        // Nothing may have come yet, not even the first line: it is a sign of life.
        if (receipt[1] === 0) return true;
        const isKept = accepted(await this.begun.arrived(receipt[1], receipt[2]));
        const isNew = this.isWanted && !isKept;
        this.isWanted = isKept;
        return !isNew;
      }
    }
  }

  async finish(
    receipt: LastReceipt,
    idempotency: Idempotency | undefined,
    asked: FollowAsked | undefined,
  ): Promise<Submitted> {
    const { begun, context } = this;
    const submission = this.submission!;
    if (receipt[0] === 'few') {
      checkPriorities(submission, receipt[2].length);
      await begun.abort();
      return submitFew(context, submission, receipt[2], idempotency, asked);
    }
    const [, , count, characters] = receipt;
    checkPriorities(submission, count);
    accepted(await begun.arrived(count, characters));
    if (asked === undefined) return { job: accepted(await begun.finish(idempotency)) };
    return accepted(await begun.finishFollowed(asked, idempotency));
  }

  async abort(): Promise<void> {
    await this.staged?.abort();
  }

  private async begin(line: Buffer, by: string): Promise<void> {
    if (this.staged !== null) throw unreadableReceipt();
    const { reader, coordinator } = this.context;
    this.submission = await reader.readHead(line);
    this.staged = coordinator.submissions.streamStaged(this.submission, by);
    this.onKey(await this.staged.key());
  }

  private get begun(): StagedSubmission {
    if (this.staged === null) throw unreadableReceipt();
    return this.staged;
  }
}

/** Few inputs need no write of their own: they come with the commit of their job. */
async function submitFew(
  { coordinator: { submissions } }: UploadContext,
  submission: Submission,
  inputs: readonly string[],
  idempotency: Idempotency | undefined,
  asked: FollowAsked | undefined,
): Promise<Submitted> {
  const few = { type: 'list', inputs } as const;
  if (asked === undefined) {
    return { job: accepted(await submissions.submit(submission, few, idempotency)) };
  }
  return accepted(await submissions.submitFollowed(submission, few, asked, idempotency));
}
