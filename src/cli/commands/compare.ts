// `muster compare`: plays scenarios under several algorithms with the same seeds, and says which is better, by how
// much, and whether it matters.

import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandFailure } from '../command-failure.ts';
import { assertWritable, writeText } from '../output-file.ts';
import { interruption } from '../process/interruption.ts';
import { withOwnModules } from '../process/own-module.ts';
import { wholeNumber } from '../settings/flag-values.ts';
import { comparisonText } from '../text/comparison-text.ts';
import { ProgressLine } from '../text/progress-line.ts';

interface Flags {
  readonly algorithms: string;
  readonly scheduler: readonly string[];
  readonly seeds?: number;
  readonly firstSeed: number;
  readonly threads?: number;
  readonly out: readonly string[];
  readonly decisionTime?: boolean;
  readonly json?: boolean;
}

const SEEDS_MOST = 10_000;
const FIRST_SEED_MOST = 2 ** 30;
const THREADS_MOST = 256;

export function declareCompare(program: Command, context: Context): void {
  program
    .command('compare')
    .argument(
      '<scenarios...>',
      'names of shipped scenarios, paths of scenarios (.json) or traces (.ndjson), or all',
    )
    .description(
      'play scenarios under several algorithms with the same seeds, and say which is better',
    )
    .option('--algorithms <ids>', 'separated by commas, or all', 'all')
    .addOption(
      new Option('--scheduler <file>', 'a scheduler of your own, as a module; may be repeated')
        .default([], 'none')
        .argParser(oneMore),
    )
    .addOption(
      new Option(
        '--seeds <number>',
        'how often each is played; as the scenario says when left out, mostly 30',
      ).argParser(wholeNumber('a number of seeds', 1, SEEDS_MOST)),
    )
    .addOption(
      new Option('--first-seed <number>', 'of them')
        .default(1)
        .argParser(wholeNumber('a seed', 0, FIRST_SEED_MOST)),
    )
    .addOption(
      new Option('--threads <number>', 'at the same time; one a core when left out').argParser(
        wholeNumber('a number of threads', 1, THREADS_MOST),
      ),
    )
    .addOption(
      new Option(
        '--out <file>',
        'write it to a file too: .html (a report), .json, or .csv with a row for each run; may be repeated',
      )
        .default([], 'none')
        .argParser(oneMore),
    )
    .option(
      '--decision-time',
      'measure how long decisions take on this machine; the one thing that does not repeat',
    )
    .option('--json', 'print the whole comparison as a JSON object')
    .addHelpText(
      'after',
      '\nThe same scenarios, contenders, seeds and version give the same files, byte for byte, on any\n' +
        'number of cores, but for what --decision-time adds. Ctrl-C ends it early: the seeds that are done are compared.',
    )
    .action((scenarios: readonly string[], flags: Flags) => compare(scenarios, flags, context));
}

const oneMore = (file: string, before: readonly string[]): readonly string[] => [...before, file];

async function compare(named: readonly string[], flags: Flags, context: Context): Promise<void> {
  const { terminal, folder, version } = context;
  const lab = await import('../../lab/index.ts');
  // What cannot be written is told before anything is played.
  const files = flags.out.map((file) => ({ file, form: lab.reportForm(file) }));
  await assertWritable(flags.out, folder);
  const scenarios = named
    .flatMap((name) => (name === 'all' ? lab.shippedScenarios() : [name]))
    .map((name) => lab.readPlayable(name, folder));
  for (const scenario of scenarios) {
    for (const note of lab.notesOf(scenario)) terminal.note(`${scenario.scenario}: ${note}`);
  }
  const contenders = await withOwnModules(flags.scheduler, terminal, () =>
    lab.namedContenders(flags.algorithms, flags.scheduler, folder),
  );
  const rounds = scenarios.map((scenario) => ({
    scenario,
    seeds: lab.seedsFrom(flags.firstSeed, flags.seeds ?? lab.usualSeeds(scenario)),
  }));
  const runs = rounds.reduce((sum, { seeds }) => sum + seeds.length * contenders.length, 0);
  const signal = interruption();
  const progress = new ProgressLine(terminal, runs, 'run');
  progress.draw();
  const comparison = await lab.compare({
    rounds,
    contenders,
    version,
    threads: flags.threads,
    wantsDecisionTimes: flags.decisionTime,
    signal,
    onDone: (done) => {
      progress.count(done, 0);
      progress.draw();
    },
  });
  progress.clear();
  if (signal.aborted) context.exit(exitCodes.interrupted.code);
  if (signal.aborted && comparison.scenarios.every(({ seeds }) => seeds.length === 0)) {
    throw new CommandFailure('interrupted', nothingDone(flags.out));
  }
  const failures: unknown[] = [];
  // One after the other: the same file may be asked for twice.
  for (const { file, form } of files) {
    await writeText(file, folder, [form(comparison)]).catch((error: unknown) => {
      failures.push(error);
    });
  }
  if (flags.json) terminal.json(comparison);
  else
    await terminal.write(`${comparisonText(comparison, lab.comparisonWords, terminal.colors)}\n`);
  // After what was played for long is told, whatever becomes of the files.
  if (failures.length > 0) throw failures[0];
}

function nothingDone(files: readonly string[]): string {
  const notWritten =
    files.length === 0 ? '' : ` ${files.map((file) => `"${file}"`).join(', ')}: not written.`;
  return `No seed was played by all contenders yet: there is nothing to compare.${notWritten}`;
}
