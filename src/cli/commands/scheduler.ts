// `muster scheduler …`: which algorithm gives out the tasks, with which weights, and how it ranks the
// workers.

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { MusterClient, SchedulerConfigResource } from '../../client/index.ts';
import { algorithmIds, type CriterionId, criterionIds } from '../../core/snapshot.ts';
import { CommandFailure } from '../command-failure.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { rankingText } from '../ranking.ts';
import { oneOf, settingOption } from '../settings.ts';
import { closest } from '../suggestion.ts';
import { type Column, renderFacts, renderTable } from '../table.ts';
import { ago } from '../wording.ts';

const WEIGHT_MOST = 1_000_000;
/** The algorithms that compare workers by the criteria. */
const WEIGHING: readonly string[] = ['wrr', 'edas', 'aras', 'mabac'];

type Weights = Readonly<Partial<Record<CriterionId, number>>>;

interface SetFlags extends ClientFlags {
  readonly weights?: Weights;
  readonly weighting?: 'manual' | 'entropy';
}

export function declareScheduler(program: Command, context: Context): void {
  const scheduler = program
    .command('scheduler')
    .description('show or change how tasks are given to workers');
  const declare = (usage: string, description: string) =>
    scheduler
      .command(usage)
      .description(description)
      .addOption(settingOption('url'))
      .option('--json', 'print what the coordinator answers');

  scheduler
    .command('show', { isDefault: true })
    .description('the algorithm and the weights in force (also without a word)')
    .addOption(settingOption('url'))
    .option('--json', 'print what the coordinator answers')
    .allowExcessArguments()
    .action(async (flags: ClientFlags, command: Command) => {
      refuseWords(command.args);
      const client = await openClient(flags);
      await tell(await client.scheduler.config(), flags, context);
    });

  declare('activate', 'let another algorithm decide, from the very next decision on')
    .argument('<algorithm>', algorithmIds.join(', '), oneOf('an algorithm', algorithmIds))
    .action(async (algorithm: string, flags: ClientFlags) => {
      const client = await openClient(flags);
      await tell(await client.scheduler.activate(algorithm), flags, context);
    });

  declare('set', 'change the weights of the criteria, or where they come from')
    .addOption(
      new Option(
        '--weights <list>',
        'like cpu=0.4,latency=0.1; one that is left out keeps its value',
      ).argParser(weights),
    )
    .addOption(
      new Option(
        '--weighting <way>',
        'manual: as set; entropy: criteria that vary more across the workers weigh more',
      ).argParser(oneOf('a weighting', ['manual', 'entropy'])),
    )
    .action((flags: SetFlags) => change(flags, context));

  declare('info', 'what waits, the last decision, and how the workers rank').action(
    (flags: ClientFlags) => showInfo(flags, context),
  );
}

/** `muster scheduler edas` means: activate it. */
function refuseWords([word]: readonly string[]): void {
  if (word === undefined) return;
  const isAlgorithm = (algorithmIds as readonly string[]).includes(word);
  throw new CommandFailure('usage', `There is no \`muster scheduler ${word}\`.`, [
    isAlgorithm
      ? `To let it decide:  muster scheduler activate ${word}`
      : 'There are: show, activate, set, info.',
  ]);
}

async function change({ weights: given, weighting, ...flags }: SetFlags, context: Context) {
  if (given === undefined && weighting === undefined) {
    throw new CommandFailure('usage', 'Nothing to set.', [
      'Give --weights cpu=0.4,latency=0.1, or --weighting entropy.',
    ]);
  }
  const client = await openClient(flags);
  const config = await client.scheduler.configure({
    ...(given === undefined ? {} : { weights: given }),
    ...(weighting === undefined ? {} : { weighting }),
  });
  await tell(config, flags, context);
}

async function tell(
  config: SchedulerConfigResource,
  flags: ClientFlags,
  { terminal }: Context,
): Promise<void> {
  if (flags.json) return terminal.print(JSON.stringify(config));
  const facts = renderFacts([
    ['algorithm', config.algorithm],
    ['weighting', config.weighting],
    ['changed', ago(config.updated_at, Date.now())],
  ]);
  const table = renderTable(weightColumns(config), criterionIds, terminal.colors.dim);
  await terminal.write(`${facts}\n\n${table}\n`);
  if (WEIGHING.includes(config.algorithm)) return;
  terminal.note(
    terminal.noteColors.dim(
      `${config.algorithm} does not read the weights; ${WEIGHING.join(', ')} do`,
    ),
  );
}

function weightColumns(config: SchedulerConfigResource): readonly Column<CriterionId>[] {
  const text = (value: number | undefined) =>
    value === undefined ? '-' : String(Number(value.toFixed(4)));
  return [
    { title: 'CRITERION', cell: (id) => id },
    { title: 'WEIGHT', align: 'right', cell: (id) => text(config.weights[id]) },
    { title: 'IN FORCE', align: 'right', cell: (id) => text(config.effective_weights[id]) },
  ];
}

async function showInfo(flags: ClientFlags, { terminal }: Context): Promise<void> {
  const client: MusterClient = await openClient(flags);
  const info = await client.scheduler.info();
  if (flags.json) return terminal.print(JSON.stringify(info));
  const workers = await client.workers();
  const names = new Map(workers.map(({ id, name }) => [id, name]));
  await terminal.write(`${rankingText(info, names, Date.now(), terminal.colors)}\n`);
  if (info.workers.length > 0) return;
  terminal.note(`no worker is there to be ranked; start one with  muster worker ${client.url}`);
}

/** `cpu=.4,latency=.1` */
function weights(text: string, previous: unknown): Weights {
  const found: Partial<Record<CriterionId, number>> = { ...(previous as Weights | undefined) };
  for (const pair of text.split(',')) {
    const [name = '', value = ''] = pair.split('=').map((part) => part.trim());
    const id = criterionIds.find((each) => each === name);
    if (id === undefined) throw unknownCriterion(name, pair);
    const weight = value === '' ? Number.NaN : Number(value);
    if (!(weight >= 0 && weight <= WEIGHT_MOST)) {
      throw new InvalidArgumentError(
        `"${pair}" is not a weight: one looks like ${id}=0.4, from 0 to ${WEIGHT_MOST}.`,
      );
    }
    found[id] = weight;
  }
  return found;
}

function unknownCriterion(name: string, pair: string): InvalidArgumentError {
  const nearest = closest(name, criterionIds);
  const advice = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  return new InvalidArgumentError(
    `"${pair}" names no criterion: there are ${criterionIds.join(', ')}.${advice}`,
  );
}
