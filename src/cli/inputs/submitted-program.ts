// The program of a job as it is submitted, by the ending of its file: JavaScript and TypeScript are bundled and checked, a
// module of Python is sent as it is, and one of WebAssembly is uploaded.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { MusterClient } from '../../client/index.ts';
import type { Program } from '../../protocol/program.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { type ProgramFlags, programSource } from './program-source.ts';

/** Kinds of which a file says all. */
export const FILE_KINDS = ['javascript', 'python', 'wasm'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

export interface SubmittedFlags extends ProgramFlags {
  /** By default the ending says it. */
  readonly kind?: FileKind;
}

export async function submittedProgram(
  path: string,
  flags: SubmittedFlags,
  client: Pick<MusterClient, 'putBlob'>,
  context: Context,
): Promise<Program> {
  const kind = flags.kind ?? kindByEnding(path);
  if (kind === 'javascript') return { kind, source: await programSource(path, flags, context) };
  if (flags.with !== undefined) {
    throw new CommandFailure('usage', '--with goes with programs in JavaScript.', [
      'What all tasks share comes with --shared @data.json.',
    ]);
  }
  const bytes = await readFile(resolve(context.folder, path)).catch((cause: unknown) => {
    throw (cause as NodeJS.ErrnoException).code === 'ENOENT'
      ? new CommandFailure('usage', `There is no file "${path}".`)
      : new CommandFailure('usage', `"${path}" cannot be read: ${(cause as Error).message}.`);
  });
  if (kind === 'wasm') return { kind, module: await client.putBlob(bytes) };
  return { kind, source: textOf(bytes, path) };
}

function kindByEnding(path: string): FileKind {
  if (/\.py$/i.test(path)) return 'python';
  return /\.wasm$/i.test(path) ? 'wasm' : 'javascript';
}

/** `--shared`: JSON, or `@FILE` with JSON in it. */
export async function sharedValue(given: string, folder: string): Promise<unknown> {
  const isFile = given.startsWith('@');
  const path = given.slice(1);
  const name = isFile ? `"${path}"` : 'What --shared gives';
  const text = isFile
    ? textOf(
        await readFile(resolve(folder, path)).catch((cause: unknown) => {
          throw new CommandFailure('usage', `${name} cannot be read: ${(cause as Error).message}.`);
        }),
        path,
      )
    : given;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new CommandFailure('usage', `${name} is not JSON: ${(error as Error).message}.`);
  }
}

function textOf(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandFailure('usage', `"${path}" is not a text in UTF-8.`);
  }
}
