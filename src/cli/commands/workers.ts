// `muster workers`: lists the workers of a coordinator, or shows one in detail.

import { type Command, Option } from 'commander';
import type { WorkerResource } from '../../client/index.ts';
import { CommandFailure } from '../command-failure.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { WORKER_HANDLE, withWorker } from '../handles.ts';
import { labels, oneOf } from '../settings/flag-values.ts';
import { settingOption } from '../settings/settings.ts';
import { refusalLines } from '../text/refusals.ts';
import { byName, workerDetailText, workerTable } from '../text/worker-text.ts';
import { releaseOf } from '../version.ts';
import { matcher } from '../wanted-jobs.ts';
import { workerHint } from '../worker-hint.ts';

const STATUSES = ['online', 'busy', 'waiting', 'draining', 'quarantined', 'offline'];
const FAILURES_SHOWN = 5;

interface Filter {
  readonly status?: string;
  readonly name?: string;
  readonly label?: Readonly<Record<string, string>>;
  readonly ofVersion?: string;
}

interface Flags extends ClientFlags, Filter {}

export function declareWorkers(program: Command, context: Context): void {
  program
    .command('workers')
    .description('list the workers, or show one in detail')
    .argument('[worker]', WORKER_HANDLE)
    .addOption(
      new Option('--status <status>', `only workers that are ${STATUSES.join(', ')}`).argParser(
        oneOf('a status of a worker', STATUSES),
      ),
    )
    .option('--name <pattern>', "with such a name, like 'desk-*'")
    .option('--label <name=value>', 'with this label; repeatable', labels)
    .option('--of-version <pattern>', "whose program has such a version, like '0.1.*'")
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print what the coordinator answers: an array, or one worker')
    .action((handle: string | undefined, flags: Flags) =>
      handle === undefined ? listWorkers(flags, context) : showWorker(handle, flags, context),
    );
}

async function listWorkers(flags: Flags, { terminal }: Context): Promise<void> {
  const client = await openClient(flags);
  const all = await client.workers();
  const workers = all.filter(filterOf(flags));
  if (flags.json) return terminal.json(workers);
  if (all.length === 0) {
    return terminal.note(`no workers yet; ${await workerHint(flags)}`);
  }
  if (workers.length === 0)
    return terminal.note('no worker is like that; `muster workers` lists all');
  const nowMs = Date.now();
  const table = workerTable(workers, nowMs, terminal);
  const waits = workers.some(({ waits_until: until }) => until !== undefined);
  const advice = waits
    ? ['', 'Let in who waits with  muster approve WORKER, or  muster refuse WORKER']
    : [];
  await terminal.write([table, ...refusalLines(byName(workers), nowMs), ...advice, ''].join('\n'));
}

async function showWorker(handle: string, flags: Flags, { terminal }: Context): Promise<void> {
  const { status, name, label, ofVersion } = flags;
  if ([status, name, label, ofVersion].some((value) => value !== undefined)) {
    throw new CommandFailure('usage', 'Name a worker, or say by flags which to list, not both.');
  }
  const client = await openClient(flags);
  const worker = await withWorker(client, handle, (id) => client.worker(id));
  if (flags.json) return terminal.json(worker);
  const failures = await client.failures(worker.id, { limit: FAILURES_SHOWN });
  await terminal.write(`${workerDetailText(worker, failures, Date.now(), terminal)}\n`);
}

function filterOf({ status, name, label, ofVersion }: Filter): (worker: WorkerResource) => boolean {
  const isNamed = name === undefined ? () => true : matcher(name);
  const isOfVersion = ofVersion === undefined ? () => true : matcher(ofVersion);
  const wanted = Object.entries(label ?? {});
  return (worker) =>
    (status === undefined || worker.status === status) &&
    isNamed(worker.name ?? '') &&
    // Also by its release alone: few people know a commit by heart.
    [worker.version ?? '', releaseOf(worker.version ?? '')].some(isOfVersion) &&
    wanted.every(([key, value]) => worker.labels[key] === value);
}
