// The audit log as a file for programs that collect it: a line of JSON for each entry, written in the background
// after its commit. At some size the file is set aside, and the oldest of those goes. What cannot be written is
// tried again; nobody waits for it.

import { chmod, open, rename, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { AuditEntry } from '../../store/rows.ts';

const gatherMs = 200;
const retryMs = 30_000;
const usualBytes = 16_000_000;
const keptFiles = 8;
/** While the file cannot be written; what comes then is in the database alone. */
const mostWaiting = 10_000;
const privateMode = 0o600;
const lineBreak = 10;

export function auditFilePath(dataDir: string): string {
  return join(dataDir, 'audit.ndjson');
}

interface Place {
  readonly path: string;
  /** From this size on it is set aside. */
  readonly mostBytes?: number;
  readonly openFile?: (path: string) => Promise<Opened>;
}

type Opened = Pick<FileHandle, 'appendFile' | 'close' | 'stat' | 'read'>;

export class AuditFile {
  readonly #path: string;
  readonly #mostBytes: number;
  readonly #openFile: (path: string) => Promise<Opened>;
  readonly #log: Pick<Logger, 'error' | 'warn'>;
  #waiting: string[] = [];
  #leftOut = 0;
  #isFailing = false;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor(place: Place, log: Pick<Logger, 'error' | 'warn'>) {
    this.#path = place.path;
    this.#mostBytes = place.mostBytes ?? usualBytes;
    this.#openFile = place.openFile ?? openPrivate;
    this.#log = log;
  }

  add(entries: readonly AuditEntry[]): void {
    for (const entry of entries) {
      if (this.#waiting.length < mostWaiting) this.#waiting.push(`${lineOf(entry)}\n`);
      else this.#leftOut++;
    }
    this.#writeLater(gatherMs);
  }

  /** What waits is written, if it can be. */
  async stop(): Promise<void> {
    await this.#writing;
    await this.#write();
    clearTimeout(this.#timer);
  }

  #writeLater(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#writing ??= this.#write().finally(() => {
        this.#writing = undefined;
        if (this.#waiting.length > 0) this.#writeLater(this.#isFailing ? retryMs : gatherMs);
      });
    }, ms).unref();
  }

  async #write(): Promise<void> {
    if (this.#waiting.length === 0) return;
    try {
      const file = await this.#openFile(this.#path);
      try {
        await this.#append(file);
      } finally {
        await file.close();
      }
      this.#recovered();
      const { size } = await stat(this.#path);
      if (size >= this.#mostBytes) await this.#setAside();
    } catch (error) {
      this.#failed(error as Error);
    }
  }

  /** After a failure, lines that have been written whole do not wait any more. */
  async #append(file: Opened): Promise<void> {
    const lines = this.#waiting;
    const { size: before } = await file.stat();
    const isTorn = before > 0 && (await lastByte(file, before)) !== lineBreak;
    // What a crash has cut off stays a line of its own.
    const begin = isTorn ? '\n' : '';
    const count = lines.length;
    try {
      await file.appendFile(begin + lines.slice(0, count).join(''));
      this.#waiting = this.#waiting.slice(count);
    } catch (error) {
      const { size } = await file.stat();
      let written = size - before - begin.length;
      while (this.#waiting.length > 0 && written >= Buffer.byteLength(this.#waiting[0]!)) {
        written -= Buffer.byteLength(this.#waiting.shift()!);
      }
      throw error;
    }
  }

  async #setAside(): Promise<void> {
    const aside = (number: number) => this.#path.replace(/\.ndjson$/, `.${number}.ndjson`);
    for (let number = keptFiles - 1; number >= 1; number--) {
      await rename(aside(number), aside(number + 1)).catch(ignoreMissing);
    }
    await rename(this.#path, aside(1));
  }

  #failed(error: Error): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#log.error(
      `The audit log cannot be written to ${this.#path} (${error.message}). Work goes on, and the database ` +
        'has all of it; the file is tried again every half a minute.',
    );
  }

  #recovered(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    const left = this.#leftOut;
    this.#leftOut = 0;
    const missing = left === 0 ? '' : `; ${left} entries are in the database alone`;
    this.#log.warn(`The audit log is written to ${this.#path} again${missing}.`);
  }
}

function lineOf(entry: AuditEntry): string {
  const { at, action, object, outcome, code, count, tokenId, role, owner, address } = entry;
  const who = { token_id: tokenId, role, owner, address };
  const time = new Date(at).toISOString();
  return JSON.stringify({ at: time, action, object, outcome, code, count, ...who });
}

async function openPrivate(path: string): Promise<Opened> {
  const file = await open(path, 'a+', privateMode);
  const { mode } = await file.stat();
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) await chmod(path, privateMode);
  return file;
}

async function lastByte(file: Opened, size: number): Promise<number | undefined> {
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0];
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
