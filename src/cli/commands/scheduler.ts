// `muster scheduler …`: shows and changes which algorithm places the tasks, with which weights, and shows
// how it ranks the workers.

import type { Command } from 'commander';
import type { MusterClient, SchedulerConfigResource } from '../../client/index.ts';
import {
  type AlgorithmId,
  algorithmIds,
  type CriterionId,
  criterionIds,
} from '../../core/snapshot.ts';
import { CommandFailure } from '../command-failure.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { criteriaText } from '../text/criteria-text.ts';
import { previewText } from '../text/preview-text.ts';
import { namesOf, rankingText } from '../text/ranking.ts';
import {
  addRequirementFlags,
  type RequirementFlags,
  requirementsOf,
} from '../settings/requirement-flags.ts';
import { schedulerHistoryText } from '../text/scheduler-history.ts';
import { addWeightFlags, changeOf, type WeightFlags } from '../settings/scheduler-flags.ts';
import { oneOf, wholeNumber } from '../settings/flag-values.ts';
import { settingOption } from '../settings/settings.ts';
import { type Column, renderFacts, renderTable } from '../text/table.ts';
import { ago } from '../text/wording.ts';
import { workerHint } from '../worker-hint.ts';

const PREVIEWED_MOST = 1_000;
const REMEMBERED_USUAL = 50;
const REMEMBERED_MOST = 1_000;
/** The algorithms that compare workers by the criteria. */
const WEIGHING: readonly string[] = ['wrr', 'edas', 'aras', 'mabac'];

interface SetFlags extends ClientFlags, WeightFlags {}

interface HistoryFlags extends ClientFlags {
  readonly last?: number;
}

interface PreviewFlags extends SetFlags, RequirementFlags {
  readonly algorithm?: AlgorithmId;
  readonly tasks?: number;
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
      .addOption(settingOption('pin'))
      .option('--json', 'print what the coordinator answers');

  scheduler
    .command('show', { isDefault: true })
    .description('the algorithm and the weights in force (also without a word)')
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print what the coordinator answers')
    .allowExcessArguments()
    .action(async (flags: ClientFlags, command: Command) => {
      refuseWords(command.args);
      const client = await openClient(flags);
      await tell(await client.scheduler.config(), flags, context);
    });

  declare('activate', 'let another algorithm decide, from the very next decision on')
    .argument('<algorithm>', algorithmIds.join(', '), oneOf('an algorithm', algorithmIds))
    .action(async (algorithm: AlgorithmId, flags: ClientFlags) => {
      const client = await openClient(flags);
      await tell(await client.scheduler.activate(algorithm), flags, context);
    });

  addWeightFlags(
    declare('set', 'change the weights of the criteria, or where they come from'),
  ).action((flags: SetFlags) => change(flags, context));

  declare('info', 'what waits, the last decision, and how the workers rank').action(
    (flags: ClientFlags) => showInfo(flags, context),
  );

  declare('criteria', 'what the workers are compared by').action((flags: ClientFlags) =>
    showCriteria(flags, context),
  );

  declare('history', 'what was in force from when on, and who set it; newest first')
    .option(
      '--last <number>',
      'so many at the most (default 50)',
      wholeNumber('a number of entries', 1, REMEMBERED_MOST),
    )
    .action((flags: HistoryFlags) => showHistory(flags, context));

  const preview = declare('preview', 'how the workers would rank; changes nothing')
    .option('--algorithm <id>', algorithmIds.join(', '), oneOf('an algorithm', algorithmIds))
    .option(
      '--tasks <number>',
      'how many tasks to place on a copy of the cluster',
      wholeNumber('a number of tasks', 1, PREVIEWED_MOST),
    );
  addRequirementFlags(addWeightFlags(preview)).action((flags: PreviewFlags) =>
    showPreview(flags, context),
  );
}

/** Whoever types `muster scheduler edas` wants to activate that algorithm, and is told how. */
function refuseWords([word]: readonly string[]): void {
  if (word === undefined) return;
  const isAlgorithm = (algorithmIds as readonly string[]).includes(word);
  throw new CommandFailure('usage', `There is no \`muster scheduler ${word}\`.`, [
    isAlgorithm
      ? `To let it decide:  muster scheduler activate ${word}`
      : 'There are: show, activate, set, info, criteria, history, preview.',
  ]);
}

async function change(flags: SetFlags, context: Context): Promise<void> {
  const given = changeOf(flags);
  if (Object.keys(given).length === 0) {
    throw new CommandFailure('usage', 'Nothing to set.', [
      'Give --weights cpu=0.4,latency=0.1, or --weighting entropy.',
    ]);
  }
  const client = await openClient(flags);
  await tell(await client.scheduler.configure(given), flags, context);
}

async function tell(
  config: SchedulerConfigResource,
  flags: ClientFlags,
  { terminal }: Context,
): Promise<void> {
  if (flags.json) return terminal.json(config);
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
  if (flags.json) return terminal.json(info);
  const names = namesOf(await client.workers());
  await terminal.write(`${rankingText(info, names, Date.now(), terminal)}\n`);
  if (info.workers.length > 0) return;
  terminal.note(`no worker is there to be ranked; ${await workerHint(flags)}`);
}

async function showCriteria(flags: ClientFlags, { terminal }: Context): Promise<void> {
  const client = await openClient(flags);
  const criteria = await client.scheduler.criteria();
  if (flags.json) return terminal.json(criteria);
  await terminal.write(`${criteriaText(criteria, terminal)}\n`);
}

async function showHistory(
  { last = REMEMBERED_USUAL, ...flags }: HistoryFlags,
  { terminal }: Context,
): Promise<void> {
  const client = await openClient(flags);
  // One more: what has changed is told by what was before.
  const limit = Math.min(last + 1, REMEMBERED_MOST);
  const entries = await client.scheduler.history({ limit });
  if (flags.json) return terminal.json(entries.slice(0, last));
  await terminal.write(`${schedulerHistoryText(entries, last, terminal)}\n`);
}

async function showPreview(flags: PreviewFlags, { terminal }: Context): Promise<void> {
  const { algorithm, tasks } = flags;
  const requirements = requirementsOf(flags);
  const client = await openClient(flags);
  const preview = await client.scheduler.preview({
    ...changeOf(flags),
    ...(algorithm === undefined ? {} : { algorithm }),
    ...(tasks === undefined ? {} : { tasks }),
    ...(requirements === undefined ? {} : { requirements }),
  });
  if (flags.json) return terminal.json(preview);
  const names = namesOf(await client.workers());
  await terminal.write(`${previewText(preview, names, terminal)}\n`);
  if (preview.workers.length > 0) return;
  terminal.note(`no worker is there to be ranked; ${await workerHint(flags)}`);
}
