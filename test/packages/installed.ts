// Installs the packages under test, once for each lock file: in a folder that git ignores, beside no other
// package of the checkout.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const HERE = import.meta.dirname;
const MANIFESTS = ['package.json', 'package-lock.json'];

/** The folder in whose `node_modules` they lie. */
export function installPackages(): string {
  const hash = createHash('sha256');
  for (const name of MANIFESTS) hash.update(readFileSync(join(HERE, name)));
  const all = join(HERE, '..', '..', '.muster', 'packages-under-test');
  const folder = join(all, hash.digest('hex').slice(0, 16));
  if (existsSync(folder)) return folder;
  // Under another name until it is whole, so that an end in the middle leaves nothing that looks installed.
  const begun = `${folder}-${process.pid}`;
  mkdirSync(begun, { recursive: true });
  for (const name of MANIFESTS) cpSync(join(HERE, name), join(begun, name));
  const { status, stderr, error } = spawnSync(
    'npm',
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund'],
    { cwd: begun, encoding: 'utf8', shell: process.platform === 'win32' },
  );
  if (status !== 0) {
    rmSync(begun, { recursive: true, force: true });
    throw new Error(
      `the packages under test cannot be installed; this test needs the npm registry: ${error?.message ?? stderr.trim()}`,
    );
  }
  renameSync(begun, folder);
  return folder;
}

/** The version of a package in the lock file. */
export function lockedVersion(name: string): string {
  const lock = JSON.parse(readFileSync(join(HERE, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version?: string }>>;
  };
  return lock.packages[`node_modules/${name}`]?.version ?? '?';
}
