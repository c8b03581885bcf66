// The commit in the version, from the files of git as they lie in the ways in which git leaves them.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readVersion, releaseOf } from './version.ts';

const commit = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d';
const other = commit.replaceAll('1', 'f');
const packed = `# pack-refs with: peeled\n${other} refs/heads/old-main\n${commit} refs/heads/main\n`;

test.each([
  ['a branch', { '.git/HEAD': 'ref: refs/heads/main\n', '.git/refs/heads/main': `${commit}\n` }],
  ['a packed branch', { '.git/HEAD': 'ref: refs/heads/main\n', '.git/packed-refs': packed }],
  [
    'a branch that was packed before',
    {
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.git/packed-refs': packed.replaceAll(commit, other),
      '.git/refs/heads/main': commit,
    },
  ],
  ['no branch', { '.git/HEAD': `${commit}\n` }],
  [
    'a worktree',
    {
      '.git': 'gitdir: whole/.git/worktrees/this\n',
      'whole/.git/worktrees/this/HEAD': 'ref: refs/heads/main\n',
      'whole/.git/worktrees/this/commondir': '../..\n',
      'whole/.git/refs/heads/main': commit,
    },
  ],
])('of a checkout of %s names the commit', (_, files) => {
  expect(versionWith(files)).toBe('0.1.0+g1a2b3c4');
});

test.each([
  ['that is no checkout', {}],
  ['whose branch has no commit yet', { '.git/HEAD': 'ref: refs/heads/main\n' }],
  ['where git keeps its branches in another way', { '.git/HEAD': 'ref: refs/heads/.invalid' }],
  ['whose .git leads nowhere', { '.git': 'gitdir: /nowhere/at/all\n' }],
  ['whose .git is something else', { '.git': 'nothing\n' }],
])('of a folder %s is that of the manifest', (_, files) => {
  expect(versionWith(files)).toBe('0.1.0');
});

test('of a package is told by its manifest, whatever lies around it', () => {
  const files = { '.git/HEAD': other, 'package.json': '{"version":"0.1.0","commit":"1a2b3c4"}' };
  const version = versionWith(files);
  expect(version).toBe('0.1.0+g1a2b3c4');
  expect(releaseOf(version)).toBe('0.1.0');
});

function versionWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-version-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries({ 'package.json': '{"version":"0.1.0"}', ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return readVersion(join(folder, 'package.json'));
}
