// `npm run simulate:mutants`: does the simulator see? Each patch in test/simulation/mutants/ plants one
// bug. It is applied to a copy of the sources, and seeds are played until one of them fails. A mutant
// that survives, or a patch that no longer applies, is a hole in the net: exit code 1.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const MUTANTS = join(ROOT, 'test/simulation/mutants');

interface Finding {
  readonly mutant: string;
  /** The checker's sentence; null when it survived or could not be planted. */
  readonly caughtBy: string | null;
  readonly seed: string;
  readonly seconds: number;
  readonly note: string;
}

function main(): number {
  const { values, positionals } = parseArgs({
    options: { seeds: { type: 'string', default: '2000' } },
    allowPositionals: true,
  });
  const names = readdirSync(MUTANTS)
    .filter((name) => name.endsWith('.patch'))
    .filter((name) => positionals.length === 0 || positionals.some((word) => name.includes(word)))
    .sort();
  console.log('| Mutant | Promise | Caught by | Seed | Seconds |\n|---|---|---|---|---|');
  let survivors = 0;
  for (const name of names) {
    const { mutant, caughtBy, seed, seconds, note } = hunt(name, values.seeds);
    const verdict = caughtBy ?? `**${note}**`;
    console.log(
      `| ${mutant} | ${promiseOf(name)} | ${verdict} | ${seed} | ${seconds.toFixed(1)} |`,
    );
    if (caughtBy === null) survivors++;
  }
  console.log(`\n${names.length} mutants, ${names.length - survivors} caught`);
  return survivors === 0 && names.length > 0 ? 0 : 1;
}

function hunt(name: string, seeds: string): Finding {
  const mutant = name.replace(/\.patch$/, '');
  const startedAt = performance.now();
  const copy = mkdtempSync(join(tmpdir(), 'muster-mutant-'));
  const found = (caughtBy: string | null, seed: string, note: string): Finding => {
    const seconds = (performance.now() - startedAt) / 1000;
    return { mutant, caughtBy, seed, seconds, note };
  };
  try {
    cpSync(join(ROOT, 'src'), join(copy, 'src'), { recursive: true });
    cpSync(join(ROOT, 'package.json'), join(copy, 'package.json'));
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
    const planted = plant(copy, join(MUTANTS, name));
    if (planted !== '') return found(null, '–', `does not apply: ${planted}`);
    const { status, stderr } = spawnSync(
      process.execPath,
      ['src/simulator/main.ts', '--seeds', seeds, '--first'],
      { cwd: copy, encoding: 'utf8' },
    );
    const [, seed, sentence] = /^Seed (\d+): (.*)$/m.exec(stderr) ?? [];
    if (seed !== undefined && sentence !== undefined) return found(sentence, seed, '');
    return found(null, '–', status === 0 ? `survives ${seeds} seeds` : stderr.slice(0, 200));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Empty when the patch is in. */
function plant(copy: string, patch: string): string {
  const { status, stderr } = spawnSync('git', ['apply', patch], {
    cwd: copy,
    encoding: 'utf8',
    // The copy is no repository; one around it would be taken for its own.
    env: { ...process.env, GIT_CEILING_DIRECTORIES: dirname(copy) },
  });
  return status === 0 ? '' : stderr.trim().split('\n')[0]!;
}

/** The first line of a patch says what it breaks. */
function promiseOf(name: string): string {
  return readFileSync(join(MUTANTS, name), 'utf8').split('\n')[0]!;
}

process.exitCode = main();
