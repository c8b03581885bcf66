// A coordinator and workers that a measurement kills and starts again: one process each, on a store
// in a temporary folder.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type MusterClient } from '../src/client/index.ts';
import { cpuSeconds, descendants } from './cluster.ts';

const main = join(import.meta.dirname, '../src/cli/main.ts');

export class Stage {
  readonly url: string;
  readonly client: MusterClient;
  readonly #folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  readonly #flags: readonly string[];
  readonly #workers = new Map<string, ChildProcess>();
  #coordinator: ChildProcess | undefined;

  static async open(flags: readonly string[], workers: number, slots = 1): Promise<Stage> {
    const stage = new Stage(await freePort(), flags);
    stage.startCoordinator();
    await stage.ready();
    for (let i = 1; i <= workers; i++) stage.startWorker(`worker-${i}`, slots);
    await stage.online(workers);
    return stage;
  }

  private constructor(port: number, flags: readonly string[]) {
    this.url = `http://127.0.0.1:${port}`;
    this.client = connect(this.url);
    this.#flags = ['--port', String(port), '--data-dir', this.#folder, ...flags];
  }

  startCoordinator(): void {
    this.#coordinator = start(['serve', ...this.#flags]);
  }

  /** Starts a worker; one with a name that was used before is the same worker again. Returns its process id. */
  startWorker(name: string, slots = 1, more: readonly string[] = []): number {
    const state = ['--state-dir', join(this.#folder, name), '--log-level', 'error'];
    const flags = ['--name', name, '--slots', String(slots), ...state, ...more];
    const worker = start(['worker', this.url, ...flags]);
    this.#workers.set(name, worker);
    return worker.pid!;
  }

  async killCoordinator(): Promise<void> {
    await end(this.#coordinator!, 'SIGKILL');
  }

  async killWorker(name: string): Promise<void> {
    await end(this.#workers.get(name)!, 'SIGKILL');
  }

  sandboxesOf(name: string): number[] {
    return descendants(this.#workers.get(name)!.pid!);
  }

  /** CPU time of all processes that run now. */
  cpuSeconds(): number {
    const started = [this.#coordinator!, ...this.#workers.values()].map(({ pid }) => pid!);
    const all = [...started, ...started.flatMap(descendants)];
    return all.reduce((sum, pid) => sum + (cpuSeconds(pid) ?? 0), 0);
  }

  async ready(): Promise<void> {
    await until(async () => (await fetch(`${this.url}/readyz`).catch(() => null))?.ok === true);
  }

  async online(workers: number): Promise<void> {
    await until(async () => (await this.client.stats()).online_workers >= workers);
  }

  async close(): Promise<void> {
    for (const worker of this.#workers.values()) await end(worker, 'SIGKILL');
    await end(this.#coordinator!, 'SIGTERM');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Asks every few milliseconds, for two minutes at most. */
export async function until(isThere: () => Promise<boolean>): Promise<void> {
  const givenUpAt = performance.now() + 120_000;
  while (!(await isThere())) {
    if (performance.now() > givenUpAt) throw new Error('It did not come to that in two minutes.');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [main, ...args], {
    stdio: 'ignore',
  });
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
