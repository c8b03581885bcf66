// `muster worker URL`: runs a worker on this machine until it is told to stop.

import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { looksLikeJoinLink, parseJoinLink } from '../../protocol/join-link.ts';
import { pinnedAddress, withPin } from '../../transport/index.ts';
import type {
  IsolationUse,
  RunningWorker,
  WorkerEnd,
  WorkerOptions,
} from '../../worker/node/index.ts';
import { CommandFailure, sayLastWords } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { calmly } from '../process/interruption.ts';
import type { LocalMessage } from '../process/local-workers.ts';
import { keepFilesPrivate, makeFolder, makeFolderPrivate } from '../process/private-files.ts';
import type { LogFormat } from '../process/serve-log.ts';
import type { WorkerLog } from '../process/worker-log.ts';
import { readConfig } from '../settings/config-file.ts';
import { defaultSlots, settingOption } from '../settings/settings.ts';
import { dataDirOf, showTo, type TokenFlags } from '../settings/token-flags.ts';

/** How many state folders are tried, one after the other, when none was named. */
const STATE_DIRS = 64;
/** The worker of a coordinator that was killed ends a moment later; that of one beside this one does not. */
const LOCAL_PATIENCE_MS = 3_000;
const LOCAL_PAUSE_MS = 100;

interface Flags extends TokenFlags {
  readonly pin?: string;
  readonly name?: string;
  readonly slots?: number;
  readonly deadline: number;
  readonly stateDir?: string;
  readonly label?: Readonly<Record<string, string>>;
  readonly isolation: IsolationUse;
  /** Number of a local worker, from 1; only for workers that a coordinator's process has started. */
  readonly local?: string;
  readonly logLevel: string;
  readonly logFormat?: LogFormat;
  readonly json?: boolean;
  /** The token is of a link that lets devices join. */
  readonly isLink?: boolean;
}

export function declareWorker(program: Command, context: Context): void {
  program
    .command('worker')
    .description('work for a coordinator with this machine')
    .argument(
      '[url]',
      'of the coordinator, like https://host:8000#k=<pin>, or a link of `muster join`; without it that of ' +
        'MUSTER_URL, or the coordinator that it joined last',
    )
    .addOption(settingOption('pin'))
    .addOption(settingOption('token'))
    .addOption(settingOption('tokenFile'))
    .addOption(settingOption('workerName'))
    .addOption(settingOption('slots'))
    .addOption(settingOption('leaveDeadline'))
    .addOption(settingOption('stateDir'))
    .addOption(settingOption('labels'))
    .addOption(settingOption('isolation'))
    .addOption(new Option('--local <number>').hideHelp())
    .addOption(settingOption('logLevel').default('info'))
    .addOption(settingOption('logFormat').default(undefined, 'text'))
    .option(
      '--json',
      'for a program that starts it: what happens as JSON lines {level, event, detail} on stdout, instead of the log',
    )
    .addHelpText(
      'after',
      '\nAt SIGTERM or Ctrl-C, running tasks are handed over as soon as they save their state; others may\n' +
        'finish until the deadline. Then the worker leaves. A second signal gives up at once.',
    )
    .action(async (given: string | undefined, flags: Flags, command: Command) => {
      const asked = await placeOf(given, flags, context);
      if (asked.isLink) hideArguments();
      const dataDir = dataDirOf(command, context, readConfig(context.folder));
      const { isLink } = asked;
      const shown = isLink ? asked : showTo(asked.url, flags, dataDir, context);
      const { url, token } = shown;
      return work(url, { ...flags, isLink, ...(token === undefined ? {} : { token }) }, context);
    });
}

interface Place {
  readonly url: string;
  readonly isLink: boolean;
  readonly token?: string;
}

/** Where it works: the address or the link that was given, or the coordinator that it joined last. */
async function placeOf(given: string | undefined, flags: Flags, context: Context): Promise<Place> {
  const text = given ?? (context.environment['MUSTER_URL'] || (await joinedLast(flags, context)));
  if (text === undefined) {
    throw new CommandFailure(
      'usage',
      'Name the coordinator: its address, or a link that lets this machine join.',
      ['Whoever runs the coordinator makes a link with `muster join`.'],
    );
  }
  if (!looksLikeJoinLink(text)) return { url: text, isLink: false };
  const link = parseJoinLink(text);
  if (typeof link === 'string') throw new CommandFailure('usage', link);
  const { url, token, pin } = link;
  return { url: pin === undefined ? url : withPin(url, pin), isLink: true, token };
}

async function joinedLast({ stateDir }: Flags, { folder }: Context): Promise<string | undefined> {
  const { readCoordinator } = await import('../../worker/node/joined-last.ts');
  return readCoordinator(stateDir === undefined ? usualStateDir() : resolve(folder, stateDir));
}

