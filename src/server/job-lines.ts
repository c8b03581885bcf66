// A job that arrives as NDJSON, line by line: the job without its inputs in the first line, then one input a line, which
// stays the text that was sent. What becomes of them is for whoever takes them: this coordinator, or another of its cluster.

import type { IncomingMessage } from 'node:http';
import { JsonScanner } from '../protocol/json-scanner.ts';
import type { Limits } from '../protocol/limits.ts';
import { leastUploadRate } from './body-pace.ts';
import type { Hold, InFlight } from './in-flight.ts';
import { payloadLine } from './json-reader.ts';
import { type LineLimits, type Lines, readLines, refuseLong } from './line-reader.ts';
import { Refusal } from './refusal.ts';
import { isShort, readShort } from './request-body.ts';

/** A read from the network brings some 64 kB: so many reads are stored in one transaction, a few milliseconds of work. */
const gatheredBytesMax = 512 * 1024;
const gatheredInputsMax = 1_000;

export interface JobSink {
  /** The first line, as it was sent. */
  begin(line: Buffer): Promise<void>;
  /** The next inputs, many at a time. */
  store(inputs: readonly string[]): Promise<void>;
}

export interface LinesRead {
  readonly inFlight: InFlight;
  /** The memory of the lines, which the caller releases. */
  readonly hold: Hold;
  /** Called with the bytes that were read, in order. */
  readonly onBytes: (bytes: Buffer) => void;
}

export class JobLines {
  inputCount = 0;
  /** Some inputs went to the sink. */
  hasStored = false;
  private readonly limits: Limits;
  private readonly sink: JobSink;
  private hasBegun = false;
  private gathered: string[] = [];
  /** Bytes of the inputs that were read and are not stored yet. */
  private gatheredBytes = 0;
  /** Number of the first empty line, 0 before it; only empty lines may follow. */
  private emptyLine = 0;

  constructor(limits: Limits, sink: JobSink) {
    this.limits = limits;
    this.sink = sink;
  }

  /** Reads the whole body. Resolves with the inputs that did not go to the sink: all of them, when there are few. */
  async read(message: IncomingMessage, { inFlight, hold, onBytes }: LinesRead): Promise<string[]> {
    const limits = { firstBytes: this.limits.bodyBytes, otherBytes: this.limits.inputBytes };
    if (isShort(message)) {
      const bytes = await readShort(message, inFlight, hold, leastUploadRate);
      onBytes(bytes);
      await this.take({ firstNumber: 1, bytes }, limits);
    } else {
      const kept = () => this.gatheredBytes;
      const pieces = readLines(message, { limits, inFlight, hold, kept, onBytes });
      for await (const lines of pieces) await this.take(lines, limits);
    }
    if (!this.hasBegun) {
      throw invalidLine('The body is empty; its first line must be the job without "inputs".');
    }
    if (this.inputCount === 0) {
      throw invalidLine('There is no input: after the job, each line must be one input.');
    }
    return this.taken();
  }

  private async take({ firstNumber, bytes }: Lines, limits: LineLimits): Promise<void> {
    let number = firstNumber;
    for (let from = 0; from < bytes.length; number++) {
      const newline = bytes.indexOf(0x0a, from);
      const to = newline < 0 ? bytes.length : newline;
      const line = this.cleaned(bytes, from, to, number);
      if (line !== null) {
        refuseLong(line.length, number, limits);
        if (number > 1) this.gather(line, number);
        else await this.begin(line);
        if (this.isMuch) await this.store();
      }
      from = to + 1;
    }
  }

  private async begin(line: Buffer): Promise<void> {
    this.hasBegun = true;
    await this.sink.begin(line);
  }

  private gather(line: Buffer, number: number): void {
    const { inputsPerJob } = this.limits;
    if (this.inputCount === inputsPerJob) {
      throw invalidLine(`There are more than ${inputsPerJob} inputs (limit inputs_per_job).`);
    }
    this.gathered.push(inputText(line, number));
    this.gatheredBytes += line.length;
    this.inputCount++;
  }

  private get isMuch(): boolean {
    return this.gatheredBytes >= gatheredBytesMax || this.gathered.length >= gatheredInputsMax;
  }

  private async store(): Promise<void> {
    this.hasStored = true;
    await this.sink.store(this.taken());
    // Until now they were in memory.
    this.gatheredBytes = 0;
  }

  /** What was gathered is kept by whoever takes it, and no longer: an answer that is followed may go on for hours. */
  private taken(): string[] {
    const { gathered } = this;
    this.gathered = [];
    return gathered;
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
