// A process of the agent's own: makes one file of the code of a sandbox child, lets Node compile it,
// and keeps both in a folder. No task code is near it. The agent is the only one who starts it.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { BuildOrder } from './build-order.ts';
import { bundleChild } from './bundle.ts';
import { compileText, sealName, sealOf, startName, startText, textName } from './files.ts';

const patienceMs = 60_000;

const { target, node, flags } = JSON.parse(process.argv[2] ?? '{}') as BuildOrder;

try {
  // What is left over by everybody else is enough.
  setPriority(19);
} catch {
  // Some systems do not let a process lower its own priority.
}

const draft = `${target}.new`;
mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
if (isForsaken(draft)) rmSync(draft, { recursive: true, force: true });
// Workers that share the folder may want the same at once: the others fail here, and find it later.
mkdirSync(draft, { mode: 0o700 });
try {
  writeFileSync(join(draft, textName), await bundleChild());
  writeFileSync(join(draft, startName), startText);
  compile();
  writeFileSync(join(draft, sealName), sealOf(draft));
  removeOthers();
  // In one step: whoever finds the folder finds all of it.
  renameSync(draft, target);
} catch (error) {
  // A disk that is full needs the room for what the worker must not forget.
  rmSync(draft, { recursive: true, force: true });
  throw error;
}

/** Whoever began it was ended before it was done. */
function isForsaken(path: string): boolean {
  const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return mtimeMs !== undefined && Date.now() - mtimeMs > 2 * patienceMs;
}

/** By the Node that will run it, with the flags on which its compiler depends. */
function compile(): void {
  const { status, stderr } = spawnSync(node, [...flags, '-e', compileText], {
    cwd: draft,
    env: {},
    encoding: 'utf8',
    timeout: patienceMs,
  });
  if (status !== 0) throw new Error(`the code of a child cannot be compiled: ${stderr}`);
}

/** Of older sources, and of other versions of Node. */
function removeOthers(): void {
  for (const name of readdirSync(dirname(target))) {
    if (name === basename(draft)) continue;
    rmSync(join(dirname(target), name), { recursive: true, force: true });
  }
}
