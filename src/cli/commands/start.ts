// `muster start` (`npm start`): runs everything on this machine: a coordinator, a worker process for
// every core, and the sample job on real input. It prints the job's table, draws its chart and stays up.

import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { type Context, openClient } from '../context.ts';
import type { CoordinatorSettings, RunningCoordinator } from '../process/coordinator-process.ts';
import type { IsolationUse } from '../../worker/node/index.ts';
import { exitCodes } from '../exit-codes.ts';
import { followJob, tellEnd } from '../follow.ts';
import { adminTokenFile, readAdminToken } from '../process/access-files.ts';
import { interruption } from '../process/interruption.ts';
import { cannotWrite, shownPath } from '../output-file.ts';
import { asThePerson, keepFilesPrivate } from '../process/private-files.ts';
import { loadSampleJob, type SampleJob } from '../sample-job.ts';
import { settingOption, settings } from '../settings/settings.ts';
import { counted } from '../text/wording.ts';
import { endOf, LOCAL_LOG_LEVEL, localName, stopped } from './serve.ts';

/** Short, because nobody waits for the sample job; tasks resume from checkpoints or run again. */
const WORKERS_GRACE_MS = 1_000;

interface Flags extends CoordinatorSettings {
  readonly workers: number;
  readonly isolation: IsolationUse;
  /** Of the local workers. */
  readonly name?: string;
  readonly once?: boolean;
  readonly out?: string;
}

export function declareStart(program: Command, context: Context): void {
  program
    .command('start')
    .description('coordinator, workers and the sample job on this machine (what npm start runs)')
    .option('--once', 'end after the sample job')
    .option('--out <folder>', 'where the chart goes (default: the data folder)')
    .addOption(settingOption('port'))
    .addOption(settingOption('dataDir'))
    .addOption(settingOption('workers').default(availableParallelism(), 'one for every core'))
    .addOption(localName())
    .addOption(settingOption('isolation'))
    .addOption(settingOption('keepDays'))
    .addOption(settingOption('keepJobs'))
    .addOption(settingOption('keepWorkersDays'))
    .addOption(settingOption('keepPagesDays'))
    .addOption(settingOption('notifyAllow'))
    .addOption(settingOption('notify'))
    .addOption(settingOption('logLevel'))
    .addOption(settingOption('logFormat'))
    .addOption(settingOption('minFreeDiskMb'))
    .action((flags: Flags, command: Command) =>
      // A port that somebody has named is meant: what is given that address goes there.
      start(flags, command.getOptionValueSource('port') === 'default', context),
    );
}

async function start(flags: Flags, isPortNegotiable: boolean, context: Context): Promise<void> {
  const { terminal, folder } = context;
  keepFilesPrivate();
  const sample = await loadSampleJob();
  const { checkIsolation, LocalWorkers } = await import('../process/local-workers.ts');
  await checkIsolation(flags);
  const { runCoordinator } = await import('../process/coordinator-process.ts');
  const local = { ...flags, host: '127.0.0.1', isPortNegotiable };
  const { createServeLog } = await import('../process/serve-log.ts');
  const { log, format, say } = await createServeLog({ logFormat: 'text', ...flags }, context);
  const coordinator = await runCoordinator(local, context, log);
  if (flags.port !== 0 && !coordinator.url.endsWith(`:${flags.port}`)) {
    say(`port ${flags.port} is taken by another program; a free one does as well`);
  }
  say(`coordinator at ${coordinator.url}, ${counted(flags.workers, 'worker')}`);
  const signal = interruption();
  const dataDir = resolve(folder, flags.dataDir);
  const workers = new LocalWorkers({
    count: flags.workers,
    ...(flags.name === undefined ? {} : { name: flags.name }),
    url: coordinator.url,
    pin: null,
    folder: resolve(folder, join(flags.dataDir, 'workers')),
    tokenFile: adminTokenFile(dataDir),
    isolation: flags.isolation,
    logLevel: flags.logLevel ?? LOCAL_LOG_LEVEL,
    tell: say,
  });
  workers.start();
  try {
    const code = await runSample(sample, coordinator, flags, context, signal);
    context.exit(code);
    if (flags.once || signal.aborted) return;
    terminal.print(`page:  ${coordinator.url}/`);
    if (format === 'text') for (const line of whatNext(coordinator.url)) terminal.note(line);
    const fault = await endOf(coordinator, signal);
    context.exit(exitCodes.ok.code);
    if (fault !== undefined) throw stopped(fault);
  } finally {
    if (signal.aborted) say('stopping …');
    await workers.stop(WORKERS_GRACE_MS);
    await coordinator.stop().catch((error: unknown) => say(String(error)));
  }
}

/** Lines that say what to type next, in another terminal in the same checkout. */
function whatNext(url: string): readonly string[] {
  const address = url === settings.url.defaultValue ? '' : ` --url ${url}`;
  return [
    '',
    'It stays up; Ctrl-C stops everything. In another terminal:',
    `  npm run -s muster -- jobs${address}`,
    `  npm run -s muster -- submit PROGRAM.js --range 0:100 --follow${address}`,
    `  npm run -s muster -- worker ${url}`,
  ];
}

async function runSample(
  sample: SampleJob,
  coordinator: RunningCoordinator,
  flags: Flags,
  context: Context,
  signal: AbortSignal,
): Promise<number> {
  const { terminal, folder } = context;
  const token = readAdminToken(resolve(folder, flags.dataDir));
  const client = await openClient({
    url: coordinator.url,
    ...(token === undefined ? {} : { token }),
  });
  const job = await client.submit(sample.prepareMarketRisk());
  terminal.note(`sample job ${job.name}: ${counted(job.task_count, 'task')}`);
  const values: unknown[] = [];
  const end = await followJob(client, job, terminal, signal, (_text, result) => {
    if (result.status === 'completed') values[result.index] = result.value;
  });
  if (end.type === 'interrupted') return exitCodes.interrupted.code;
  const code = tellEnd(end, job.id, terminal);
  if (code !== exitCodes.ok.code) return code;
  const summary = sample.combineMarketRisk(values);
  const chart = join(resolve(folder, flags.out ?? flags.dataDir), 'market-risk.svg');
  const { columns, colors: paint } = terminal;
  await terminal.write(`\n${sample.marketRiskTable(summary, { columns, paint })}\n`);
  writeChart(chart, sample.marketRiskChart(summary));
  terminal.print(`chart: ${shownPath(chart, folder)}`);
  return code;
}

function writeChart(path: string, svg: string): void {
  try {
    asThePerson(() => {
      mkdirSync(resolve(path, '..'), { recursive: true });
      writeFileSync(path, svg);
    });
  } catch (error) {
    throw cannotWrite(path, error);
  }
}
