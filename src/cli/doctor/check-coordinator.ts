// Checks whether a coordinator answers, how far its clock is from ours, and whether one could
// listen here.

import { createServer } from 'node:net';
import type { Fetch } from '../../client/request.ts';
import {
  createPinnedFetch,
  explainUntrusted,
  findNodeModules,
  meetPin,
} from '../../transport/pinning.ts';
import { pinnedAddress } from '../../transport/index.ts';
import type { StoreHealth } from '../../protocol/resources.ts';
import type { WorkerResource } from '../../protocol/workers.ts';
import type { LostToken } from '../process/admin-token-lost.ts';
import { isSameCoordinator } from '../settings/token-flags.ts';
import { clockFor } from '../text/times.ts';
import { counted } from '../text/wording.ts';
import { releaseOf } from '../version.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** The `Date` header has whole seconds only. */
const OFFSET_TOLERATED_MS = 2_000;
const ANSWER_MS = 3_000;
const mostNamed = 10;

export interface Answer {
  readonly url: string;
  readonly isReady: boolean;
  /** The coordinator's clock minus ours; null when its answer has no time. */
  readonly offsetMs: number | null;
  /** It asks nobody for a token. */
  readonly isOpen: boolean;
  /** Result of its last check of the whole database; null before the first. */
  readonly store: StoreHealth | null;
  /** Of its program; null of one of before, which does not tell. */
  readonly version: string | null;
  /** Of its workers that are not offline, by name; null of those that do not tell. */
  readonly workerVersions: readonly { readonly name: string; readonly version: string | null }[];
  /** It asks for a token, and was shown none that is good. */
  readonly isUnauthorized: boolean;
  /** It is ready, and still has not told in time what is in its database. */
  readonly isStuck: boolean;
}

/** The same for the address of the settings, or a sentence when it cannot be asked. */
export async function askAddress(asked: {
  readonly url: string;
  readonly pin?: string;
  readonly token?: string;
}): Promise<Answer | string | undefined> {
  try {
    const { url, pin } = pinnedAddress(asked.url, asked.pin);
    const { token } = asked;
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const send: Fetch =
      pin === undefined ? (address, init) => fetch(address, init) : createPinnedFetch(pin);
    const ask: Fetch = (address, init) => send(address, { ...init, headers, redirect: 'manual' });
    const failures: unknown[] = [];
    const answer = await askCoordinator(url, (address, init) =>
      ask(address, init).catch((error: unknown) => {
        failures.push(error);
        throw error;
      }),
    );
    return answer ?? (await explainUntrusted(url, failures[0]))?.message;
  } catch (error) {
    return `${(error as Error).message}.`;
  }
}

/** Whether a coordinator listens there, by either scheme, whatever certificate it has. */
export async function isCoordinator(place: string): Promise<boolean> {
  if ((await askCoordinator(`http://${place}`)) !== undefined) return true;
  const met = await meetPin(findNodeModules()!, `https://${place}`);
  if (met === null) return false;
  return (await askCoordinator(`https://${place}`, createPinnedFetch(met))) !== undefined;
}

