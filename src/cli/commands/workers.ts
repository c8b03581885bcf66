// `muster workers`: lists the workers of a coordinator.

import type { Command } from 'commander';
import type { WorkerResource } from '../../client/index.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { paintStatus } from '../text/paint-status.ts';
import { settingOption } from '../settings/settings.ts';
import { type Column, renderTable } from '../text/table.ts';
import type { Colors } from '../text/colors.ts';
import { refusalLines } from '../text/refusals.ts';
import { ago, ahead, grouped } from '../text/wording.ts';

export function declareWorkers(program: Command, context: Context): void {
  program
    .command('workers')
    .description('list the workers')
    .addOption(settingOption('url'))
    .option('--json', 'print the array that the coordinator answers')
    .action((flags: ClientFlags) => listWorkers(flags, context));
}

async function listWorkers(flags: ClientFlags, { terminal }: Context): Promise<void> {
  const client = await openClient(flags);
  const workers = await client.workers();
  if (flags.json) return terminal.json(workers);
  if (workers.length === 0) {
    return terminal.note(`no workers yet; start one with  muster worker ${client.url}`);
  }
  const columns = columnsOf(terminal.colors, Date.now());
  const table = renderTable(columns, byName(workers), terminal.colors.dim);
  await terminal.write([table, ...refusalLines(byName(workers), Date.now()), ''].join('\n'));
}

/** Sorts by name, `desk-2` before `desk-10`; the coordinator lists workers in order of registration. */
function byName(workers: readonly WorkerResource[]): readonly WorkerResource[] {
  return workers.toSorted((one, other) =>
    (one.name ?? one.id).localeCompare(other.name ?? other.id, 'en', { numeric: true }),
  );
}

function columnsOf(colors: Colors, nowMs: number): readonly Column<WorkerResource>[] {
  return [
    { title: 'ID', cell: ({ id }) => id },
    { title: 'NAME', cell: ({ name }) => name ?? '-' },
    { title: 'TYPE', cell: ({ type, platform }) => `${type} ${platform}` },
    { title: 'STATUS', cell: (worker) => statusOf(worker, colors, nowMs) },
    {
      title: 'TASKS',
      align: 'right',
      cell: ({ active_tasks, slots }) => `${grouped(active_tasks)} in ${grouped(slots)}`,
    },
    { title: 'COMPLETED', align: 'right', cell: (worker) => grouped(worker.total_completed) },
    { title: 'FAILED', align: 'right', cell: (worker) => grouped(worker.total_failed) },
    { title: 'CPU', align: 'right', cell: loadOf },
    { title: 'VERSION', cell: ({ version }) => version ?? '-' },
    { title: 'HEARTBEAT', align: 'right', cell: (worker) => ago(worker.last_heartbeat, nowMs) },
  ];
}

/** With what the status alone does not say: until when it drains, and that it is about to go. */
function statusOf(
  { status, draining, leaving }: WorkerResource,
  colors: Colors,
  nowMs: number,
): string {
  const until = status === 'draining' ? (draining?.deadline ?? null) : null;
  return [
    paintStatus(status, colors),
    ...(until === null ? [] : [`over ${ahead(until, nowMs)}`]),
    ...(leaving ? ['leaving'] : []),
  ].join(', ');
}

function loadOf({ telemetry }: WorkerResource): string {
  const load = telemetry.cpu_load_percent;
  return typeof load === 'number' ? `${Math.round(load)} %` : '-';
}
