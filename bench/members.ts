// Coordinators that share a database of PostgreSQL, and workers, as processes of their own: measurements end them, let them
// stand still and start them again.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type ClusterResource, type MusterClient } from '../src/client/index.ts';
import { cpuSeconds, descendants } from './cluster.ts';
import { freePort, until } from './stage.ts';

const main = join(import.meta.dirname, '../src/cli/main.ts');

export class Member {
  readonly url: string;
  readonly client: MusterClient;
  readonly #args: readonly string[];
  #process: ChildProcess | undefined;
  /** Processor time of processes of before, in seconds. */
  #spent = 0;

  constructor(url: string, args: readonly string[]) {
    this.url = url;
    this.client = connect(url);
    this.#args = args;
  }

  get pid(): number {
    return this.#process!.pid!;
  }

  start(): void {
    this.#process = start(['serve', '--port', new URL(this.url).port, ...this.#args]);
  }

  async ready(): Promise<void> {
    await until(async () => (await fetch(`${this.url}/readyz`).catch(() => null))?.ok === true);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.#spent = this.cpuSeconds();
    await end(this.#process!, signal);
  }

  freeze(): void {
    this.#process!.kill('SIGSTOP');
  }

  wake(): void {
    this.#process!.kill('SIGCONT');
  }

  cpuSeconds(): number {
    return this.#spent + (cpuSeconds(this.pid) ?? 0);
  }

  /** How it sees the others; undefined when it does not answer. */
  async look(): Promise<ClusterResource | undefined> {
    try {
      const signal = AbortSignal.timeout(2_000);
      const answer = await fetch(`${this.url}/api/cluster`, { signal });
      return answer.ok ? ((await answer.json()) as ClusterResource) : undefined;
    } catch {
      return undefined;
    }
  }
}

export class Members {
  readonly all: readonly Member[];
  readonly #folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  readonly #workers: ChildProcess[] = [];

  /** Without a store on a file, which one alone can have. */
  static async open(store: string | undefined, count: number): Promise<Members> {
    const ports = await Promise.all(Array.from({ length: count }, freePort));
    const members = new Members(store, ports);
    for (const member of members.all) member.start();
    await Promise.all(members.all.map((member) => member.ready()));
    return members;
  }

  private constructor(store: string | undefined, ports: readonly number[]) {
    this.all = ports.map((port, i) => {
      const url = `http://127.0.0.1:${port}`;
      const folder = join(this.#folder, `member-${i + 1}`);
      const advertised = ports.length === 1 ? [] : ['--advertise', url];
      const place = store === undefined ? [] : ['--store', store];
      return new Member(url, [
        '--data-dir',
        folder,
        '--log-level',
        'error',
        ...place,
        ...advertised,
      ]);
    });
  }

  /** The one that leads, as soon as one does. */
  async leader(): Promise<Member> {
    if (this.all.length === 1) return this.all[0]!;
    let leader: Member | undefined;
    await until(async () => {
      const looks = await Promise.all(this.all.map((member) => member.look()));
      // One that does not lead passes the question on: the answer is that of another then.
      leader = this.all.find(({ url }, i) => {
        const self = looks[i]?.members.find(({ is_self: isSelf }) => isSelf);
        return looks[i]?.role === 'leading' && self?.is_leader === true && self.url === url;
      });
      return leader !== undefined;
    });
    return leader!;
  }

  async followers(): Promise<readonly Member[]> {
    const leader = await this.leader();
    return this.all.filter((member) => member !== leader);
  }

  /** One at each of these members. Resolves when all are there. */
  async addWorkers(at: readonly Member[], slots = 1): Promise<void> {
    for (const { url } of at) {
      const name = `worker-${this.#workers.length + 1}`;
      const state = ['--state-dir', join(this.#folder, name), '--log-level', 'error'];
      this.#workers.push(
        start(['worker', url, '--name', name, '--slots', String(slots), ...state]),
      );
    }
    const { client } = await this.leader();
    const count = this.#workers.length;
    await until(async () => (await client.stats()).online_workers >= count);
  }

  /** Of the workers with their sandboxes. */
  workerSeconds(): number {
    const pids = this.#workers.flatMap(({ pid }) => [pid!, ...descendants(pid!)]);
    return pids.reduce((sum, pid) => sum + (cpuSeconds(pid) ?? 0), 0);
  }

  async close(): Promise<void> {
    for (const worker of this.#workers) await end(worker, 'SIGKILL');
    for (const member of this.all) {
      member.wake();
      await member.end('SIGTERM');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [main, ...args], { stdio: 'ignore' });
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
