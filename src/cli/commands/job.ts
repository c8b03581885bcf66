// `muster job JOB`: shows one job, its counts, and on request its tasks.

import type { Command } from 'commander';
import type {
  JobDetail,
  JobHead,
  JobNotification,
  MusterClient,
  TaskEntry,
} from '../../client/index.ts';
import { defaultProgramKind } from '../../protocol/program.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { JOB_HANDLE, withJob } from '../handles.ts';
import { errorKindText } from '../text/job-errors.ts';
import { paintStatus } from '../text/paint-status.ts';
import { settingOption } from '../settings/settings.ts';
import { renderFacts, renderTable } from '../text/table.ts';
import type { Colors } from '../text/colors.ts';
import { toldFacts } from '../text/notification-text.ts';
import { clockFor } from '../text/times.ts';
import { ago, ahead, counted, duration, grouped, percent } from '../text/wording.ts';

interface Flags extends ClientFlags {
  readonly tasks?: boolean;
}

export function declareJob(program: Command, context: Context): void {
  program
    .command('job')
    .description('show one job')
    .argument('<job>', JOB_HANDLE)
    .option('--tasks', 'list its tasks, too')
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print what the coordinator answers; the tasks only with --tasks')
    .action((handle: string, flags: Flags) => showJob(handle, flags, context));
}

async function showJob(handle: string, flags: Flags, { terminal }: Context): Promise<void> {
  const client = await openClient(flags);
  const job = await withJob(client, handle, (id) =>
    flags.tasks ? client.job(id) : client.jobHead(id),
  );
  if (flags.json) return terminal.json(job);
  const nowMs = Date.now();
  const told = await notificationsOf(client, job);
  const facts = [
    ...factsOf(job, nowMs, terminal.colors),
    ...(await errorFacts(client, job, terminal.colors)),
    ...toldFacts(job, told, nowMs),
  ];
  await terminal.write(`${renderFacts(facts)}\n`);
  const { tasks } = job as Partial<JobDetail>;
  if (tasks !== undefined) await terminal.write(`\n${taskTable(tasks, terminal.colors)}\n`);
}

/** Of a job of which nobody is told there are none. */
function notificationsOf(
  client: MusterClient,
  { id, notify }: JobHead,
): Promise<readonly JobNotification[]> | readonly JobNotification[] {
  return notify === undefined ? [] : client.notifications(id);
}

/** The most frequent kinds of error, of a job in which tasks have failed. */
async function errorFacts(
  client: MusterClient,
  { id, counts }: JobHead,
  colors: Colors,
): Promise<readonly (readonly [string, string])[]> {
  if (counts.failed === 0) return [];
  const errors = await client.errors(id, { limit: KINDS_SHOWN }).catch((error: unknown) => {
    // Coordinators of before do not know the question.
    if ((error as { code?: unknown }).code === 'not_found') return undefined;
    throw error;
  });
  const { kinds = [], attempts = 0 } = errors ?? {};
  const rest = attempts - kinds.reduce((sum, kind) => sum + kind.attempts, 0);
  return [
    ...kinds.map((kind) => colors.red(errorKindText(kind))),
    ...(rest > 0 ? [`more:  muster errors ${id}`] : []),
  ].map((text, at) => [at === 0 ? 'errors' : '', text]);
}

const KINDS_SHOWN = 3;

/** Most programs are JavaScript, of which nothing is said. */
function isOther(kind: string | undefined): kind is string {
  return kind !== undefined && kind !== defaultProgramKind;
}

function factsOf(
  job: JobHead,
  nowMs: number,
  colors: Colors,
): readonly (readonly [string, string])[] {
  const counts = Object.entries(job.counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${grouped(count)} ${name}`);
  const endMs = job.completed_at === null ? nowMs : Date.parse(job.completed_at);
  const tookMs = endMs - Date.parse(job.created_at);
  const clock = clockFor([], nowMs);
  return [
    ['id', job.id],
    ['name', job.name ?? '-'],
    ['status', paintStatus(job.status, colors)],
    ...(typeof job.held_since === 'string'
      ? [['held since', `${clock.short(job.held_since)} (${ago(job.held_since, nowMs)})`] as const]
      : []),
    ['progress', `${percent(job.progress)} of ${counted(job.task_count, 'task')}`],
    ['tasks', counts.join(', ')],
    ['priority', String(job.priority)],
    ...(isOther(job.program_kind) ? [['program', job.program_kind] as const] : []),
    // The admin's own have none.
    ...(job.owner === undefined ? [] : [['owner', job.owner] as const]),
    ['client', job.client_id],
    ['created', `${clock.short(job.created_at)} (${ago(job.created_at, nowMs)})`],
    ...(job.started_at === null
      ? []
      : [['started', `${clock.short(job.started_at)} (${ago(job.started_at, nowMs)})`] as const]),
    ...(job.completed_at === null
      ? []
      : [['ended', `${clock.short(job.completed_at)} (${ago(job.completed_at, nowMs)})`] as const]),
    [spanName(job), duration(tookMs)],
    // Coordinators of before do not say.
    ...(typeof job.expires_at === 'string'
      ? [
          [
            'kept until',
            `${clock.short(job.expires_at)} (${ahead(job.expires_at, nowMs)})`,
          ] as const,
        ]
      : []),
    ['times', clock.zone],
    ...(job.error === null ? [] : [['error', colors.red(job.error)] as const]),
  ];
}

/** What it has done since it was submitted. */
function spanName({ completed_at: ended, started_at: begun }: JobHead): string {
  if (ended !== null) return 'took';
  return begun === null ? 'waiting for' : 'running for';
}

function taskTable(tasks: readonly TaskEntry[], colors: Colors): string {
  return renderTable<TaskEntry>(
    [
      { title: 'INDEX', align: 'right', cell: ({ index }) => String(index) },
      { title: 'STATUS', cell: ({ status }) => paintStatus(status, colors) },
      { title: 'ATTEMPT', align: 'right', cell: ({ attempt }) => String(attempt) },
      { title: 'WORKER', cell: (task) => task.worker_id ?? '-' },
    ],
    tasks,
    colors.dim,
  );
}
