// `npm run simulate:mutants`: checks that the simulator finds bugs. Each patch in
// test/simulation/mutants/ plants one. It is applied to a copy of the sources, and seeds are played
// until one of them fails. A mutant that survives, or a patch that does not apply, is exit code 1.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { firstSeedOfHosts } from '../src/simulator/hosts/host-faults.ts';
import { inPlantedCopy, patchesIn, promiseOf } from './planted-copy.ts';

const MUTANTS = join(import.meta.dirname, '../test/simulation/mutants');

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
  const names = patchesIn(MUTANTS, positionals);
  console.log('| Mutant | Promise | Caught by | Seed | Seconds |\n|---|---|---|---|---|');
  let survivors = 0;
  for (const name of names) {
    const { mutant, caughtBy, seed, seconds, note } = hunt(name, values.seeds);
    const verdict = caughtBy ?? `**${note}**`;
    console.log(
      `| ${mutant} | ${promiseOf(join(MUTANTS, name))} | ${verdict} | ${seed} | ${seconds.toFixed(1)} |`,
    );
    if (caughtBy === null) survivors++;
  }
  console.log(`\n${names.length} mutants, ${names.length - survivors} caught`);
  return survivors === 0 && names.length > 0 ? 0 : 1;
}

/** Some promises are those of several hosts: `72-hosts-….patch`. */
function firstSeedFor(name: string): string {
  return /^\d+-hosts-/.test(name) ? String(firstSeedOfHosts) : '1';
}

function hunt(name: string, seeds: string): Finding {
  const mutant = name.replace(/\.patch$/, '');
  const startedAt = performance.now();
  const found = (caughtBy: string | null, seed: string, note: string): Finding => {
    const seconds = (performance.now() - startedAt) / 1000;
    return { mutant, caughtBy, seed, seconds, note };
  };
  try {
    return inPlantedCopy(join(MUTANTS, name), ['src'], (copy) => {
      const { status, stderr } = spawnSync(
        process.execPath,
        ['src/simulator/main.ts', '--seeds', seeds, '--from', firstSeedFor(name), '--first'],
        { cwd: copy, encoding: 'utf8' },
      );
      const [, seed, sentence] = /^Seed (\d+): (.*)$/m.exec(stderr) ?? [];
      if (seed !== undefined && sentence !== undefined) return found(sentence, seed, '');
      return found(null, '–', status === 0 ? `survives ${seeds} seeds` : stderr.slice(0, 200));
    });
  } catch (error) {
    return found(null, '–', (error as Error).message);
  }
}

process.exitCode = main();
