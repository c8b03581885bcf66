// `muster serve`: runs a coordinator, and on request workers on this machine.

import { join, resolve } from 'node:path';
import type { Command, Option } from 'commander';
import { CommandFailure, sayLastWords } from '../command-failure.ts';
import type { Context } from '../context.ts';
import type { CoordinatorSettings, RunningCoordinator } from '../process/coordinator-process.ts';
import type { IsolationUse } from '../../worker/node/index.ts';
import { adminTokenFile } from '../process/access-files.ts';
import { adminTokenLost } from '../process/admin-token-lost.ts';
import { aborted, interruption } from '../process/interruption.ts';
import { keepFilesPrivate } from '../process/private-files.ts';
import type { ServeLog } from '../process/serve-log.ts';
import { settingOption, settings } from '../settings/settings.ts';
import { workerCommand } from '../worker-hint.ts';

/** How long local workers may take to finish their tasks. */
const WORKERS_GRACE_MS = 10_000;
/** Of local workers: that they are there is told by the coordinator. */
export const LOCAL_LOG_LEVEL = 'warn';

interface Flags extends CoordinatorSettings {
  readonly workers: number;
  readonly isolation: IsolationUse;
  /** Of the local workers. */
  readonly name?: string;
}

export function declareServe(program: Command, context: Context): void {
  program
    .command('serve')
    .description(
      'run a coordinator; its first line on stdout is {"url", "pid"}, with TLS also {"pin"}, unless that is a terminal',
    )
    .addOption(settingOption('host'))
    .addOption(settingOption('port'))
    .option(
      '--open',
      'ask nobody for a token: everybody who can reach the address may do everything',
    )
    .addOption(settingOption('coordinatorName'))
    .addOption(settingOption('allowOrigins'))
    .addOption(settingOption('tls'))
    .addOption(settingOption('tlsCert'))
    .addOption(settingOption('tlsKey'))
    .addOption(settingOption('behindProxy'))
    .addOption(settingOption('dataDir'))
    .addOption(settingOption('store'))
    .addOption(settingOption('advertise'))
    .addOption(settingOption('lead'))
    .addOption(settingOption('algorithm'))
    .addOption(settingOption('heartbeatSeconds'))
    .addOption(settingOption('graceSeconds'))
    .addOption(settingOption('decisionLogMb'))
    .addOption(settingOption('blobKeepMinutes'))
    .addOption(settingOption('keepDays'))
    .addOption(settingOption('keepJobs'))
    .addOption(settingOption('keepWorkersDays'))
    .addOption(settingOption('keepPagesDays'))
    .addOption(settingOption('notifyAllow'))
    .addOption(settingOption('notify'))
    .addOption(settingOption('audit'))
    .addOption(settingOption('auditKeepDays'))
    .addOption(settingOption('auditKeepEntries'))
    .addOption(settingOption('pressureDelayMs'))
    .addOption(settingOption('pressureHeapPercent'))
    .addOption(settingOption('limits'))
    .addOption(settingOption('workers'))
    .addOption(localName())
    .addOption(settingOption('isolation'))
    .addOption(settingOption('logLevel'))
    .addOption(settingOption('logFormat'))
    .addOption(settingOption('diskFloorMb'))
    .addOption(settingOption('minFreeDiskMb'))
    .addOption(settingOption('record'))
    .addOption(settingOption('recordMb'))
    .addHelpText('after', '\nSIGTERM and Ctrl-C finish what is in hand; a second one ends at once.')
    .action((flags: Flags) => serve(flags, context));
}

/** The setting of `muster worker`, for workers that a coordinator starts. */
export function localName(): Option {
  const option = settingOption('workerName');
  option.description = 'what its workers are called in lists: this, with -1, -2 … behind it';
  return option;
}

async function serve(flags: Flags, context: Context): Promise<void> {
  keepFilesPrivate();
  const { createServeLog } = await import('../process/serve-log.ts');
  const serveLog = await createServeLog(flags, context);
  try {
    await serveUntilEnd(flags, context, serveLog);
  } catch (error) {
    context.exit(sayLastWords(error, serveLog));
  }
}

