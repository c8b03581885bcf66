// The worker processes of a coordinator on its own machine. A worker that crashes is started again, after
// a pause that grows; one that left because it was told to is not.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { IsolationUse } from '../../worker/node/index.ts';
import { withPin } from '../../transport/index.ts';
import { mainFile } from '../entry-points.ts';
import { exitCodes } from '../exit-codes.ts';

const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** After a worker has lived so long, the next pause is short again. */
const HEALTHY_MS = 60_000;
const KILL_AFTER_MS = 2_000;

/** Exit codes after which a worker is not started again: it would end the same way. */
const FINAL_CODES = new Set<number | null>([
  exitCodes.ok.code,
  exitCodes.usage.code,
  exitCodes.unreachable.code,
  exitCodes.refused.code,
  exitCodes.cannotStart.code,
]);

export interface LocalWorkersOptions {
  readonly count: number;
  /** What they are called, with a number behind it; the name of this machine by default. */
  readonly name?: string;
  /** Address of the coordinator. */
  readonly url: string;
  /** Of its certificate; null without TLS. */
  readonly pin: string | null;
  /** Each worker has a folder of its own in it. */
  readonly folder: string;
  /** The admin's token is in it, once there is one. */
  readonly tokenFile: string;
  readonly isolation: string;
  readonly logLevel: string;
  /** Prints a line of a worker, or about one. */
  readonly tell: (line: string) => void;
}

/** What a worker is told while it runs. */
export interface LocalMessage {
  readonly pin: string;
}

export class LocalWorkers {
  readonly #options: LocalWorkersOptions;
  readonly #children = new Map<number, ChildProcess>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  #pin: string | null;
  #isStopping = false;

  constructor(options: LocalWorkersOptions) {
    this.#options = options;
    this.#pin = options.pin;
  }

  start(): void {
    for (let number = 1; number <= this.#options.count; number++) {
      this.#spawn(number, SHORTEST_PAUSE_MS);
    }
  }

  /** The coordinator has another certificate now. */
  trust(pin: string): void {
    this.#pin = pin;
    for (const child of this.#children.values()) {
      if (child.connected) child.send({ pin } satisfies LocalMessage);
    }
  }

  /** Lets the workers finish their tasks for at most `graceMs`; all have ended when it resolves. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#restarts) clearTimeout(timer);
    const children = [...this.#children.values()];
    const gone = Promise.all(children.map(exitOf));
    for (const child of children) child.kill('SIGTERM');
    if (await isDoneWithin(gone, graceMs)) return;
    // At a second signal a worker gives up its running tasks.
    for (const child of children) child.kill('SIGTERM');
    if (await isDoneWithin(gone, KILL_AFTER_MS)) return;
    for (const child of children) child.kill('SIGKILL');
    await gone;
  }

  #spawn(number: number, pauseMs: number): void {
    const { url, folder, isolation, logLevel, tell, name = hostname(), tokenFile } = this.#options;
    const startedMs = performance.now();
    const address = this.#pin === null ? url : withPin(url, this.#pin);
    const flags = Object.entries({
      '--name': `${name}-${number}`,
      '--slots': '1',
      '--state-dir': join(folder, `worker-${number}`),
      '--isolation': isolation,
      '--log-level': logLevel,
      // Its lines become lines of this process, which has a format of its own.
      '--log-format': 'text',
      '--local': String(number),
    }).flat();
    const hasToken = existsSync(tokenFile);
    const token = hasToken ? { MUSTER_TOKEN_FILE: tokenFile } : {};
    const child = spawn(
      process.execPath,
      ['--disable-sigusr1', mainFile(), 'worker', address, ...flags],
      // This process colours the lines. The IPC channel tells a worker when this process has ended.
      {
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
        env: { ...process.env, ...token, NO_COLOR: '1' },
      },
    );
    this.#children.set(number, child);
    if (child.stderr !== null) {
      createInterface({ input: child.stderr }).on('line', (line) => {
        tell(`worker ${number}: ${line.replace(/^muster: /, '')}`);
      });
    }
    child.once('error', (error) => tell(`worker ${number} cannot be started: ${error.message}`));
    child.once('exit', (code, signal) => {
      this.#children.delete(number);
      if (this.#isStopping) return;
      // The first token was made after it had started, and before it had registered.
      const lacksToken = code === exitCodes.refused.code && !hasToken && existsSync(tokenFile);
      if (FINAL_CODES.has(code) && !lacksToken) {
        tell(`worker ${number} has left and is not started again`);
        return;
      }
      const isHealthy = performance.now() - startedMs > HEALTHY_MS;
      const restartMs = isHealthy ? SHORTEST_PAUSE_MS : pauseMs;
      tell(
        `worker ${number} ended (${signal ?? `code ${code}`}); started again in ${restartMs} ms`,
      );
      this.#restart(number, restartMs);
    });
  }

  #restart(number: number, pauseMs: number): void {
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      this.#spawn(number, Math.min(2 * pauseMs, LONGEST_PAUSE_MS));
    }, pauseMs);
    this.#restarts.add(timer);
  }
}

/** Throws an `IsolationError` when the workers that were asked for could not start. */
export async function checkIsolation(asked: {
  readonly workers: number;
  readonly isolation: IsolationUse;
}): Promise<void> {
  if (asked.workers === 0 || asked.isolation !== 'require') return;
  const { chooseConfinement } = await import('../../worker/node/index.ts');
  chooseConfinement(process.execPath, 'require');
}

function exitOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
}

async function isDoneWithin(done: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const result = await Promise.race([done.then(() => true), late]);
  clearTimeout(timer);
  return result;
}
