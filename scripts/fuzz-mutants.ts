// `npm run fuzz:mutants`: checks that the fuzzer of the sandbox finds holes. Each patch in
// test/fuzz/sandbox/mutants/ takes one wall of the realm away. Programs are run against a copy of
// the sources until one of them shows it. A mutant that survives, or a patch that does not apply,
// is exit code 1.

import { spawnSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { inPlantedCopy, patchesIn, promiseOf } from './planted-copy.ts';

const MUTANTS = join(import.meta.dirname, '../test/fuzz/sandbox/mutants');

function main(): number {
  const { values, positionals } = parseArgs({
    options: {
      programs: { type: 'string', default: '20000' },
      seed: { type: 'string', default: '1' },
    },
    allowPositionals: true,
  });
  const names = patchesIn(MUTANTS, positionals);
  console.log('| Mutant | Promise | Caught by | Programs | Seconds |\n|---|---|---|---|---|');
  let survivors = 0;
  for (const name of names) {
    const startedAt = performance.now();
    const { caughtBy, after } = hunt(join(MUTANTS, name), values.programs, values.seed);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const promise = promiseOf(join(MUTANTS, name));
    if (after === null) survivors++;
    const verdict = after === null ? `**${caughtBy}**` : caughtBy;
    const mutant = name.replace(/\.patch$/, '');
    console.log(`| ${mutant} | ${promise} | ${verdict} | ${after ?? '–'} | ${seconds} |`);
  }
  console.log(`\n${names.length} mutants, ${names.length - survivors} caught`);
  return survivors === 0 && names.length > 0 ? 0 : 1;
}

interface Finding {
  /** The sentence of the oracle, or why there is none. */
  readonly caughtBy: string;
  /** How many programs had been run; null when it survived or could not be planted. */
  readonly after: string | null;
}

function hunt(patch: string, programs: string, seed: string): Finding {
  const fuzzer = ['test/fuzz/sandbox/main.ts', '--no-reduce', '--finds', '1', '--at-once', '1'];
  // What only browsers have is looked for in one.
  const place = basename(patch).includes('-browser-') ? 'browser' : 'process';
  try {
    return inPlantedCopy(patch, ['src', 'test/fuzz', 'test/support'], (copy) => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [...fuzzer, '--programs', programs, '--seed', seed, '--in', place],
        { cwd: copy, encoding: 'utf8' },
      );
      const [, after, sentence] = /^FIND \(.* after (\d+)\):\n- (.*)$/m.exec(stdout) ?? [];
      if (after !== undefined && sentence !== undefined) return { caughtBy: sentence, after };
      const why = status === 0 ? `survives ${programs} programs` : stderr.slice(0, 200);
      return { caughtBy: why, after: null };
    });
  } catch (error) {
    return { caughtBy: (error as Error).message, after: null };
  }
}

process.exitCode = main();
