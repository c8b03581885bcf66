// `muster tune`: looks for weights that suit a scenario better than equal ones, and says when there are none.

import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandFailure } from '../command-failure.ts';
import { interruption } from '../process/interruption.ts';
import { wholeNumber } from '../settings/flag-values.ts';
import { ProgressLine } from '../text/progress-line.ts';
import { tuningText } from '../text/tuning-text.ts';

interface Flags {
  readonly algorithm: 'edas' | 'aras' | 'mabac' | 'wrr';
  readonly measure?: string;
  readonly candidates: number;
  readonly searchSeeds: number;
  readonly heldOutSeeds: number;
  readonly seed: number;
  readonly threads?: number;
  readonly json?: boolean;
}

const CANDIDATES_MOST = 10_000;
const SEEDS_MOST = 10_000;
const SEED_MOST = 2 ** 30;
const THREADS_MOST = 256;

export function declareTune(program: Command, context: Context): void {
  const number = (flag: string, about: string, unset: number, most: number) =>
    new Option(flag, about).default(unset).argParser(wholeNumber('a number', 1, most));
  program
    .command('tune')
    .argument('<scenario>', 'name of a shipped scenario, or path of a .json file')
    .description('look for weights that suit a scenario better than equal ones')
    .addOption(
      new Option('--algorithm <id>', 'whose weights')
        .choices(['edas', 'aras', 'mabac', 'wrr'])
        .default('edas'),
    )
    .option('--measure <id>', 'what is to be better; that of the verdict of compare when left out')
    .addOption(number('--candidates <number>', 'of the first round', 48, CANDIDATES_MOST))
    .addOption(number('--search-seeds <number>', 'of the last round of the search', 12, SEEDS_MOST))
    .addOption(number('--held-out-seeds <number>', 'by which it is judged', 30, SEEDS_MOST))
    .addOption(number('--seed <number>', 'of the search itself', 1, SEED_MOST))
    .addOption(
      new Option('--threads <number>', 'at the same time; one a core when left out').argParser(
        wholeNumber('a number of threads', 1, THREADS_MOST),
      ),
    )
    .option('--json', 'print what was found as a JSON object')
    .action((scenario: string, flags: Flags) => tune(scenario, flags, context));
}

async function tune(which: string, flags: Flags, context: Context): Promise<void> {
  const { terminal, folder, version } = context;
  const lab = await import('../../lab/index.ts');
  if (which.endsWith('.ndjson')) {
    throw new CommandFailure(
      'usage',
      `"${which}" is a trace: it is one night, and weights that suit it suit no other. muster tune takes a scenario.`,
    );
  }
  const scenario = lab.readScenario(which, folder);
  const measure = flags.measure ?? lab.usualMeasureOf(scenario);
  if (!lab.isComparedMeasure(measure)) {
    throw new CommandFailure(
      'usage',
      `There is no measure "${measure}" to compare by. There are ${lab.comparedMeasureIds.join(', ')}.`,
    );
  }
  const { algorithm, candidates, searchSeeds, heldOutSeeds, seed, threads } = flags;
  const how = { scenario, algorithm, measure, candidates, searchSeeds, heldOutSeeds, seed };
  const progress = new ProgressLine(terminal, lab.runsOfTuning(how), 'run');
  progress.draw();
  const signal = interruption();
  try {
    const tuning = await lab.tune({
      ...how,
      version,
      threads,
      signal,
      onDone: (done) => {
        progress.count(done, 0);
        progress.draw();
      },
    });
    progress.clear();
    if (flags.json) return terminal.json(tuning);
    await terminal.write(`${tuningText(tuning, lab.comparisonWords)}\n`);
  } catch (error) {
    progress.clear();
    if ((error as Error).name !== 'TuneInterrupted') throw error;
    terminal.note((error as Error).message);
    context.exit(exitCodes.interrupted.code);
  }
}
