// Writes the results of a job into a file, in the form that its ending names. The file appears only when it is
// complete: it is written under another name, then renamed.

import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { CommandFailure } from './command-failure.ts';
import { CsvColumns, exactResult } from './result-csv.ts';

/**
 * Writes JSON texts: one array into a `.json` file, a table into a `.csv` file, and into any other a line
 * for each.
 */
export async function writeResults(
  path: string,
  folder: string,
  texts: AsyncIterable<string>,
): Promise<number> {
  const file = resolve(folder, path);
  const ending = path.toLowerCase();
  try {
    if (ending.endsWith('.csv')) return await writeTable(file, texts);
    if (ending.endsWith('.json')) return await writeArray(file, texts);
    return await writeLines(file, texts);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

function writeLines(file: string, texts: AsyncIterable<string>): Promise<number> {
  return writeDraft(file, async (draft) => {
    let count = 0;
    for await (const text of texts) {
      await draft.write(`${text}\n`);
      count++;
    }
    return count;
  });
}

function writeArray(file: string, texts: AsyncIterable<string>): Promise<number> {
  return writeDraft(file, async (draft) => {
    let count = 0;
    for await (const text of texts) await draft.write(count++ === 0 ? `[\n${text}` : `,\n${text}`);
    await draft.write(count === 0 ? '[]\n' : '\n]\n');
    return count;
  });
}

/** Only the last result tells which columns there are, so the results are kept as lines until then. */
async function writeTable(file: string, texts: AsyncIterable<string>): Promise<number> {
  const lines = `${file}.${process.pid}.lines`;
  const columns = new CsvColumns();
  async function* noted() {
    for await (const text of texts) {
      columns.add(exactResult(text));
      yield text;
    }
  }
  try {
    const count = await writeLines(lines, noted());
    await writeDraft(file, async (draft) => {
      await draft.write(columns.header());
      for await (const line of createInterface({ input: createReadStream(lines) })) {
        await draft.write(columns.row(exactResult(line)));
      }
    });
    return count;
  } finally {
    await rm(lines, { force: true });
  }
}

async function writeDraft<T>(file: string, fill: (draft: Draft) => Promise<T>): Promise<T> {
  const path = `${file}.${process.pid}.partial`;
  const draft = new Draft(path);
  try {
    const filled = await fill(draft);
    await draft.end();
    await rename(path, file);
    return filled;
  } catch (error) {
    draft.abandon();
    await rm(path, { force: true });
    throw error;
  }
}

class Draft {
  readonly #stream: WriteStream;
  readonly #done: Promise<void>;

  constructor(path: string) {
    this.#stream = createWriteStream(path);
    this.#done = finished(this.#stream);
    this.#done.catch(() => {}); // The error is thrown by the write or the end that fails.
  }

  async write(text: string): Promise<void> {
    if (!this.#stream.write(text)) await Promise.race([this.#done, drained(this.#stream)]);
  }

  async end(): Promise<void> {
    this.#stream.end();
    await this.#done;
  }

  abandon(): void {
    this.#stream.destroy();
  }
}

/** The path relative to the folder; a file outside of the folder is named in full. */
export function shownPath(file: string, folder: string): string {
  const path = relative(folder, file);
  return path.startsWith('..') ? file : path;
}

/** Turns an error of the file system into a `CommandFailure`; returns other errors as they are. */
export function cannotWrite(path: string, error: unknown): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error;
  const why =
    code === 'ENOENT'
      ? 'its folder does not exist'
      : code === 'EACCES' || code === 'EPERM'
        ? 'it may not be written'
        : code === 'ENOSPC'
          ? 'the disk is full'
          : message;
  return new CommandFailure('usage', `"${path}" cannot be written: ${why}.`, [], error);
}

function drained(stream: NodeJS.EventEmitter): Promise<void> {
  return new Promise((done) => stream.once('drain', () => done()));
}
