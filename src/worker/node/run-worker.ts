// A worker on Node (a PC, or a phone with Termux): the agent with a WebSocket, a state directory and the clock of Node.

import { randomUUID } from 'node:crypto';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { defaultTaskMemoryMb } from '../../protocol/task-memory.ts';
import type { DeviceDescription, Telemetry } from '../../protocol/messages.ts';
import { defaultProgramKind } from '../../protocol/program.ts';
import type { RunningWorker, SocketListener, WorkerLogEntry } from '../agent.ts';
import { Agent } from '../agent.ts';
import { OffloadingExecutor } from '../payloads/offloading-executor.ts';
import { type PinnedFetch, pinnedAddress } from '../../transport/index.ts';
import { createPinnedFetch } from '../../transport/pinning.ts';
import type { Executor, ExecutorListener } from '../executor.ts';
import { defaultLimits } from '../../protocol/limits.ts';
import type { MachineTuning, WorkerIdentity } from '../machine/machine.ts';
import { WorkerMachine } from '../machine/machine.ts';
import { inOwnWords } from '../own-words.ts';
import { withSecondToken } from '../second-token.ts';
import { Bandwidth } from '../payloads/bandwidth.ts';
import { BlobClient, largestBlobBytes } from '../payloads/blob-client.ts';
import { bubblewrapAdvice, type IsolationUse } from './confinement.ts';
import { CoordinatorSocket } from './coordinator-socket.ts';
import { Losses } from '../slots/losses.ts';
import { createNodeExecutor, type NodeExecutor } from './node-executor.ts';
import { createNodePayloadStore } from './node-payload-store.ts';
import { isAsTrusted } from './other-coordinators.ts';
import { saveCoordinator } from './joined-last.ts';
import { deviceName, deviceType } from './platform.ts';
import { StateDirectory } from './state-directory.ts';
import { TelemetryReader } from './telemetry.ts';

export interface WorkerOptions {
  /** `http(s)://host:port` of the coordinator; with https, `#k=<pin>` may follow. */
  readonly url: string;
  /**
   * Of the coordinator's certificate, when the address does not name it. A function gives the one that is
   * right now: what serves the coordinator may have got another key.
   */
  readonly pin?: string | (() => string | undefined);
  /** A folder that one running worker uses at a time; created when it is not there. */
  readonly stateDir: string;
  /** A folder for the built code of children, which workers may share; in `stateDir` by default. */
  readonly codeDir?: string;
  /** By default the name of the host, or the model of a phone. */
  readonly name?: string;
  /** By default one less than the number of cores, at least 1. */
  readonly slots?: number;
  /**
   * Use of bubblewrap around the sandbox; `auto` by default.
   */
  readonly isolation?: IsolationUse;
  /**
   * Name of the coordinator in the state directory; its address by default. Needed when the address
   * changes from start to start.
   */
  readonly identityName?: string;
  /** For its registration, where the coordinator asks for a token; afterwards it has one of its own. */
  readonly token?: string;
  /** What is said, instead of the coordinator's words, when that token does not let it in. */
  readonly tokenRefused?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Of the program, for lists. */
  readonly version?: string;
  readonly log?: (entry: WorkerLogEntry) => void;
  /** The sandbox of this machine by default. */
  readonly createExecutor?: (slots: number, listener: ExecutorListener) => Executor;
  /** What an executor of one's own can do; by default JavaScript alone, and JSON alone. */
  readonly offers?: Pick<DeviceDescription, 'kinds' | 'runtimes' | 'hands'>;
  /** Measured on this machine by default. */
  readonly telemetry?: () => Telemetry;
  /**
   * Power of one busy core, as the owner declares it; by default from a table of device classes.
   */
  readonly wattsPerCore?: number;
  readonly tuning?: Partial<MachineTuning>;
}

/** The text is not an address of a coordinator; the message shows an example. */
export class WorkerAddressError extends Error {
  readonly code = 'wrong_address';

  constructor(url: string) {
    super(`"${url}" is no address of a coordinator. It looks like http://192.168.1.10:8000.`);
    this.name = 'WorkerAddressError';
  }
}

