// Files as inputs: an input for every file that a pattern names, in the order of their names, each read when
// it is sent.

import { glob, readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CommandFailure } from '../command-failure.ts';
import type { JobInputs } from './job-inputs.ts';

export const FILE_FORMS = ['text', 'name', 'json', 'base64'] as const;
export type FileForm = (typeof FILE_FORMS)[number];

/** Throws at once when the pattern names no file. */
export async function fileInputs(
  pattern: string,
  form: FileForm,
  folder: string,
): Promise<JobInputs> {
  const names: string[] = [];
  for await (const name of glob(pattern, { cwd: folder })) {
    const found = await stat(resolve(folder, name)).catch(() => undefined);
    if (found?.isFile() === true) names.push(name.replaceAll('\\', '/'));
  }
  if (names.length === 0) {
    throw new CommandFailure('usage', `No file here is named like "${pattern}".`, [
      "A pattern stands in quotes, so that the shell leaves it alone: --files 'data/**/*.csv'",
    ]);
  }
  names.sort();
  return {
    type: 'list',
    values: inputsOf(names, form, folder),
    placeOf: (number) => `"${names[number - 1] ?? pattern}"`,
  };
}

async function* inputsOf(
  names: readonly string[],
  form: FileForm,
  folder: string,
): AsyncGenerator<unknown, void, void> {
  for (const name of names) yield form === 'name' ? name : await contentOf(name, form, folder);
}

async function contentOf(name: string, form: FileForm, folder: string): Promise<unknown> {
  const bytes = await readFile(resolve(folder, name)).catch((cause: unknown) => {
    throw new CommandFailure('usage', `"${name}" cannot be read: ${(cause as Error).message}.`);
  });
  if (form === 'base64') return { name, base64: bytes.toString('base64') };
  const text = textOf(bytes, name);
  if (form === 'text') return { name, text };
  try {
    return { name, value: JSON.parse(text) as unknown };
  } catch (error) {
    throw new CommandFailure('usage', `"${name}" is not JSON: ${(error as Error).message}.`);
  }
}

function textOf(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandFailure('usage', `"${name}" is not a text in UTF-8.`, [
      'Send its bytes with --files-as base64.',
    ]);
  }
}
