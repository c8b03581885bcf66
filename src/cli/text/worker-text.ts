// Workers as text: a table of all, and one with what it is, measures and does.

import type {
  WorkerAttempt,
  WorkerDetail,
  WorkerFailure,
  WorkerResource,
} from '../../client/index.ts';
import { restText } from '../../protocol/resting.ts';
import type { Colors } from './colors.ts';
import { plainText } from './foreign-text.ts';
import { paintStatus } from './paint-status.ts';
import type { Page } from './ranking.ts';
import { type Column, renderFacts, renderTable, roomOf, shortId } from './table.ts';
import type { Terminal } from './terminal.ts';
import { ago, ahead, duration, grouped, percent } from './wording.ts';

const ERROR_SHOWN = 160;
const NAME_LEAST = 8;

export function workerTable(
  workers: readonly WorkerResource[],
  nowMs: number,
  page: Pick<Terminal, 'colors' | 'columns' | 'isWatched'>,
): string {
  const { colors } = page;
  const columns = [
    ...columnsOf(colors, nowMs),
    ...(workers.some(({ joined_by: by }) => by !== undefined) ? [joinedColumn] : []),
  ];
  return renderTable(columns, byName(workers), colors.dim, roomOf(page));
}

/** Sorts by name, `desk-2` before `desk-10`; the coordinator lists workers in order of registration. */
export function byName(workers: readonly WorkerResource[]): readonly WorkerResource[] {
  return workers.toSorted((one, other) =>
    (one.name ?? one.id).localeCompare(other.name ?? other.id, 'en', { numeric: true }),
  );
}

const joinedColumn: Column<WorkerResource> = {
  title: 'JOINED BY',
  cell: ({ joined_by: by }) => by?.label ?? by?.token_id ?? '-',
  givesWay: 0,
};

function columnsOf(colors: Colors, nowMs: number): readonly Column<WorkerResource>[] {
  return [
    { title: 'ID', cell: ({ id }) => id, givesWay: 2, short: ({ id }) => shortId(id) },
    { title: 'NAME', cell: ({ name }) => name ?? '-', givesWay: 5, least: NAME_LEAST },
    {
      title: 'TYPE',
      cell: ({ type, platform }) => `${type} ${platform}`,
      givesWay: 4,
      short: ({ type }) => type,
    },
    { title: 'STATUS', cell: (worker) => statusText(worker, colors, nowMs) },
    {
      title: 'TASKS',
      align: 'right',
      cell: ({ active_tasks, slots }) => `${grouped(active_tasks)} in ${grouped(slots)}`,
      givesWay: 9,
    },
    {
      title: 'COMPLETED',
      align: 'right',
      cell: (worker) => grouped(worker.total_completed),
      givesWay: 8,
    },
    {
      title: 'FAILED',
      align: 'right',
      cell: (worker) => grouped(worker.total_failed),
      givesWay: 7,
    },
    { title: 'CPU', align: 'right', cell: loadOf, givesWay: 3 },
    { title: 'VERSION', cell: ({ version }) => version ?? '-', givesWay: 1 },
    {
      title: 'HEARTBEAT',
      align: 'right',
      cell: (worker) => ago(worker.last_heartbeat, nowMs),
      givesWay: 6,
    },
  ];
}

/** With what the status alone does not say: until when it drains, that it is about to go, and why it rests. */
function statusText(
  { status, draining, leaving, rests_because: rest, waits_until: end }: WorkerResource,
  colors: Colors,
  nowMs: number,
): string {
  const until = status === 'draining' ? (draining?.deadline ?? null) : null;
  return [
    paintStatus(status, colors),
    ...(until === null ? [] : [`over ${ahead(until, nowMs)}`]),
    ...(end === undefined ? [] : [`removed ${ahead(end, nowMs)}`]),
    ...(leaving ? ['leaving'] : []),
    // A coordinator of before says nothing of it.
    ...(typeof rest === 'string' ? [`resting: ${restText(rest)}`] : []),
  ].join(', ');
}

function loadOf({ telemetry }: WorkerResource): string {
  const load = telemetry.cpu_load_percent;
  return typeof load === 'number' ? `${Math.round(load)} %` : '-';
}

export function workerDetailText(
  worker: WorkerDetail,
  failures: readonly WorkerFailure[],
  nowMs: number,
  { colors }: Page,
): string {
  return [
    renderFacts(factsOf(worker, nowMs, colors)),
    ...attemptParts(worker.attempts, nowMs, colors),
    ...failureParts(failures, nowMs, colors),
  ].join('\n\n');
}

