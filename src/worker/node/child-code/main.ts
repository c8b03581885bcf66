// A process that the agent starts to build the code of a sandbox child: it bundles the code into
// one file, lets Node compile it, and keeps both in a folder. No task code runs in it.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { BuildOrder } from './build-order.ts';
import { compileText, sealName, sealOf, startName, startText, textName } from './files.ts';

/** At the lowest priority, a busy machine may need minutes for what takes a second. */
const patienceMs = 600_000;

const { target, node, flags } = JSON.parse(process.argv[2] ?? '{}') as BuildOrder;

try {
  // The lowest priority: the build has time.
  setPriority(19);
} catch {
  // Some systems do not let a process lower its own priority.
}

const draft = `${target}.new`;
mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
if (isForsaken(draft)) rmSync(draft, { recursive: true, force: true });
// When several workers that share the folder build at once, all but the first fail here and find
// the code later. To load the bundler takes longer than all before it.
mkdirSync(draft, { mode: 0o700 });
try {
  const { bundleChild } = await import('./bundle.ts');
  writeFileSync(join(draft, textName), await bundleChild());
  writeFileSync(join(draft, startName), startText);
  compile();
  writeFileSync(join(draft, sealName), sealOf(draft));
  removeOthers();
  // The rename is atomic: whoever finds the folder finds all of its files.
  renameSync(draft, target);
} catch (error) {
  // On a full disk the worker needs the room for its identity.
  rmSync(draft, { recursive: true, force: true });
  throw error;
}

/** A draft that is so old was left by a process that was killed. */
function isForsaken(path: string): boolean {
  const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return mtimeMs !== undefined && Date.now() - mtimeMs > 2 * patienceMs;
}

/**
 * Compiles with the Node that will run the code, and with the flags that change its compiled code.
 */
function compile(): void {
  const { status, stderr } = spawnSync(node, [...flags, '-e', compileText], {
    cwd: draft,
    env: {},
    encoding: 'utf8',
    timeout: patienceMs,
  });
  if (status !== 0) throw new Error(`the code of a child cannot be compiled: ${stderr}`);
}

/** Removes code of older sources, and of other versions of Node. */
function removeOthers(): void {
  for (const name of readdirSync(dirname(target))) {
    if (name === basename(draft)) continue;
    rmSync(join(dirname(target), name), { recursive: true, force: true });
  }
}
