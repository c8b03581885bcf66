// Where the code of child processes lies. It is found by this file's own extension, so that a checkout
// starts the TypeScript sources and the published package its compiled files.

import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(import.meta.url);
const sandboxFolder = join(dirname(here), 'sandbox');
/** What a sandbox is on any platform. */
const sharedFolder = join(dirname(here), '..', 'sandbox');

export const sandboxEntry = join(sandboxFolder, `main${extname(here)}`);

/** Run as `node builderEntry ORDER`: makes one file of the code of a child. */
export const builderEntry = join(dirname(here), 'child-code', `main${extname(here)}`);

/** The file that brings `lockdown` and `Compartment`, whole in one. */
export const sesPath = createRequire(import.meta.url).resolve('ses');

/** The code of a sandbox child, and all that the child may read beside its Node binary. */
export interface ChildCode {
  /** Run as `node … entry SETTINGS`. */
  readonly entry: string;
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

/** The code as it lies here, in many files. */
export function childSources(): ChildCode {
  const packages = [here, sesPath].map(findPackageJson);
  const files = [sesPath, ...packages, ...acornFiles()];
  return { entry: sandboxEntry, folders: [sandboxFolder, sharedFolder], files };
}

/**
 * The parser that a child reads programs with. Its sources import it by its name, which Node looks up
 * in the folders of packages. Some package managers keep a link there; a child does not follow links.
 */
function acornFiles(): string[] {
  const folder = findUpwards(here, join('node_modules', 'acorn'));
  const entry = relative(realpathSync(folder), fileURLToPath(import.meta.resolve('acorn')));
  return [join(folder, 'package.json'), join(folder, entry)];
}

/** Node reads it to learn how a file is to be loaded. */
function findPackageJson(path: string): string {
  return findUpwards(path, 'package.json');
}

/** In the folder of a file, or in the nearest one above it. */
function findUpwards(path: string, name: string): string {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const candidate = join(folder, name);
    if (existsSync(candidate) || folder === dirname(folder)) return candidate;
  }
}
