// `--with data.json`: the members of an object are constants of the program, by their names.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isName } from '../../client/packing/function-source.ts';
import { CommandFailure } from '../command-failure.ts';

export type WithValues = Readonly<Record<string, unknown>>;

export async function readWithValues(path: string, folder: string): Promise<WithValues> {
  const wrong = (what: string) => new CommandFailure('usage', `"${path}" ${what}.`);
  const text = await readFile(resolve(folder, path), 'utf8').catch((cause: unknown) => {
    throw (cause as NodeJS.ErrnoException).code === 'ENOENT'
      ? new CommandFailure('usage', `There is no file "${path}".`)
      : wrong(`cannot be read: ${(cause as Error).message}`);
  });
  let values: unknown;
  try {
    values = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
  } catch (error) {
    throw wrong(`is not JSON: ${(error as Error).message}`);
  }
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw wrong('holds no object: its members are what the program may use, by their names');
  }
  for (const name of Object.keys(values)) {
    if (!isName(name)) throw wrong(`has a member "${name}", which is no name of a variable`);
  }
  return values as WithValues;
}

/** The program with the values before it, on its first line: its lines keep their numbers. */
export function withValues(source: string, values: WithValues): string {
  // Parsed as JSON where it runs: in a literal, the key "__proto__" has another meaning. A constant may be called JSON.
  const declarations = Object.entries(values).map(
    ([name, value]) =>
      `const ${name} = globalThis.JSON.parse(${JSON.stringify(JSON.stringify(value))}); `,
  );
  return `${declarations.join('')}${source}`;
}
