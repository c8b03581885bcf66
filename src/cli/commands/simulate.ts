// `muster simulate`: plays a scenario in virtual time, with the coordinator and the schedulers that decide in life.

import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { assertWritable, writeText } from '../output-file.ts';
import { withOwnModules } from '../process/own-module.ts';
import { wholeNumber } from '../settings/flag-values.ts';
import { ProgressLine } from '../text/progress-line.ts';
import { simulationText } from '../text/simulation-text.ts';
import { renderTable, roomOf } from '../text/table.ts';
import { duration } from '../text/wording.ts';

interface Flags {
  readonly algorithm?: string;
  readonly scheduler?: string;
  readonly seed: number;
  readonly attempts?: string;
  readonly decisionTime?: boolean;
  readonly json?: boolean;
}

const SEED_MOST = 2 ** 31 - 1;

export function declareSimulate(program: Command, context: Context): void {
  program
    .command('simulate')
    .argument(
      '[scenario]',
      'name of a shipped scenario, or path of a scenario (.json) or a trace (.ndjson); without: a list',
    )
    .description(
      'play a scenario in virtual time: made-up devices, the real coordinator and scheduler',
    )
    .option('--algorithm <id>', 'of the scheduler; that of the scenario when left out')
    .addOption(
      new Option('--scheduler <file>', 'a scheduler of your own, as a module').conflicts(
        'algorithm',
      ),
    )
    .addOption(
      new Option('--seed <number>', 'of all chance in it')
        .default(1)
        .argParser(wholeNumber('a seed', 0, SEED_MOST)),
    )
    .option('--attempts <file>', 'write a row for each attempt, as CSV or, for .ndjson, as NDJSON')
    .option(
      '--decision-time',
      'measure how long decisions take on this machine; the one thing that does not repeat',
    )
    .option('--json', 'print everything that was measured as a JSON object')
    .addHelpText(
      'after',
      '\nThe same scenario, seed and version give the same answer, byte for byte, but for what\n' +
        '--decision-time adds.',
    )
    .action((scenario: string | undefined, flags: Flags) => simulate(scenario, flags, context));
}

async function simulate(which: string | undefined, flags: Flags, context: Context): Promise<void> {
  const { terminal, folder, version } = context;
  const lab = await import('../../lab/index.ts');
  if (which === undefined) return listScenarios(flags, context);
  if (flags.attempts !== undefined) await assertWritable([flags.attempts], folder);
  const scenario = lab.readPlayable(which, folder);
  for (const note of lab.notesOf(scenario)) terminal.note(note);
  const { seed, scheduler } = flags;
  let progress: ProgressLine | undefined;
  const onProgress = (completed: number, failed: number) => {
    isQuiet = false;
    progress?.count(completed, failed);
    progress?.draw();
  };
  let isQuiet = false;
  // Where no task ends for long, time still goes on.
  const onTime = (ms: number) => {
    if (isQuiet) progress?.say(`${duration(ms)} of its time`);
    isQuiet = true;
  };
  const play = async () =>
    lab.simulate({
      scenario,
      seed,
      contender:
        scheduler === undefined
          ? lab.algorithmContender(flags.algorithm ?? scenario.algorithm)
          : await lab.ownContender(scheduler, folder),
      version,
      onBegin: (tasks) => {
        progress = new ProgressLine(terminal, tasks);
      },
      ...(terminal.isInteractive ? { onProgress, onTime } : {}),
      ...(flags.decisionTime ? { decisionClock: () => performance.now() * 1000 } : {}),
    });
  const own = scheduler === undefined ? [] : [scheduler];
  const { simulation, plan, played } = await withOwnModules(own, terminal, play);
  progress?.clear();
  if (flags.attempts !== undefined) {
    const form = /\.(ndjson|jsonl)$/i.test(flags.attempts) ? 'ndjson' : 'csv';
    await writeText(flags.attempts, folder, lab.attemptsText(plan, played, form));
  }
  if (flags.json) return terminal.json(simulation);
  await terminal.write(`${simulationText(simulation, lab.comparisonWords, terminal.colors)}\n`);
}

/** What is shipped, when none is named. */
async function listScenarios({ json }: Flags, { terminal, folder }: Context): Promise<void> {
  const { readScenario, shippedScenarios } = await import('../../lab/index.ts');
  const scenarios = shippedScenarios().map((name) => {
    const { about } = readScenario(name, folder);
    return { scenario: name, about };
  });
  if (json) return terminal.json({ scenarios });
  const table = renderTable(
    [
      { title: 'SCENARIO', cell: ({ scenario }: (typeof scenarios)[number]) => scenario },
      { title: 'ABOUT', cell: ({ about }) => about, givesWay: 1, least: 20 },
    ],
    scenarios,
    terminal.colors.dim,
    roomOf(terminal),
  );
  await terminal.write(`${table}\n`);
}
