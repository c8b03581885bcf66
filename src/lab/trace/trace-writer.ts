// Writes the lines of a trace in the background: nobody waits for the disk. What comes faster than it can be written is
// left out, telemetry first, and the trace says how much. At its bound, or when the disk fails, the recording
// ends, and nothing else does.

import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { RecordOf, TraceHead, TraceRecord } from './trace-format.ts';

const gatherMs = 200;
/** While more characters wait than this, telemetry is left out; beyond the second everything. */
const usualMarks = { telemetry: 1_000_000, all: 16_000_000 };
/** Kept free for the last records. */
const endBytes = 1_000;
const privateMode = 0o600;

export interface TraceFile extends Pick<FileHandle, 'appendFile' | 'close'> {}

export interface WriterOptions {
  readonly mostBytes: number;
  /** The recording has ended before it was asked to; nothing else is called afterwards. */
  readonly onEnd: (why: 'full' | Error) => void;
  /** Of what waits; tests make them small. */
  readonly marks?: typeof usualMarks;
}

/** Makes the file, for its owner alone. Rejects with `EEXIST` when there is one. */
export function createTraceFile(path: string): Promise<FileHandle> {
  return open(path, 'wx', privateMode);
}

export class TraceWriter {
  readonly #file: TraceFile;
  readonly #options: WriterOptions;
  readonly #marks: typeof usualMarks;
  #waiting: string[] = [];
  #waitingBytes = 0;
  /** Written, or handed to the file. */
  #writtenBytes = 0;
  #leftOut = { telemetry: 0, others: 0 };
  #isOver = false;
  #hasTold = false;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(file: TraceFile, options: WriterOptions) {
    this.#file = file;
    this.#options = options;
    this.#marks = options.marks ?? usualMarks;
  }

  head(head: TraceHead): void {
    this.#push(`${JSON.stringify(head)}\n`);
  }

  /** `atMs`: now, in the time of the trace. */
  write(record: TraceRecord, atMs: number): void {
    if (this.#isOver) return;
    const isTelemetry = record.type === 'telemetry';
    if (this.#waitingBytes > (isTelemetry ? this.#marks.telemetry : this.#marks.all)) {
      if (isTelemetry) this.#leftOut.telemetry++;
      else this.#leftOut.others++;
      return;
    }
    // Once there is room again: not for each.
    if (this.#waitingBytes <= this.#marks.telemetry) this.#tellLeftOut(atMs);
    // Codes and numbers: a character is a byte.
    const line = `${JSON.stringify(record)}\n`;
    const bytes = this.#writtenBytes + this.#waitingBytes + line.length + endBytes;
    if (bytes <= this.#options.mostBytes) return this.#push(line);
    this.#isOver = true;
    this.#pushEnd('full', atMs);
    this.#tell('full');
    void this.#close();
  }

  /** Everything that waits is written, if it can be; then the file is closed. Once more changes nothing. */
  end(atMs: number): Promise<void> {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#tellLeftOut(atMs);
      this.#pushEnd('stopped', atMs);
    }
    return this.#close();
  }

  #tellLeftOut(at_ms: number): void {
    const { telemetry, others } = this.#leftOut;
    if (telemetry + others === 0) return;
    this.#leftOut = { telemetry: 0, others: 0 };
    this.#push(`${JSON.stringify({ type: 'left_out', at_ms, telemetry, others })}\n`);
  }

  #pushEnd(why: RecordOf<'end'>['why'], at_ms: number): void {
    this.#push(`${JSON.stringify({ type: 'end', at_ms, why } satisfies RecordOf<'end'>)}\n`);
  }

  #push(line: string): void {
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#write();
    }, gatherMs).unref();
  }

  /** Until nothing waits any more. */
  #write(): Promise<void> {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const text = this.#waiting.join('');
        this.#waiting = [];
        this.#waitingBytes = 0;
        this.#writtenBytes += text.length;
        await this.#file.appendFile(text);
      }
    } catch (error) {
      this.#waiting = [];
      this.#waitingBytes = 0;
      this.#isOver = true;
      this.#tell(error as Error);
      void this.#close();
    }
  }

  #close(): Promise<void> {
    this.#closing ??= this.#writeAndClose();
    return this.#closing;
  }

  #tell(why: 'full' | Error): void {
    if (this.#hasTold) return;
    this.#hasTold = true;
    this.#options.onEnd(why);
  }

  async #writeAndClose(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writing;
    await this.#write();
    await this.#file.close().catch(() => undefined); // That it fails was said by a write before.
  }
}
