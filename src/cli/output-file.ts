// A file that appears only when it is complete: written beside its place, then moved there.

import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { CommandFailure } from './command-failure.ts';

/** Texts one after the other; `.json` makes an array of them, all else one a line. */
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
    done.catch(() => {}); // Told below, by the write or the end that it breaks.
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

/** As short as it can be found from the folder: what lies outside of it is named in full. */
export function shownPath(file: string, folder: string): string {
  const path = relative(folder, file);
  return path.startsWith('..') ? file : path;
}

/** `error` itself when it is not about the file. */
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
