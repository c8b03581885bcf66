// Writes the results of a job, or a text, into a file; results in the form that its ending names. The file appears only when it is
// complete: it is written under another name, then renamed. A pipe or a device is written as it is.

import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { CommandFailure } from './command-failure.ts';
import { CsvColumns, exactResult } from './result-csv.ts';
import { linesOf } from './text-lines.ts';

/**
 * Writes JSON texts: one array into a `.json` file, a table into a `.csv` file, and into any other a line
 * for each.
 */
export async function writeResults(
  path: string,
  folder: string,
  texts: AsyncIterable<string>,
): Promise<number> {
  const target = await outputTarget(path, folder);
  const ending = path.toLowerCase();
  try {
    if (ending.endsWith('.csv')) return await writeTable(target, texts);
    if (ending.endsWith('.json')) return await writeArray(target, texts);
    return await writeLines(target, texts);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** Writes a text that is there, or comes, in pieces. */
export async function writeText(
  path: string,
  folder: string,
  pieces: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  const target = await outputTarget(path, folder);
  try {
    await writeDraft(target, async (draft) => {
      for await (const piece of pieces) await draft.write(piece);
    });
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** Throws `CommandFailure` where a file cannot be written: before hours are spent for it. */
export async function assertWritable(paths: readonly string[], folder: string): Promise<void> {
  for (const path of paths) await outputTarget(path, folder);
}

/** A sentence when the ending of a file leads to expect what is not written; empty when it does not. */
export function formNote(path: string): string {
  const ending = extname(path).toLowerCase();
  if (ending === '' || FORMS.has(ending)) return '';
  return `"${path}" gets lines of JSON (NDJSON); other forms are .json and .csv`;
}

const FORMS = new Set(['.ndjson', '.jsonl', '.json', '.csv']);

interface Target {
  readonly file: string;
  /** A pipe, a device: nothing may take its place. */
  readonly isStream: boolean;
}

/** Where a path leads. Throws when nothing can be written there, so it is asked before a job is waited for. */
export async function outputTarget(path: string, folder: string): Promise<Target> {
  const file = resolve(folder, path);
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory() === true) {
    throw new CommandFailure('usage', `"${path}" is a folder; name a file in it.`);
  }
  if (found !== undefined) {
    // A link goes on to lead to its file.
    return found.isFile()
      ? { file: await realpath(file), isStream: false }
      : { file, isStream: true };
  }
  const parent = await stat(dirname(file)).catch(() => undefined);
  if (parent?.isDirectory() === true) return { file, isStream: false };
  throw new CommandFailure('usage', `"${path}" cannot be written: its folder does not exist.`);
}

function writeLines(target: Target, texts: AsyncIterable<string>): Promise<number> {
  return writeDraft(target, async (draft) => {
    let count = 0;
    for await (const text of texts) {
      await draft.write(`${text}\n`);
      count++;
    }
    return count;
  });
}

function writeArray(target: Target, texts: AsyncIterable<string>): Promise<number> {
  return writeDraft(target, async (draft) => {
    let count = 0;
    for await (const text of texts) await draft.write(count++ === 0 ? `[\n${text}` : `,\n${text}`);
    await draft.write(count === 0 ? '[]\n' : '\n]\n');
    return count;
  });
}

/** Only the last result tells which columns there are, so the results are kept as lines until then. */
async function writeTable(target: Target, texts: AsyncIterable<string>): Promise<number> {
  const { file, isStream } = target;
  const beside = isStream ? join(tmpdir(), basename(file)) : file;
  const lines = `${beside}.${process.pid}.lines`;
  const columns = new CsvColumns();
  async function* noted() {
    for await (const text of texts) {
      columns.add(exactResult(text));
      yield text;
    }
  }
  try {
    const count = await writeLines({ file: lines, isStream: false }, noted());
    await writeDraft(target, async (draft) => {
      await draft.write(columns.header());
      for await (const line of linesOf(createReadStream(lines), lines)) {
        await draft.write(columns.row(exactResult(line)));
      }
    });
    return count;
  } finally {
    await rm(lines, { force: true });
  }
}

async function writeDraft<T>(
  { file, isStream }: Target,
  fill: (draft: Draft) => Promise<T>,
): Promise<T> {
  const path = isStream ? file : `${file}.${process.pid}.partial`;
  const draft = new Draft(path);
  try {
    const filled = await fill(draft);
    await draft.end();
    if (!isStream) await rename(path, file);
    return filled;
  } catch (error) {
    await draft.abandon();
    if (!isStream) await rm(path, { force: true });
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

  /** Resolves when it is closed: before that the file may still come into being. */
  async abandon(): Promise<void> {
    const stream = this.#stream.destroy();
    if (!stream.closed) await new Promise<void>((done) => void stream.once('close', () => done()));
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
