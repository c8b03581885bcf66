// A worker on a PC: the agent with a WebSocket, a state directory and the clock of Node.

import { availableParallelism, hostname } from 'node:os';
import type { Telemetry } from '../../protocol/messages.ts';
import type { RunningWorker, WorkerLogEntry } from '../agent.ts';
import { Agent } from '../agent.ts';
import type { Executor, ExecutorListener } from '../executor.ts';
import type { MachineTuning } from '../machine/machine.ts';
import { WorkerMachine } from '../machine/machine.ts';
import { CoordinatorSocket } from './coordinator-socket.ts';
import { createNodeExecutor } from './node-executor.ts';
import { StateDirectory } from './state-directory.ts';
import { TelemetryReader } from './telemetry.ts';

export interface WorkerOptions {
  /** `http(s)://host:port` of the coordinator. */
  readonly url: string;
  /** For one running worker at a time; created when it is not there. */
  readonly stateDir: string;
  /** Host name by default. */
  readonly name?: string;
  /** One less than there are cores by default, at least 1. */
  readonly slots?: number;
  /** Bearer token with the role `worker`, for a coordinator that asks for one. */
  readonly token?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly log?: (entry: WorkerLogEntry) => void;
  /** The sandbox of this machine by default. */
  readonly createExecutor?: (slots: number, listener: ExecutorListener) => Executor;
  /** Measured on this machine by default. */
  readonly telemetry?: () => Telemetry;
  /** Of one busy core, as the owner declares it; by default from a table of device classes. */
  readonly wattsPerCore?: number;
  readonly tuning?: Partial<MachineTuning>;
}

/** The address is none of a coordinator; the message shows how one looks. */
export class WorkerAddressError extends Error {
  readonly code = 'wrong_address';

  constructor(url: string) {
    super(`"${url}" is no address of a coordinator. It looks like http://192.168.1.10:8000.`);
    this.name = 'WorkerAddressError';
  }
}

/** Throws a `WorkerAddressError` or a `StateDirectoryError` when it cannot even begin. */
export function runWorker(options: WorkerOptions): RunningWorker {
  const url = coordinatorUrl(options.url);
  const slots = options.slots ?? Math.max(1, availableParallelism() - 1);
  const directory = StateDirectory.open(options.stateDir);
  const createExecutor =
    options.createExecutor ??
    ((count: number, listener: ExecutorListener) =>
      createNodeExecutor({ slots: count, listener, stateDir: options.stateDir }));
  try {
    return new Agent({
      createExecutor: (listener) => createExecutor(slots, listener),
      createMachine: (executor) => createMachine(options, slots, url, directory, executor),
      openSocket: (listener) => new CoordinatorSocket(url, options.token, listener),
      saveIdentity: (identity) => directory.saveIdentity(url, identity),
      forgetIdentity: () => directory.forgetIdentity(url),
      nowMs: () => performance.now(),
      log: (entry) => options.log?.(entry),
      release: () => directory.close(),
    });
  } catch (error) {
    directory.close();
    throw error;
  }
}

function createMachine(
  options: WorkerOptions,
  slots: number,
  url: string,
  directory: StateDirectory,
  executor: Executor,
): WorkerMachine {
  const { labels, tuning, wattsPerCore } = options;
  const reader = new TelemetryReader(
    wattsPerCore === undefined ? {} : { powerWatts: wattsPerCore },
  );
  return new WorkerMachine({
    device: {
      name: options.name ?? hostname(),
      type: 'pc',
      platform: process.platform,
      kinds: ['javascript'],
      isolation: executor.isolation,
      ...(labels === undefined ? {} : { labels }),
    },
    slots,
    identity: directory.readIdentity(url),
    random: Math.random,
    telemetry: options.telemetry ?? (() => reader.read()),
    wattsPerCore: reader.read().power_watts,
    ...(tuning === undefined ? {} : { tuning }),
  });
}

/** Without path, query or trailing slash: also the name under which the identity is kept. */
function coordinatorUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new WorkerAddressError(given);
  }
  return url.origin;
}
