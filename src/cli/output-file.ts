// Writes a file that appears only when it is complete: it is written under another name, then renamed.

import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { CommandFailure } from './command-failure.ts';

/** Writes JSON texts: a file that ends in `.json` gets one array, any other a line for each. */
export async function writeResults(
  path: string,
  folder: string,
  texts: AsyncIterable<string>,
): Promise<number> {
  const file = resolve(folder, path);
  const draft = `${file}.${process.pid}.partial`;
  const isArray = path.toLowerCase().endsWith('.json');
  let count = 0;
  try {
    const stream = createWriteStream(draft);
    const done = finished(stream);
    done.catch(() => {}); // The error is thrown below, by the write or the end that fails.
    const write = async (text: string) => {
      if (!stream.write(text)) await Promise.race([done, drained(stream)]);
    };
    for await (const text of texts) {
      if (isArray) await write(count === 0 ? `[\n${text}` : `,\n${text}`);
      else await write(`${text}\n`);
      count++;
    }
    if (isArray) await write(count === 0 ? '[]\n' : '\n]\n');
    stream.end();
    await done;
    await rename(draft, file);
    return count;
  } catch (error) {
    await rm(draft, { force: true });
    throw cannotWrite(path, error);
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
