// `muster delete`: jobs that have ended, and all that belongs to them, are removed for good: those that are
// named, or all that a filter finds. What was shown is what is removed: nothing is decided behind the answer.

import { type Command, Option } from 'commander';
import type { JobStatus, JobSummary, MusterClient } from '../../client/index.ts';
import { CommandFailure } from '../command-failure.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { endedJobs, type EndedJobsFilter } from '../wanted-jobs.ts';
import { isWholeId, namedText, withJob } from '../handles.ts';
import { oneOf } from '../settings/flag-values.ts';
import { pastMoment } from '../settings/moment.ts';
import { settingOption } from '../settings/settings.ts';
import { askYesNo, canAsk } from '../text/question.ts';
import { renderTable, roomOf, shortId } from '../text/table.ts';
import { ago, counted, grouped } from '../text/wording.ts';

const STATUSES = ['completed', 'failed', 'cancelled'];
/** More named jobs than a person looks over are asked about, too. */
const MANY = 10;
const SHOWN = 10;
const NAME_LEAST = 12;
/** Deletions under way at a time: the coordinator commits them together. */
const AT_A_TIME = 16;

interface Flags extends ClientFlags, EndedJobsFilter {
  readonly status?: JobStatus;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export function declareDelete(program: Command, context: Context): void {
  program
    .command('delete')
    .description('remove jobs that have ended, with their results, for good')
    .argument('[jobs...]', 'ids, parts of them, names, or last; without any, the flags say which')
    .addOption(
      new Option('--before <moment>', 'that ended before then: 7d, 12h, 2026-01-31').argParser(
        (text: string) => pastMoment(text),
      ),
    )
    .addOption(
      new Option('--status <status>', `that are ${STATUSES.join(', ')}`).argParser(
        oneOf('a status of a job that has ended', STATUSES),
      ),
    )
    .option('--client <text>', 'with this label of who submitted')
    .option('--name <pattern>', "with such a name, like 'pi*'")
    .option('--dry-run', 'only show which')
    .option('--yes', 'do not ask')
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print what the coordinator answers; with --dry-run, the jobs')
    .action((handles: readonly string[], flags: Flags) =>
      deleteJobs([...new Set(handles)], flags, context),
    );
}

async function deleteJobs(
  handles: readonly string[],
  flags: Flags,
  context: Context,
): Promise<void> {
  const { terminal } = context;
  const isFiltered = [flags.before, flags.status, flags.client, flags.name].some(
    (value) => value !== undefined,
  );
  if (handles.length > 0 === isFiltered) throw unclear(isFiltered);
  const client = await openClient(flags);
  // Who types `last` or a part of an id has not seen which job that is: a person is shown it, and asked.
  const isGuess = !handles.every(isWholeId);
  const isAsked = isFiltered || (isGuess && canAsk(context.terminal));
  if (handles.length === 1 && flags.dryRun !== true && (!isAsked || flags.yes === true)) {
    return deleteOne(client, handles[0]!, flags, context);
  }
  const jobs = isFiltered ? await endedJobs(client, flags) : await namedJobs(client, handles);
  if (flags.dryRun && flags.json) return terminal.json(jobs);
  if (jobs.length === 0 && !flags.json) return terminal.note('no job that has ended is like that');
  const tasks = jobs.reduce((sum, { task_count }) => sum + task_count, 0);
  const what = `${counted(jobs.length, 'job')} with ${counted(tasks, 'task')}`;
  if (flags.dryRun) {
    await terminal.write(`${jobTable(jobs, context)}\n`);
    return terminal.note(`${what} would be removed, with their results`);
  }
  if (flags.yes !== true && (isAsked || jobs.length > MANY) && jobs.length > 0) {
    for (const line of jobTable(jobs, context).split('\n')) terminal.note(line);
    const isWanted = await askYesNo(terminal, `Remove ${what} and their results for good?`);
    if (isWanted === undefined) throw unasked(what);
    if (!isWanted) return terminal.note('nothing is removed');
  }
  if (handles.length === 1) return deleteOne(client, jobs[0]!.id, flags, context);
  if (handles.length > 0) tellMeant(jobs, handles, context);
  const removals = await deleteEach(client, jobs, flags, context);
  const isRefused = handles.length > 0 && removals.some(({ status }) => status !== 'deleted');
  if (isRefused) context.exit(exitCodes.refused.code);
}

async function deleteOne(
  client: MusterClient,
  handle: string,
  flags: Flags,
  { terminal }: Context,
): Promise<void> {
  const answer = await withJob(client, handle, (id) => client.deleteJob(id));
  if (flags.json) terminal.json(answer);
  else terminal.note(`${answer.job_id} is removed, with its results`);
}

/** Each must be there: otherwise a typing error would remove all but one. */
async function namedJobs(
  client: MusterClient,
  handles: readonly string[],
): Promise<readonly JobSummary[]> {
  const jobs = await Promise.all(
    handles.map((handle) => withJob(client, handle, (id) => client.jobHead(id))),
  );
  // Two handles may mean one job.
  return [...new Map(jobs.map((job) => [job.id, job])).values()];
}

/** Says which jobs were taken for what was typed. */
function tellMeant(
  jobs: readonly JobSummary[],
  handles: readonly string[],
  { terminal }: Context,
): void {
  for (const job of jobs) if (!handles.includes(job.id)) terminal.note(namedText(job));
}

interface Removal {
  readonly job_id: string;
  /** `kept`: it goes on. `gone`: somebody was faster. */
  readonly status: 'deleted' | 'kept' | 'gone';
}

async function deleteEach(
  client: MusterClient,
  jobs: readonly JobSummary[],
  flags: Flags,
  { terminal }: Context,
): Promise<readonly Removal[]> {
  const removals: Removal[] = [];
  const waiting = jobs.values();
  const count = (status: Removal['status']) =>
    removals.filter((removal) => removal.status === status).length;
  const work = async () => {
    for (const { id } of waiting) {
      removals.push({ job_id: id, status: await remove(client, id) });
      terminal.status(`${grouped(removals.length)} of ${counted(jobs.length, 'job')} …`);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
  } catch (error) {
    terminal.note(`${counted(count('deleted'), 'job')} of ${grouped(jobs.length)} removed so far`);
    throw error;
  } finally {
    terminal.status('');
  }
  if (flags.json) {
    terminal.json(removals);
    return removals;
  }
  terminal.note(`${counted(count('deleted'), 'job')} removed, with results`);
  if (count('kept') > 0) terminal.note(`${counted(count('kept'), 'job')} not: not ended`);
  if (count('gone') > 0) terminal.note(`${counted(count('gone'), 'job')} had gone meanwhile`);
  return removals;
}

async function remove(client: MusterClient, id: string): Promise<Removal['status']> {
  try {
    await client.deleteJob(id);
    return 'deleted';
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === 'job_not_final') return 'kept';
    if (code === 'unknown_job') return 'gone';
    throw error;
  }
}

function jobTable(jobs: readonly JobSummary[], { terminal }: Context): string {
  const nowMs = Date.now();
  const table = renderTable<JobSummary>(
    [
      { title: 'ID', cell: ({ id }) => id, givesWay: 1, short: ({ id }) => shortId(id) },
      { title: 'NAME', cell: ({ name }) => name ?? '-', givesWay: 3, least: NAME_LEAST },
      { title: 'STATUS', cell: ({ status }) => status },
      { title: 'TASKS', align: 'right', cell: (job) => grouped(job.task_count), givesWay: 4 },
      {
        title: 'ENDED',
        align: 'right',
        cell: ({ completed_at }) => (completed_at === null ? '-' : ago(completed_at, nowMs)),
        givesWay: 2,
      },
    ],
    jobs.slice(0, SHOWN),
    terminal.colors.dim,
    roomOf(terminal),
  );
  const more = jobs.length - SHOWN;
  return more > 0 ? `${table}\n… and ${counted(more, 'job')} more` : table;
}

function unclear(isFiltered: boolean): CommandFailure {
  const example = 'For example: muster delete --before 7d --status completed --dry-run';
  return isFiltered
    ? new CommandFailure('usage', 'Name jobs by their ids, or by flags, not both.', [example])
    : new CommandFailure('usage', 'Which jobs? Give ids, or flags that say which.', [example]);
}

function unasked(what: string): CommandFailure {
  return new CommandFailure(
    'usage',
    `This would remove ${what}, and nobody is at a terminal to be asked.`,
    ['Say --yes to remove them, or --dry-run to see which they are.'],
  );
}
