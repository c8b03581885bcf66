// A job that arrives as NDJSON: the job without its inputs in the first line, then one input a line,
// kept as the text that it is. Nobody sees anything of it before all of it is there and committed.

import type { FastifyRequest } from 'fastify';
import type {
  Coordinator,
  Idempotency,
  StreamedSubmission,
  Submission,
} from '../coordinator/port.ts';
import type { Limits } from '../protocol/limits.ts';
import type { JobSummary } from '../protocol/resources.ts';
import type { IdempotencyKey } from './idempotency.ts';
import { parseJson } from './json-text.ts';
import { type LineLimits, readLines, refuseLong } from './line-reader.ts';
import { accepted, Refusal } from './refusal.ts';
import { discardRest, refuseEncoded } from './request-body.ts';
import { checkPriorities, type SubmissionReader } from './submission.ts';

export interface UploadRoom {
  readonly coordinator: Coordinator;
  readonly limits: Limits;
  readonly reader: SubmissionReader;
}

export async function uploadJob(
  room: UploadRoom,
  request: FastifyRequest,
  key: IdempotencyKey | null,
): Promise<JobSummary> {
  refuseEncoded(request);
  const upload = new Upload(room);
  try {
    const lineLimits = { firstBytes: room.limits.bodyBytes, otherBytes: room.limits.inputBytes };
    const onBytes = key === null ? undefined : (bytes: Buffer) => key.take(bytes);
    for await (const { firstNumber, lines } of readLines(request.raw, lineLimits, onBytes)) {
      await upload.take(firstNumber, lines, lineLimits);
    }
    return await upload.finish(key?.finish());
  } catch (error) {
    await upload.abort();
    discardRest(request.raw);
    throw error;
  }
}

class Upload {
  private readonly room: UploadRoom;
  private submission: Submission | null = null;
  private stream: StreamedSubmission | null = null;
  private inputCount = 0;
  /** Number of the first empty line; only empty ones may follow. */
  private emptyLine = 0;

  constructor(room: UploadRoom) {
    this.room = room;
  }

  async take(firstNumber: number, lines: readonly string[], limits: LineLimits): Promise<void> {
    const inputs: string[] = [];
    for (let i = 0; i < lines.length; i++) {
      const number = firstNumber + i;
      const line = this.cleaned(lines[i]!, number);
      if (line === null) continue;
      if (line.length * 3 > limits.otherBytes) refuseLong(Buffer.byteLength(line), number, limits);
      const parsed = parseJson(line);
      if (!parsed.ok) throw invalidLine(`Line ${number} is ${parsed.problem}.`);
      if (number > 1) inputs.push(line);
      else this.begin(parsed.value);
    }
    if (inputs.length === 0) return;
    this.inputCount += inputs.length;
    this.checkCount();
    accepted(await this.stream!.append(inputs));
  }

  async finish(idempotency: Idempotency | undefined): Promise<JobSummary> {
    if (this.stream === null || this.submission === null) {
      throw invalidLine('The body is empty; its first line must be the job without "inputs".');
    }
    if (this.inputCount === 0) {
      throw invalidLine('There is no input: after the job, each line must be one input.');
    }
    checkPriorities(this.submission, this.inputCount);
    return accepted(await this.stream.finish(idempotency));
  }

  async abort(): Promise<void> {
    await this.stream?.abort();
  }

  private begin(job: unknown): void {
    this.submission = this.room.reader.readHead(job);
    this.stream = this.room.coordinator.streamJob(this.submission);
  }

  /** Without the white space around it; null for an empty line. */
  private cleaned(raw: string, number: number): string | null {
    const line = raw.trim();
    if (line === '') {
      if (number === 1) throw invalidLine('Line 1 is empty; it must be the job without "inputs".');
      if (this.emptyLine === 0) this.emptyLine = number;
      return null;
    }
    if (this.emptyLine === 0) return line;
    throw invalidLine(`Line ${this.emptyLine} is empty; each line must be one input.`);
  }

  private checkCount(): void {
    const { inputsPerJob } = this.room.limits;
    if (this.inputCount <= inputsPerJob) return;
    throw invalidLine(`There are more than ${inputsPerJob} inputs (limit inputs_per_job).`);
  }
}

function invalidLine(detail: string): Refusal {
  return new Refusal('validation_failed', detail);
}
