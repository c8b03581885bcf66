// Files that are started as processes or loaded by path. Their paths are made only here: in a checkout
// they end in `.ts`, in the published package in `.js`, and the compiler does not rewrite them.

import { fileURLToPath } from 'node:url';

const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

/** The command line itself, for child processes. */
export function mainFile(): string {
  return fileURLToPath(new URL(`./main${extension}`, import.meta.url));
}

/** The sample job. It lies beside `src/`, and only in a checkout. */
export function sampleJobUrl(): URL {
  return new URL(`../../examples/market-risk/index${extension}`, import.meta.url);
}

/** The manifest of this package: two folders up, in a checkout and in the published package. */
export function manifestFile(): string {
  return fileURLToPath(new URL('../../package.json', import.meta.url));
}