async function serveUntilEnd(flags: Flags, context: Context, serveLog: ServeLog): Promise<void> {
  const { terminal, folder } = context;
  const { checkIsolation, LocalWorkers } = await import('../process/local-workers.ts');
  await checkIsolation(flags);
  const { runCoordinator } = await import('../process/coordinator-process.ts');
  const coordinator = await runCoordinator(flags, context, serveLog.log);
  const { url, credentials } = coordinator;
  const signal = interruption(
    credentials && { onHangup: () => credentials.reload(), isOnTerminal: terminal.isWatched },
  );
  const pin = credentials?.current.pin;
  // For programs; a person gets the sentence.
  if (!terminal.isWatched) {
    terminal.json({ url, pid: process.pid, ...(pin === undefined ? {} : { pin }) });
  }
  // From now on others depend on it: what becomes of its log is no reason to end.
  context.outliveReader();
  const { addressToShow } = await import('../../server/join-address.ts');
  const shown = addressToShow(url, credentials?.current);
  serveLog.say(`serving at ${shown} (the interface is at ${shown}/docs)`);
  if (pin !== undefined) serveLog.say(`the pin of its certificate is ${pin}`);
  if (flags.workers === 0) serveLog.hint(`a worker for it:  ${commandFor(shown, coordinator)}`);
  const lost = lostForWorkers(flags, coordinator, context);
  if (lost !== undefined)
    serveLog.log.warn(`New workers of this machine are asked for a token. ${lost}`);
  const workers = new LocalWorkers({
    count: flags.workers,
    ...(flags.name === undefined ? {} : { name: flags.name }),
    url,
    pin: pin ?? null,
    folder: resolve(folder, join(flags.dataDir, 'workers')),
    tokenFile: adminTokenFile(resolve(folder, flags.dataDir)),
    isolation: flags.isolation,
    logLevel: flags.logLevel ?? LOCAL_LOG_LEVEL,
    tell: (line) => serveLog.say(line),
  });
  credentials?.onChange((found) => workers.trust(found.pin));
  workers.start();
  const fault = await endOf(coordinator, signal);
  if (fault === undefined) serveLog.say('stopping …');
  // That its own workers leave says nothing about devices.
  await coordinator.endRecording();
  await workers.stop(fault === undefined ? WORKERS_GRACE_MS : 0);
  if (fault === undefined) return coordinator.stop();
  await coordinator.stop().catch(() => {}); // It has failed already.
  throw stopped(fault);
}

/** A token of the environment is theirs too. */
function lostForWorkers(
  { workers, dataDir }: Flags,
  { needsTokens }: RunningCoordinator,
  { folder, environment }: Context,
): string | undefined {
  if (workers === 0 || !needsTokens) return undefined;
  const { token, tokenFile } = settings;
  if (environment[token.variable] ?? environment[tokenFile.variable]) return undefined;
  return adminTokenLost(resolve(folder, dataDir), folder)?.sentence;
}

/** Nobody else knows a certificate that the coordinator has made itself. */
function commandFor(shown: string, { credentials, needsTokens }: RunningCoordinator): string {
  if (needsTokens) return workerCommand(shown, null);
  const isSelfSigned = credentials?.current.kind === 'self-signed';
  return workerCommand(shown, { pin: isSelfSigned ? credentials.current.pin : undefined });
}

/** Waits for the end of the coordinator: its fault, or undefined when a signal asked for it. */
export function endOf(
  coordinator: RunningCoordinator,
  signal: AbortSignal,
): Promise<Error | undefined> {
  return Promise.race([coordinator.failed, aborted(signal).then(() => undefined)]);
}

export function stopped(fault: Error): CommandFailure {
  const isFull = (fault as { code?: unknown }).code === 'store_full';
  const remedy = isFull
    ? 'Make room on its disk, outside of the database (to delete jobs takes room, too),'
    : 'Mend the cause';
  return new CommandFailure(
    'stopped',
    `The coordinator cannot go on: ${fault.message}`,
    [`What it acknowledged is safe. ${remedy} and start it again.`],
    fault,
  );
}