/**
 * Throws a `WorkerAddressError`, `StateDirectoryError` or `IsolationError` when it cannot start.
 */
export function runWorker(options: WorkerOptions): RunningWorker {
  const { url, pinNow } = coordinatorAddress(options);
  const slots = options.slots ?? Math.max(1, availableParallelism() - 1);
  const directory = StateDirectory.open(options.stateDir);
  const name = options.identityName ?? url;
  let identity = directory.readIdentity(name) ?? directory.readIdentity(url);
  if (directory.wasLeftBehind) options.log?.(takenOver(options.stateDir));
  const losses = new Losses(performance.now(), directory.wasLeftBehind ? 1 : 0);
  // Its own token is not good any more, as in another database or when it was removed: the one it was given lets it in anew.
  let isOwnRefused = false;
  // After the database was cleared it registers anew, with the token that it had.
  let tokenBefore: string | undefined;
  const keep = (known: WorkerIdentity | null) => {
    tokenBefore = known === null && !isOwnRefused ? identity?.workerToken : undefined;
    identity = known;
    isOwnRefused = false;
    if (known === null) return directory.forgetIdentity(name);
    directory.saveIdentity(name, known);
    // A local worker is always told its address.
    if (options.identityName === undefined) saveCoordinator(options.stateDir, url, pinNow());
  };
  try {
    const bandwidth = new Bandwidth();
    const machineOf = (executor: Executor) =>
      createMachine(options, slots, url, identity, bandwidth, executor);
    /** Of the coordinator to which it is connected, or tries to be. */
    let here = url;
    const blobs = new BlobClient(
      () => here,
      () => identity?.workerToken ?? null,
      (bytes, ms) => bandwidth.note(bytes, ms),
      fetchWith(pinNow),
    );
    return new Agent({
      createExecutor: (listener) => createExecutor(options, slots, blobs, losses, listener),
      createMachine: machineOf,
      openSocket: (listener, to) => {
        here = to === undefined ? url : new URL(to).origin;
        const address = { url: here, pin: pinNow() };
        const own = isOwnRefused ? undefined : (identity?.workerToken ?? tokenBefore);
        const heard = withLosses(listener, losses);
        // Only its own coordinator is shown the token by which it joins.
        if (to !== undefined) return new CoordinatorSocket(address, own, heard);
        if (own === undefined) {
          return new CoordinatorSocket(
            address,
            options.token,
            inOwnWords(heard, options.tokenRefused),
          );
        }
        if (options.token === undefined) return new CoordinatorSocket(address, own, heard);
        const refusedOwn = () => {
          isOwnRefused = true;
        };
        return new CoordinatorSocket(address, own, withSecondToken(heard, refusedOwn));
      },
      saveIdentity: keep,
      forgetIdentity: () => keep(null),
      nowMs: () => performance.now(),
      log: (entry) => options.log?.(entry),
      release: () => directory.close(),
    });
  } catch (error) {
    directory.close();
    throw error;
  }
}

function createExecutor(
  options: WorkerOptions,
  slots: number,
  blobs: BlobClient,
  losses: Losses,
  listener: ExecutorListener,
): Executor {
  let sandboxes: NodeExecutor | null = null;
  const onDropped = (key: string, why: string) => {
    const detail = `A checkpoint of ${key} is dropped, the task goes on: ${why}`;
    options.log?.({ level: 'warn', event: 'checkpoint_dropped', detail });
  };
  return new OffloadingExecutor({
    payloads: createNodePayloadStore(
      blobs,
      defaultLimits.resultBytes,
      join(options.stateDir, 'blobs'),
    ),
    listener,
    nowMs: () => performance.now(),
    createInner: (inner) => {
      if (options.createExecutor !== undefined) return options.createExecutor(slots, inner);
      const { stateDir, codeDir = join(stateDir, 'sandbox-code'), isolation = 'auto' } = options;
      const limits = {
        resultLimitBytes: largestBlobBytes,
        stateLimitBytes: defaultLimits.checkpointBytes,
      };
      const rest = {
        slots,
        stateDir,
        codeDir,
        isolation,
        losses,
        onUnsaved: onDropped,
        listener: inner,
      };
      sandboxes = createNodeExecutor({ ...rest, ...limits });
      if (sandboxes.isolation === 'ses') options.log?.(fewerWalls(isolation));
      return sandboxes;
    },
    onPacked: (slot, key, packMs) => sandboxes?.notePacked(slot, key, packMs),
    onDropped,
  });
}