/** Undefined when nothing answers there, or something that is not a coordinator. */
export async function askCoordinator(
  url: string,
  ask: Fetch = (address, init) => fetch(address, init),
): Promise<Answer | undefined> {
  try {
    const before = Date.now();
    const response = await ask(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) });
    const middle = (before + Date.now()) / 2;
    const { status } = (await response.json()) as { status?: unknown };
    if (typeof status !== 'string') return undefined;
    // The header names a whole second: its middle is taken.
    const toldAt = Date.parse(response.headers.get('date') ?? '') + 500;
    const offsetMs = Number.isNaN(toldAt) ? null : Math.round(toldAt - middle);
    const health = await ask(`${url}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS) });
    const { store = null, version = null, open: isOpen = false } = (await health.json()) as Health;
    const isReady = response.ok;
    const { isStuck, ...workers } = await askWorkers(url, ask);
    const told = { isOpen, store, version, ...workers };
    return { url, isReady, offsetMs, ...told, isStuck: isReady && isStuck };
  } catch {
    return undefined;
  }
}

interface Health {
  readonly store?: StoreHealth;
  readonly version?: string;
  readonly open?: boolean;
}

/** Empty while it takes no requests, and when it does not tell. */
async function askWorkers(
  url: string,
  ask: Fetch,
): Promise<Pick<Answer, 'workerVersions' | 'isUnauthorized' | 'isStuck'>> {
  const none = { workerVersions: [], isUnauthorized: false };
  // Who holds a request for long waits for its database, or for its leader.
  const answer = await ask(`${url}/api/workers`, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(
    () => undefined,
  );
  if (answer === undefined) return { ...none, isStuck: true };
  const isStuck = answer.status >= 500;
  const isUnauthorized = answer.status === 401;
  const workers: unknown = answer.ok ? await answer.json() : [];
  if (!Array.isArray(workers)) return { ...none, isUnauthorized, isStuck };
  const workerVersions = (workers as readonly Partial<WorkerResource>[])
    .filter(({ status }) => status !== 'offline')
    .map(({ id = '', name, version }) => ({ name: name ?? id, version: version ?? null }));
  return { workerVersions, isUnauthorized, isStuck };
}

/** Coordinator and workers of different versions work together; but somebody may have forgotten one. */
export function checkVersions(own: string, answer: Answer | undefined): Finding | undefined {
  if (answer === undefined || answer.version === null) return undefined;
  const { version } = answer;
  const release = releaseOf(version);
  const others = answer.workerVersions.filter((worker) => worker.version !== version);
  if (version !== own) {
    return warning(
      'versions',
      `the coordinator has version ${version}, this program ${own}`,
      releaseOf(own) === release
        ? 'One release, two commits: they work together. After `git pull` a coordinator has to be started anew.'
        : 'Upgrade the older of the two (docs/guides/operate.md).',
    );
  }
  if (others.length === 0) return ok('versions', `everywhere ${version}`);
  const named = others
    .slice(0, mostNamed)
    .map((worker) => `${worker.name} (${worker.version ?? 'does not tell'})`);
  const more = others.length > mostNamed ? ` and ${others.length - mostNamed} more` : '';
  const isOneRelease = others.every((worker) => releaseOf(worker.version ?? '') === release);
  return warning(
    'versions',
    `${counted(others.length, 'worker')} of another ${isOneRelease ? 'commit' : 'version'} than ${version}: ` +
      `${named.join(', ')}${more}`,
    isOneRelease
      ? 'The release is the same, so tasks go on; upgrade them when there is time.'
      : 'Tasks go on; upgrade them when there is time. A program that is not ours may tell any version.',
  );
}

export function checkCoordinator(url: string, answer: Answer | string | undefined): Finding {
  if (typeof answer === 'string') return problem('coordinator', answer, null);
  if (answer === undefined) {
    return warning(
      'coordinator',
      `none answers at ${url}`,
      'Start one with `muster serve`, or name another with --url or MUSTER_URL.',
    );
  }
  if (answer.isStuck) {
    return warning(
      'coordinator',
      `the one at ${url} runs, but does not tell what is in its database`,
      'Is the server of the database away? `muster doctor --store ADDRESS` looks at it, the log of the coordinator has the rest.',
    );
  }
  if (answer.isReady) return ok('coordinator', `answers at ${url}`);
  return warning(
    'coordinator',
    `the one at ${url} is starting or stopping`,
    'Try again in a moment.',
  );
}

/** Only where it is so: a person has asked for it, and may have forgotten. */
export function checkOpen(answer: Answer | undefined): Finding | undefined {
  if (answer?.isOpen !== true) return undefined;
  return problem(
    'access',
    'the coordinator was started with --open: everybody who can reach it may do everything',
    'Make a token (muster token create --kind admin) and start it without --open.',
  );
}

/** `served`: the address of the coordinator of the data folder; that of another one is not to be found here. */
export function checkAdminToken(
  answer: Answer | undefined,
  served: string | undefined,
  lost: LostToken | undefined,
): Finding | undefined {
  if (answer?.isUnauthorized !== true || lost === undefined || served === undefined)
    return undefined;
  if (!isSameCoordinator(served, answer.url)) return undefined;
  return warning('access', lost.finding, lost.advice);
}

/** Reports the coordinator's last check of its file. `--deep` checks now, and names damaged values. */
export function checkLastLook(answer: Answer | undefined): Finding | undefined {
  const store = answer?.store ?? null;
  if (store === null) return undefined;
  const { checked_at: at, values, unverified, damaged } = store;
  const when = clockFor([], Date.now()).short(at);
  const looked = `the coordinator looked at ${counted(values, 'value')} at ${when}`;
  if (damaged > 0) {
    return problem(
      'database',
      `${looked}: ${damaged} damaged`,
      '`muster doctor --deep` names them; restore a backup (docs/guides/recover.md).',
    );
  }
  const unhashed = unverified === 0 ? '' : `; without a hash to compare with: ${unverified}`;
  return ok('database', `${looked}: none is damaged${unhashed}`);
}

export function checkOffset(answer: Answer | undefined): Finding | undefined {
  const offsetMs = answer?.offsetMs ?? null;
  if (offsetMs === null) return undefined;
  if (Math.abs(offsetMs) <= OFFSET_TOLERATED_MS) {
    return ok('clock offset', "agrees with the coordinator's, as far as whole seconds tell");
  }
  const seconds = (Math.abs(offsetMs) / 1_000).toFixed(0);
  return warning(
    'clock offset',
    `the coordinator's clock is ${seconds} s ${offsetMs > 0 ? 'ahead of' : 'behind'} this one`,
    'Nothing is computed wrongly, but times in lists mislead: switch on NTP on both machines.',
  );
}

/** Whether a coordinator can listen here. A port that a coordinator uses already is fine, too. */
export async function checkPort(
  host: string,
  port: number,
  isOurs: (place: string) => Promise<boolean>,
): Promise<Finding> {
  const place = `${port} on ${host}`;
  const code = await tryToListen(host, port);
  if (code === undefined) {
    return ok('port', port === 0 ? `a free one on ${host}` : `${place} is free`);
  }
  if (code === 'EADDRINUSE') {
    if (await isOurs(`${host.includes(':') ? `[${host}]` : host}:${port}`)) {
      return ok('port', `${place} is in use, by a coordinator`);
    }
    return problem(
      'port',
      `${place} is taken by another program`,
      'Choose another one with --port or MUSTER_PORT; 0 takes a free one.',
    );
  }
  if (code === 'EACCES') {
    return problem('port', `this user may not listen on ${place}`, 'Choose a port above 1023.');
  }
  return problem(
    'port',
    `cannot listen on ${place} (${code})`,
    'Is --host (MUSTER_HOST) an address of this machine? 127.0.0.1 always is.',
  );
}

/** Code of the system's error; undefined when listening worked. */
function tryToListen(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