type Facts = readonly (readonly [string, string])[];

function factsOf(worker: WorkerDetail, nowMs: number, colors: Colors): Facts {
  const { quarantined_until: until } = worker;
  const labels = Object.entries(worker.labels).map(([name, value]) => `${name}=${value}`);
  return [
    ['id', worker.id],
    ['name', worker.name ?? '-'],
    ['status', statusText(worker, colors, nowMs)],
    ...(until === null ? [] : [['quarantine', `ends ${ahead(until, nowMs)}`] as const]),
    ['device', `${worker.type} ${worker.platform}`],
    ['version', worker.version ?? '-'],
    ['isolation', worker.isolation],
    ['runs', kindsText(worker)],
    ['labels', labels.length === 0 ? '-' : labels.join(', ')],
    ['slots', `${grouped(worker.active_tasks)} of ${grouped(worker.slots)} taken`],
    ['completed', grouped(worker.total_completed)],
    ['failed', grouped(worker.total_failed)],
    ['registered', `${ago(worker.registered_at, nowMs)}${joinedText(worker)}`],
    [
      'heartbeat',
      `${ago(worker.last_heartbeat, nowMs)}, lost when silent for ${duration(worker.lease_seconds * 1_000)}`,
    ],
    ...measured(worker),
  ];
}

/** `javascript, python (3.14.2)` */
function kindsText({ kinds, runtimes = {} }: WorkerDetail): string {
  const version = (kind: string) => (Object.hasOwn(runtimes, kind) ? ` (${runtimes[kind]})` : '');
  return kinds.map((kind) => kind + version(kind)).join(', ');
}

/** By which link or token it came. */
function joinedText({ joined_by: by }: WorkerDetail): string {
  if (by === undefined) return '';
  return `, by the token ${by.token_id}${by.label === null ? '' : ` (${by.label})`}`;
}

function measured({ telemetry: t, score }: WorkerDetail): Facts {
  const cores = typeof t.cpu_cores === 'number' ? ` of ${t.cpu_cores} cores` : '';
  const ram =
    typeof t.ram_total_mb === 'number' ? ` of ${grouped(Math.round(t.ram_total_mb))}` : '';
  const charging = t.battery_charging === true ? ', charging' : '';
  return [
    fact('cpu', t.cpu_load_percent, (value) => `${Math.round(value)} %${cores}`),
    fact('memory', t.ram_available_mb, (value) => `${grouped(Math.round(value))}${ram} MB free`),
    fact('battery', t.battery_level_percent, (value) => `${Math.round(value)} %${charging}`),
    fact('latency', t.network_latency_ms, duration),
    fact(
      'bandwidth',
      t.network_bandwidth_mbps,
      (value) => `${Number(value.toPrecision(3))} Mbit/s`,
    ),
    fact('power', t.power_watts, (value) => `${Number(value.toPrecision(3))} W`),
    fact('score', score, (value) => `${Number(value.toPrecision(4))} in the last decision`),
  ].flat();
}

/** None when it is not measured. */
function fact(
  name: string,
  value: number | null | undefined,
  text: (value: number) => string,
): Facts {
  return typeof value === 'number' ? [[name, text(value)]] : [];
}

function attemptParts(
  attempts: readonly WorkerAttempt[],
  nowMs: number,
  { dim }: Colors,
): readonly string[] {
  if (attempts.length === 0) return [];
  const columns: Column<WorkerAttempt>[] = [
    { title: 'TASK', cell: ({ task_id: id }) => id },
    { title: 'ATTEMPT', align: 'right', cell: ({ attempt }) => String(attempt) },
    { title: 'STATUS', cell: ({ status }) => status },
    {
      title: 'SINCE',
      align: 'right',
      cell: (each) => ago(each.started_at ?? each.assigned_at, nowMs),
    },
    { title: 'PROGRESS', align: 'right', cell: ({ progress }) => percent(progress) },
  ];
  return [renderTable(columns, attempts, dim)];
}

function failureParts(
  failures: readonly WorkerFailure[],
  nowMs: number,
  { dim }: Colors,
): readonly string[] {
  if (failures.length === 0) return [];
  const lines = failures.flatMap(({ task_id: id, failed_at: at, ...error }) => [
    plainText(`${id}  ${ago(at, nowMs)}`),
    plainText(`  ${error.error_type}: ${error.error_message}`.slice(0, ERROR_SHOWN)),
  ]);
  return [[dim('LAST FAILURES'), ...lines].join('\n')];
}