function takenOver(stateDir: string): WorkerLogEntry {
  return {
    level: 'info',
    event: 'state_dir_taken_over',
    detail: `The worker that used ${stateDir} before was ended without a word; this one is the same worker.`,
  };
}

/** The owner of the machine should know which walls stand between the machine and the tasks. */
function fewerWalls(use: IsolationUse): WorkerLogEntry {
  const why =
    use === 'off'
      ? 'Bubblewrap is turned off.'
      : `Bubblewrap does not work here. ${bubblewrapAdvice()}`;
  return {
    level: 'warn',
    event: 'fewer_walls',
    detail:
      'Tasks run behind SES and the permission flags of Node alone: one that got through both could do ' +
      `whatever this person can. ${why}`,
  };
}

/** An open connection that broke counts as a loss: the attempts that run may be given to others. */
function withLosses(listener: SocketListener, losses: Losses): SocketListener {
  let isOpen = false;
  return {
    opened: () => {
      isOpen = true;
      listener.opened();
    },
    frame: (messages) => listener.frame(messages),
    complaint: (detail) => listener.complaint(detail),
    refused: (status, code, detail) => listener.refused(status, code, detail),
    closed: (detail) => {
      if (isOpen) losses.note();
      listener.closed(detail);
    },
  };
}

function createMachine(
  options: WorkerOptions,
  slots: number,
  url: string,
  identity: WorkerIdentity | null,
  bandwidth: Bandwidth,
  executor: Executor,
): WorkerMachine {
  const { labels, tuning, version, wattsPerCore } = options;
  const reader = new TelemetryReader(
    wattsPerCore === undefined ? {} : { powerWatts: wattsPerCore },
  );
  return new WorkerMachine({
    device: {
      name: options.name ?? deviceName(),
      type: deviceType(),
      platform: process.platform,
      kinds: [defaultProgramKind],
      hands: ['bytes', 'shared'],
      isolation: executor.isolation,
      task_memory_mb: taskMemoryMb(),
      ...(version === undefined ? {} : { version }),
      ...(labels === undefined ? {} : { labels }),
      ...options.offers,
    },
    slots,
    identity,
    instance: randomUUID(),
    mayGoTo: (other) => isAsTrusted(other, url),
    random: Math.random,
    // With what was measured of real transfers, unless the device says otherwise.
    telemetry: () => ({
      network_bandwidth_mbps: bandwidth.mbps,
      ...(options.telemetry?.() ?? reader.read()),
    }),
    wattsPerCore: reader.read().power_watts,
    ...(tuning === undefined ? {} : { tuning }),
  });
}

/**
 * The most that one task gets here: what the machine (or the container) has, without a fifth for everything
 * else that runs on it. Whether so much is free is another question, which every heartbeat answers.
 */
function taskMemoryMb(): number {
  const most = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  return Math.max(defaultTaskMemoryMb, Math.floor((most * 0.8) / 1024 / 1024));
}

interface CoordinatorAddress {
  /** Without path, query or trailing slash; the identity is kept under it too. */
  readonly url: string;
  readonly pinNow: () => string | undefined;
}

function coordinatorAddress({ url: given, pin }: WorkerOptions): CoordinatorAddress {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new WorkerAddressError(given);
  }
  if (typeof pin === 'function') return { url: url.origin, pinNow: pin };
  const pinned = pinnedAddress(given, pin);
  return { url: url.origin, pinNow: () => pinned.pin };
}

/** Keeps its connections while the pin is the same. */
function fetchWith(pinNow: () => string | undefined): PinnedFetch {
  let known: { readonly pin: string; readonly ask: PinnedFetch } | null = null;
  return (url, init) => {
    const pin = pinNow();
    if (pin === undefined) return fetch(url, init);
    if (known?.pin !== pin) known = { pin, ask: createPinnedFetch(pin) };
    return known.ask(url, init);
  };
}
