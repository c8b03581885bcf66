// The command line as the tests of processes start it: in a few files instead of its thirteen hundred modules. To find
// and link those was a third of the processor time of a start, of `muster serve` as of a short command. The code is
// that of the sources, and what it starts or reads by path are the sources (`build-command.ts`). The sources themselves,
// one by one, are what `bin/muster` starts for the examples of the first pages; the tests of packages start what is
// published.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileCacheDir } from './compiled-code.ts';

const root = join(import.meta.dirname, '..', '..');
export const sourceFolder = join(root, 'src');
/** What the command line is in a checkout. */
export const sourceOfCommand = join(sourceFolder, 'cli', 'main.ts');
/** A folder for each state of the sources. */
export const builtCommands = join(root, 'node_modules', '.cache', 'muster-tests', 'command');

export interface CommandFiles {
  /** Run as `node main ARGS`. */
  readonly main: string;
  /** Where Node keeps what it has compiled of it, and of all that it loads. */
  readonly compiled: string;
}

export function filesIn(folder: string): CommandFiles {
  return { main: join(folder, 'main.js'), compiled: join(folder, 'compiled') };
}

let found: CommandFiles | undefined;

/** What is built of these sources before the tests of processes; for scripts that run no tests, the sources. */
export function commandFiles(): CommandFiles {
  if (found === undefined) {
    const built = filesIn(folderOfCommand());
    const sources = { main: sourceOfCommand, compiled: compileCacheDir };
    found = existsSync(built.main) ? built : sources;
  }
  return found;
}

/** Named by the hash of all that the command is built from. */
export function folderOfCommand(): string {
  const hash = createHash('sha256').update(process.version);
  const own = readdirSync(sourceFolder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/\.(test|cases)\.ts$/.test(path))
    .toSorted()
    .map((path) => join(sourceFolder, path));
  const others = [join(root, 'package-lock.json'), join(import.meta.dirname, 'build-command.ts')];
  for (const path of [...own, ...others]) hash.update(`\n${path}\n`).update(readFileSync(path));
  return join(builtCommands, hash.digest('hex').slice(0, 32));
}
