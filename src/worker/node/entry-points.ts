// Where the code of child processes lies. Its files have the extension of this file, so that a
// checkout starts the TypeScript sources and the published package its JavaScript.

import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { guestMakers } from './sandbox/guests.ts';

const here = fileURLToPath(import.meta.url);
const sandboxFolder = join(dirname(here), 'sandbox');
/** The part of the sandbox that is the same on every platform. */
const sharedFolder = join(dirname(here), '..', 'sandbox');

export const sandboxEntry = join(sandboxFolder, `main${extname(here)}`);

/** Run as `node builderEntry ORDER`: builds the code of a child. */
export const builderEntry = join(dirname(here), 'child-code', `main${extname(here)}`);

/** The library that defines `lockdown` and `Compartment`, as a single file. */
export const sesPath = createRequire(import.meta.url).resolve('ses');

/** The code of a sandbox child, and all files that the child may read beside its Node binary. */
export interface ChildCode {
  /** Run as `node … entry SETTINGS`. */
  readonly entry: string;
  readonly folders: readonly string[];
  readonly files: readonly string[];
  /** All of it is loaded once a child serves: nothing that it runs later is in a file of its own. */
  readonly isWhole: boolean;
}

/** The sources of a child, in many files. */
export function childSources(): ChildCode {
  const packages = [here, sesPath].map(findPackageJson);
  const files = [sesPath, ...packages, ...acornFiles()];
  const folders = [sandboxFolder, sharedFolder];
  // What runs guests would be loaded on first use.
  const isWhole = Object.keys(guestMakers).length === 0;
  return { entry: sandboxEntry, folders, files, isWhole };
}

/**
 * The files of the parser that a child reads programs with. The child's sources import it by its
 * name, which Node looks up in `node_modules`. Some package managers keep a link there, which a
 * child does not follow: it needs the path of the link itself.
 */
function acornFiles(): string[] {
  const folder = findUpwards(here, join('node_modules', 'acorn'));
  const entry = relative(realpathSync(folder), fileURLToPath(import.meta.resolve('acorn')));
  return [join(folder, 'package.json'), join(folder, entry)];
}

/** Node reads the nearest package.json to learn how a file is to be loaded. */
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
