// The version of this program: that of its manifest and, so that two checkouts of one release can be told
// apart, the commit. The build of a package puts that into the manifest; in a checkout it is read from the
// files of git, without starting it. Changes that are not committed do not show.

import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const digitsShown = 7;

/** Like `0.1.0+g1a2b3c4`, or without the commit where none is known. */
export function readVersion(manifestPath: string): string {
  const manifest = JSON.parse(readFileSync(manifestPath, 'utf8')) as {
    readonly version: string;
    readonly commit?: string;
  };
  const commit = manifest.commit ?? readCommit(dirname(manifestPath));
  return commit === undefined ? manifest.version : `${manifest.version}+g${commit}`;
}

/** The version without its commit. */
export function releaseOf(version: string): string {
  return version.split('+', 1)[0]!;
}

/** The commit of a checkout, shortened; undefined where there is none, or git keeps it in another way. */
export function readCommit(folder: string): string | undefined {
  const git = gitFolder(folder);
  const head = git === undefined ? undefined : textOf(git, 'HEAD');
  if (git === undefined || head === undefined) return undefined;
  const ref = /^ref: (refs\/.+)$/.exec(head)?.[1];
  const whole = ref === undefined ? head : commitOfRef(git, ref);
  const isHash = whole !== undefined && /^[0-9a-f]{40,64}$/.test(whole);
  return isHash ? whole.slice(0, digitsShown) : undefined;
}

/** In a worktree `.git` is a file that names it. */
function gitFolder(folder: string): string | undefined {
  const own = join(folder, '.git');
  const found = statSync(own, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return found && own;
  const named = /^gitdir: (.+)$/.exec(textOf(own) ?? '')?.[1];
  return named === undefined ? undefined : resolve(folder, named);
}

function commitOfRef(git: string, ref: string): string | undefined {
  // The branches of a worktree are those of the checkout that it belongs to.
  const common = resolve(git, textOf(git, 'commondir') ?? '.');
  const packed = () =>
    textOf(common, 'packed-refs')
      ?.split('\n')
      .find((line) => line.endsWith(` ${ref}`))
      ?.split(' ', 1)[0];
  return textOf(common, ref) ?? packed();
}

function textOf(...path: readonly string[]): string | undefined {
  try {
    return readFileSync(join(...path), 'utf8').trim();
  } catch {
    return undefined;
  }
}
