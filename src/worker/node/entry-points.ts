// Where the code of child processes lies. It is found by this file's own extension, so that a checkout
// starts the TypeScript sources and the published package its compiled files.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(import.meta.url);
const sandboxFolder = join(dirname(here), 'sandbox');

/** Run as `node … sandboxEntry SETTINGS`. */
export const sandboxEntry = join(sandboxFolder, `main${extname(here)}`);

/** The file that brings `lockdown` and `Compartment`, whole in one. */
export const sesPath = createRequire(import.meta.url).resolve('ses');

/** All that a sandbox child may read, beside its Node binary. */
export function sandboxReadable(): { readonly folder: string; readonly files: readonly string[] } {
  const packages = [findPackageJson(here), findPackageJson(sesPath)];
  return { folder: sandboxFolder, files: [sesPath, ...packages] };
}

/** Node reads it to learn how a file is to be loaded. */
function findPackageJson(path: string): string {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const candidate = join(folder, 'package.json');
    if (existsSync(candidate) || folder === dirname(folder)) return candidate;
  }
}