/** Other people of this machine see the arguments of a process, and the secret of the link is one. */
function hideArguments(): void {
  process.title = 'muster worker';
}

function usualStateDir(): string {
  return join(homedir(), '.muster', 'worker');
}

async function work(url: string, flags: Flags, context: Context): Promise<void> {
  keepFilesPrivate();
  context.outliveReader();
  const { createWorkerLog } = await import('../process/worker-log.ts');
  const { deviceName } = await import('../../worker/node/platform.ts');
  const log = await createWorkerLog({ name: deviceName(), ...flags }, context);
  try {
    context.exit(await workUntilEnd(url, flags, context, log));
  } catch (error) {
    context.exit(sayLastWords(error, log));
  }
}

/** Resolves with an exit code. */
async function workUntilEnd(
  url: string,
  flags: Flags,
  context: Context,
  log: WorkerLog,
): Promise<number> {
  const worker = await startWorker(url, flags, context, log);
  // A Ctrl-C reaches this process and the coordinator that started it; only the latter decides.
  const isChild = process.connected;
  const stop = isChild ? () => worker.stop() : calmly(() => worker.stop());
  process.on('SIGTERM', stop);
  process.on('SIGHUP', stop);
  process.on('SIGINT', () => {
    if (!isChild) stop();
  });
  if (isChild) {
    process.once('disconnect', () => {
      stop();
      stop();
    });
  }
  const end = await worker.done;
  if (process.connected) process.disconnect?.();
  return codeOf(end, log);
}

/** A second worker of this machine takes the next folder, unless a person has named one. */
async function startWorker(
  url: string,
  flags: Flags,
  context: Context,
  log: WorkerLog,
): Promise<RunningWorker> {
  const { stateDir, local } = flags;
  if (stateDir !== undefined && local === undefined) {
    return startIn(resolve(context.folder, stateDir), url, flags, context, log);
  }
  const first = stateDir ?? usualStateDir();
  const patientUntil = performance.now() + (local === undefined ? 0 : LOCAL_PATIENCE_MS);
  for (let number = 1; ; ) {
    try {
      const folder = number === 1 ? first : `${first}-${number}`;
      return await startIn(folder, url, flags, context, log);
    } catch (error) {
      const isInUse = (error as { code?: unknown }).code === 'in_use';
      if (!isInUse || number === STATE_DIRS) throw error;
    }
    if (performance.now() < patientUntil) await sleep(LOCAL_PAUSE_MS);
    else number++;
  }
}

async function startIn(
  stateDir: string,
  url: string,
  flags: Flags,
  context: Context,
  log: WorkerLog,
): Promise<RunningWorker> {
  const { runWorker, WorkerAddressError } = await import('../../worker/node/index.ts');
  const { name, label, isolation, local, token, isLink } = flags;
  makeFolder(stateDir);
  makeFolderPrivate(stateDir, context.folder);
  try {
    return runWorker({
      url,
      ...pinOf(url, flags),
      stateDir,
      slots: flags.slots ?? defaultSlots(),
      isolation,
      version: context.version,
      tuning: { finishMs: flags.deadline * 1_000 },
      ...(name === undefined ? {} : { name }),
      // The folder lies in the data folder of the coordinator, so it is the right one at any port.
      ...(local === undefined
        ? {}
        : { identityName: 'local', codeDir: join(dirname(stateDir), 'sandbox-code') }),
      ...(label === undefined ? {} : { labels: label }),
      ...(token === undefined ? {} : { token }),
      ...(isLink === true ? { tokenRefused: 'This link has ended. Ask for a new one.' } : {}),
      log: (entry) => {
        // This is true for all local workers alike, so only the first says it.
        if (entry.event === 'fewer_walls' && local !== undefined && local !== '1') return;
        log.tell(entry);
      },
    });
  } catch (error) {
    if (!(error instanceof WorkerAddressError) && !(error instanceof TypeError)) throw error;
    throw new CommandFailure('usage', error.message.replace(/\.?$/, '.'), [], error);
  }
}

/**
 * A local worker is told the pin by the process that started it, with the address and again when it is
 * another; what was set for other coordinators is not for it.
 */
function pinOf(url: string, { pin, local }: Flags): Pick<WorkerOptions, 'pin'> {
  if (local === undefined) return pin === undefined ? {} : { pin };
  let now = pinnedAddress(url).pin;
  process.on('message', (message: LocalMessage) => {
    now = message.pin;
  });
  return { pin: () => now };
}

/** Maps the exit code of a worker to that of the command line. */
function codeOf({ code, reason }: WorkerEnd, log: WorkerLog): number {
  const codes = [
    exitCodes.ok.code,
    exitCodes.bug.code,
    exitCodes.unreachable.code,
    exitCodes.refused.code,
  ];
  if (code !== 0) log.end(reason);
  return codes[code] ?? exitCodes.bug.code;
}
