// Takes a job that arrives as NDJSON: the job without its inputs in the first line, then one input
// a line, which stays the text that was sent. The job is invisible until all of it has arrived and
// is committed.

import type { FastifyRequest } from 'fastify';
import type { Coordinator } from '../coordinator/port/coordinator.ts';
import type {
  FollowAsked,
  FollowedJob,
  Idempotency,
  StreamedSubmission,
  Submission,
} from '../coordinator/port/jobs.ts';
import type { Limits } from '../protocol/limits.ts';
import { JsonScanner } from '../protocol/json-scanner.ts';
import { leastUploadRate } from './body-pace.ts';
import type { IdempotencyKey } from './idempotency.ts';
import type { InFlight } from './in-flight.ts';
import { payloadLine } from './json-reader.ts';
import { type LineLimits, type Lines, readLines, refuseLong } from './line-reader.ts';
import { accepted, Refusal } from './refusal.ts';
import { discardRest, isShort, readShort, refuseEncoded } from './request-body.ts';
import { checkPriorities, type SubmissionReader } from './submission.ts';

/** The lines are there where it was asked for them. */
export type Submitted = Pick<FollowedJob, 'job'> & Partial<Pick<FollowedJob, 'lines'>>;

/** A read from the network brings some 64 kB: so many reads are stored in one transaction, a few milliseconds of work. */
const gatheredBytesMax = 512 * 1024;
const gatheredInputsMax = 1_000;

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
  const { limits, inFlight } = context;
  const upload = new Upload(context);
  const hold = inFlight.hold(false);
  try {
    const lineLimits = { firstBytes: limits.bodyBytes, otherBytes: limits.inputBytes };
    if (isShort(request.raw)) {
      const bytes = await readShort(request.raw, inFlight, hold, leastUploadRate);
      key?.take(bytes);
      await upload.take({ firstNumber: 1, bytes }, lineLimits);
    } else {
      const onBytes = key === null ? {} : { onBytes: (bytes: Buffer) => key.take(bytes) };
      const kept = () => upload.gatheredBytes;
      const options = { limits: lineLimits, inFlight, hold, kept, ...onBytes };
      const pieces = readLines(request.raw, options);
      for await (const lines of pieces) await upload.take(lines, lineLimits);
    }
    return await upload.finish(key?.finish(), asked);
  } catch (error) {
    await upload.abort();
    discardRest(request.raw);
    throw error;
  } finally {
    hold.release();
  }
}

class Upload {
  /** Bytes of the inputs that were read and are not stored yet. */
  gatheredBytes = 0;
  private readonly context: UploadContext;
  private submission: Submission | null = null;
  private stream: StreamedSubmission | null = null;
  private gathered: string[] = [];
  private inputCount = 0;
  /** Number of the first empty line, 0 before it; only empty lines may follow. */
  private emptyLine = 0;

  constructor(context: UploadContext) {
    this.context = context;
  }

  async take({ firstNumber, bytes }: Lines, limits: LineLimits): Promise<void> {
    let number = firstNumber;
    for (let from = 0; from < bytes.length; number++) {
      const newline = bytes.indexOf(0x0a, from);
      const to = newline < 0 ? bytes.length : newline;
      const line = this.cleaned(bytes, from, to, number);
      if (line !== null) {
        refuseLong(line.length, number, limits);
        if (number > 1) this.gather(line, number);
        else await this.begin(line);
      }
      from = to + 1;
    }
    this.checkCount();
    const isMuch = this.gatheredBytes >= gatheredBytesMax;
    if (isMuch || this.gathered.length >= gatheredInputsMax) await this.store();
  }

  async finish(idempotency: Idempotency | undefined, asked?: FollowAsked): Promise<Submitted> {
    const { submission, gathered } = this;
    if (submission === null) {
      throw invalidLine('The body is empty; its first line must be the job without "inputs".');
    }
    if (this.inputCount === 0) {
      throw invalidLine('There is no input: after the job, each line must be one input.');
    }
    checkPriorities(submission, this.inputCount);
    // Few inputs need no write of their own: they come with the commit of their job.
    const { submissions } = this.context.coordinator;
    const few = { type: 'list', inputs: gathered } as const;
    const stream = await this.storeRest();
    if (asked === undefined) {
      const job = stream?.finish(idempotency) ?? submissions.submit(submission, few, idempotency);
      return { job: accepted(await job) };
    }
    const followed =
      stream?.finishFollowed(asked, idempotency) ??
      submissions.submitFollowed(submission, few, asked, idempotency);
    return accepted(await followed);
  }

  async abort(): Promise<void> {
    await this.stream?.abort();
  }

  private async begin(line: Buffer): Promise<void> {
    this.submission = await this.context.reader.readHead(line);
  }

  private gather(line: Buffer, number: number): void {
    this.gathered.push(inputText(line, number));
    this.gatheredBytes += line.length;
    this.inputCount++;
  }

  /** Undefined when nothing was stored, since there are few inputs. */
  private async storeRest(): Promise<StreamedSubmission | undefined> {
    if (this.stream !== null && this.gathered.length > 0) await this.store();
    return this.stream ?? undefined;
  }

  private async store(): Promise<void> {
    const { gathered } = this;
    this.gathered = [];
    this.stream ??= this.context.coordinator.submissions.stream(this.submission!);
    accepted(await this.stream.append(gathered));
    // Until now they were in memory.
    this.gatheredBytes = 0;
  }

  /** The line without white space around it; null for an empty line. */
  private cleaned(bytes: Buffer, from: number, to: number, number: number): Buffer | null {
    let first = from;
    let end = to;
    while (first < end && isSpace(bytes[first]!)) first++;
    while (end > first && isSpace(bytes[end - 1]!)) end--;
    if (first === end) {
      if (number === 1) throw invalidLine('Line 1 is empty; it must be the job without "inputs".');
      if (this.emptyLine === 0) this.emptyLine = number;
      return null;
    }
    if (this.emptyLine === 0) return bytes.subarray(first, end);
    throw invalidLine(`Line ${this.emptyLine} is empty; each line must be one input.`);
  }

  private checkCount(): void {
    const { inputsPerJob } = this.context.limits;
    if (this.inputCount <= inputsPerJob) return;
    throw invalidLine(`There are more than ${inputsPerJob} inputs (limit inputs_per_job).`);
  }
}

/** The text of an input as it was sent; scanned, never parsed. */
function inputText(line: Buffer, number: number): string {
  const scanner = new JsonScanner(line);
  scanner.scan();
  if (scanner.problem !== null) throw invalidLine(`Line ${number} is ${scanner.problem}.`);
  return payloadLine(line);
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

function invalidLine(detail: string): Refusal {
  return new Refusal('validation_failed', detail);
}
