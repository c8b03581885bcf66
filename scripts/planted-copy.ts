// Makes a copy of the sources with one bug planted in it, to check that a test finds the bug.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** The patches of a folder in order. If `words` are given, only those with one of them in the name. */
export function patchesIn(folder: string, words: readonly string[]): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.patch'))
    .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
    .sort();
}

/** The first line of a patch says what it breaks. */
export function promiseOf(patch: string): string {
  return readFileSync(patch, 'utf8').split('\n')[0]!;
}

/** `paths` are copied from the repository. Throws a sentence when the patch does not apply to them. */
export function inPlantedCopy<T>(
  patch: string,
  paths: readonly string[],
  use: (copy: string) => T,
): T {
  const copy = mkdtempSync(join(tmpdir(), 'muster-mutant-'));
  try {
    for (const path of [...paths, 'package.json']) {
      cpSync(join(ROOT, path), join(copy, path), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
    plant(copy, patch);
    return use(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function plant(copy: string, patch: string): void {
  const { status, stderr } = spawnSync('git', ['apply', patch], {
    cwd: copy,
    encoding: 'utf8',
    // The copy is no repository, and git must not take one around it for its own.
    env: { ...process.env, GIT_CEILING_DIRECTORIES: dirname(copy) },
  });
  if (status !== 0) throw new Error(`does not apply: ${stderr.trim().split('\n')[0]!}`);
}
