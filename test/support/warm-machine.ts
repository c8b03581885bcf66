// What a machine keeps once Muster has run on it: the built code of sandboxes. Without it every worker of every test
// would build that code again, which is most of what a short test would do.

import { cpSync, existsSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { BuiltCode } from '../../src/worker/node/built-code.ts';
import { narrowingFlags } from '../../src/worker/node/confinement/node-flags.ts';

const kept = join(import.meta.dirname, '..', '..', 'node_modules', '.cache');

/** Where an executor finds the built code. Nobody writes to it while tests run. */
export const builtCodeDir = join(kept, 'muster-tests', 'sandbox-code');

/** Builds the code once for all tests, unless it is there. */
export async function buildCode(): Promise<void> {
  const code = new BuiltCode(builtCodeDir, process.execPath, narrowingFlags(process.execPath));
  if (code.found === null) await code.build();
  if (code.found === null) throw new Error('The code of sandboxes cannot be built.');
}

/** Puts the built code where workers that `muster ARGS` starts in the folder look for it. */
export function layOutCode(folder: string, args: readonly string[]): void {
  const [command = ''] = args;
  const place = placeOf[command]?.(args);
  if (place === undefined) return;
  const target = resolve(folder, place, 'sandbox-code');
  const isOfTest = target.startsWith(`${folder}${sep}`);
  if (isOfTest && !existsSync(target)) cpSync(builtCodeDir, target, { recursive: true });
}

type PlaceOf = (args: readonly string[]) => string;

const ofLocalWorkers: PlaceOf = (args) => join(valueOf(args, '--data-dir') ?? '.muster', 'workers');

const placeOf: Readonly<Record<string, PlaceOf | undefined>> = {
  serve: ofLocalWorkers,
  start: ofLocalWorkers,
  worker: (args) => valueOf(args, '--state-dir') ?? join('.muster', 'worker'),
};

function valueOf(args: readonly string[], flag: string): string | undefined {
  const at = args.indexOf(flag);
  return at === -1 ? undefined : args[at + 1];
}
