// `muster jobs`: lists the jobs, newest first.

import { type Command, Option } from 'commander';
import type { JobStatus, JobSummary } from '../../client/index.ts';
import type { Colors } from '../text/colors.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { jobsLike } from '../wanted-jobs.ts';
import { paintStatus } from '../text/paint-status.ts';
import { oneOf, wholeNumber } from '../settings/flag-values.ts';
import { pastMoment } from '../settings/moment.ts';
import { settingOption } from '../settings/settings.ts';
import { plainText } from '../text/foreign-text.ts';
import { type Column, renderTable, roomOf, shortId } from '../text/table.ts';
import { cutToWidth } from '../text/text-width.ts';
import type { Terminal } from '../text/terminal.ts';
import { ago, duration, grouped } from '../text/wording.ts';

const STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'];
const MOST = 10_000;

interface Flags extends ClientFlags {
  readonly status?: JobStatus;
  readonly name?: string;
  readonly client?: string;
  readonly since?: number;
  readonly limit?: number;
}

export function declareJobs(program: Command, context: Context): void {
  program
    .command('jobs')
    .description('list the jobs, newest first')
    .addOption(
      new Option('--status <status>', `only jobs that are ${STATUSES.join(', ')}`).argParser(
        oneOf('a status', STATUSES),
      ),
    )
    .option('--name <pattern>', "with such a name, like 'pi*'")
    .option('--client <text>', 'with this label of who submitted')
    .addOption(
      new Option('--since <moment>', 'submitted since then: 7d, 12h, 2026-01-31').argParser(
        (text: string) => pastMoment(text),
      ),
    )
    .addOption(
      new Option('--limit <number>', 'at most so many').argParser(
        wholeNumber('a number of jobs', 1, MOST),
      ),
    )
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print the array that the coordinator answers')
    .action((flags: Flags) => listJobs(flags, context));
}

async function listJobs(flags: Flags, { terminal }: Context): Promise<void> {
  const client = await openClient(flags);
  const jobs = await Array.fromAsync(jobsLike(client, flags));
  if (flags.json) return terminal.json(jobs);
  if (jobs.length === 0) {
    const { status, name, client: label, since } = flags;
    const isFiltered = [name, label, since].some((value) => value !== undefined);
    if (isFiltered) return terminal.note('no job is like that; `muster jobs` lists all');
    const none = status === undefined ? 'no jobs yet' : `no ${status} jobs`;
    return terminal.note(`${none}; submit one with  muster submit PROGRAM.js --inputs FILE`);
  }
  const nowMs = Date.now();
  await terminal.write(`${jobTable(jobs, nowMs, terminal)}\n`);
}

function jobTable(jobs: readonly JobSummary[], nowMs: number, terminal: Terminal): string {
  const { colors } = terminal;
  const room = roomOf(terminal);
  const isOwned = jobs.some(({ owner }) => owner !== undefined);
  return renderTable<JobSummary>(
    [
      { title: 'ID', cell: ({ id }) => id, givesWay: 1, short: ({ id }) => shortId(id) },
      { title: 'NAME', cell: ({ name }) => name ?? '-', givesWay: 3, least: NAME_LEAST },
      ...(isOwned ? [ownerColumn(room)] : []),
      { title: 'STATUS', cell: (job) => statusOf(job, colors) },
      { title: 'TASKS', align: 'right', cell: (job) => grouped(job.task_count), givesWay: 5 },
      {
        title: 'CREATED',
        align: 'right',
        cell: (job) => ago(job.created_at, nowMs),
        givesWay: 2,
      },
      { title: 'TOOK', align: 'right', cell: tookOf, givesWay: 4 },
    ],
    jobs,
    colors.dim,
    room,
  );
}

const NAME_LEAST = 12;
const OWNER_MOST = 20;

/** Of the admin's own jobs nothing is said: where nobody needs a token, all are. */
function ownerColumn(room: number): Column<JobSummary> {
  const cell = ({ owner = '-' }: JobSummary) =>
    room === Infinity ? owner : cutToWidth(plainText(owner), OWNER_MOST);
  return { title: 'OWNER', cell, givesWay: 6 };
}

function statusOf({ status, held_since: held }: JobSummary, colors: Colors): string {
  const shown = paintStatus(status, colors);
  // Coordinators of before do not say.
  return typeof held === 'string' ? `${shown}, ${paintStatus('held', colors)}` : shown;
}

function tookOf(job: JobSummary): string {
  if (job.completed_at === null) return '-';
  return duration(Date.parse(job.completed_at) - Date.parse(job.created_at));
}
