// What the packages take from the checkout.

import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');

/** The parts of package.json that published manifests are made of. */
interface Manifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** Fields that are the same in every package. */
const CARRIED = ['version', 'keywords', 'license', 'author'];

export function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
}

export function carried(manifest: Manifest): Readonly<Record<string, unknown>> {
  return Object.fromEntries(CARRIED.map((field) => [field, manifest[field]]));
}

export function copyDocuments(names: readonly string[], folder: string): void {
  for (const name of names) cpSync(join(ROOT, name), join(folder, name));
}

/** Runs the compiler; ends this process when there are faults, which it has told. */
export function compile(args: readonly string[]): void {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, ...args], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

export function writeJson(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
