// `muster bench`: measures a coordinator and its workers from outside: the time of a job whose tasks do
// nothing, from its submission to its last result, and the round trip of a single task.

import { type Command, Option } from 'commander';
import type { JobSubmission, MusterClient } from '../../client/index.ts';
import { CommandFailure } from '../command-failure.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { wholeNumber } from '../settings/flag-values.ts';
import { settingOption } from '../settings/settings.ts';
import { renderFacts } from '../text/table.ts';
import { counted, duration, grouped } from '../text/wording.ts';
import { workerAdvice } from '../worker-hint.ts';

const TASKS = 10_000;
const TASKS_MOST = 10_000_000;
const ROUND_TRIPS = 100;
const ROUND_TRIPS_MOST = 100_000;
/** After so many tasks programs are loaded and code is compiled. */
const WARM_UP_TASKS = 200;

interface Flags extends ClientFlags {
  readonly tasks: number;
  readonly roundTrips: number;
}

interface Measured {
  readonly tasks: number;
  readonly seconds: number;
  readonly tasks_per_second: number;
  readonly round_trips: number;
  readonly round_trip_p50_ms: number;
  readonly round_trip_p99_ms: number;
  readonly workers: number;
}

export function declareBench(program: Command, context: Context): void {
  program
    .command('bench')
    .description('measure a coordinator and its workers with tasks that do nothing')
    .addOption(
      new Option('--tasks <number>', 'in the large job')
        .default(TASKS)
        .argParser(wholeNumber('a number of tasks', 1, TASKS_MOST)),
    )
    .addOption(
      new Option('--round-trips <number>', 'jobs of one task, one after the other')
        .default(ROUND_TRIPS)
        .argParser(wholeNumber('a number of round trips', 1, ROUND_TRIPS_MOST)),
    )
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print the figures as a JSON object')
    .addHelpText('after', '\nIts jobs are deleted when it is done.')
    .action((flags: Flags) => bench(flags, context));
}

async function bench(flags: Flags, { terminal }: Context): Promise<void> {
  const client = await openClient(flags);
  const { online_workers: workers } = await client.stats();
  if (workers === 0) {
    throw new CommandFailure('refused', 'No worker is online: there is nothing to measure.', [
      await workerAdvice(flags),
    ]);
  }
  const run = async (count: number, what: string) => {
    terminal.status(`${what} …`);
    return runJob(client, count);
  };
  await run(WARM_UP_TASKS, 'warming up');
  const ms = await run(flags.tasks, counted(flags.tasks, 'task'));
  const trips: number[] = [];
  for (let trip = 0; trip < flags.roundTrips; trip++) trips.push(await run(1, 'round trips'));
  terminal.status('');
  const figures: Measured = {
    tasks: flags.tasks,
    seconds: rounded(ms / 1_000),
    tasks_per_second: Math.round(flags.tasks / (ms / 1_000)),
    round_trips: flags.roundTrips,
    round_trip_p50_ms: rounded(quantile(trips, 0.5)),
    round_trip_p99_ms: rounded(quantile(trips, 0.99)),
    workers,
  };
  if (flags.json) terminal.json(figures);
  else await terminal.write(`${textOf(figures)}\n`);
}

/** Runs a job and deletes it; returns the milliseconds from its submission to its last result. */
async function runJob(client: MusterClient, count: number): Promise<number> {
  const startedMs = performance.now();
  const job = await client.submit(noop(count));
  let results = 0;
  for await (const { status } of client.results(job.id, { follow: true })) {
    if (status !== 'completed') throw new CommandFailure('jobFailed', `A task ${status}.`);
    results++;
  }
  const tookMs = performance.now() - startedMs;
  await client.deleteJob(job.id);
  if (results === count) return tookMs;
  throw new CommandFailure('jobFailed', `${results} results came for ${counted(count, 'task')}.`);
}

function noop(count: number): JobSubmission {
  return {
    name: 'bench',
    program: { kind: 'javascript', source: 'export default (n) => n;' },
    inputs: { range: { start: 0, count } },
  };
}

function textOf(figures: Measured): string {
  const { tasks, seconds, workers } = figures;
  return renderFacts([
    ['workers', `${grouped(workers)} online`],
    ['throughput', `${grouped(figures.tasks_per_second)} tasks/s`],
    ['', `${counted(tasks, 'task')} in ${duration(seconds * 1_000)}, results in hand`],
    ['round trip', `p50 ${figures.round_trip_p50_ms} ms, p99 ${figures.round_trip_p99_ms} ms`],
    ['', `${counted(figures.round_trips, 'job')} of one task, one after the other`],
  ]);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
}

function rounded(value: number): number {
  return Number(value.toFixed(2));
}
