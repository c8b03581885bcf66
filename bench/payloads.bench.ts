// Tasks with real payloads: an object with a text of 1, 10 or 100 kB in, the same out, by `map` of the SDK from
// submit to the last value, on two workers with the default sandbox and a durable store. The client is this
// process. Each size has a cluster of its own, as the peak of its memory is measured too.
// Run: node bench/payloads.bench.ts [ROUNDS]

import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Cluster, cpuSeconds, memoryMb, startCluster } from './cluster.ts';

interface Case {
  readonly kilobytes: number;
  readonly tasks: number;
}

const cases: readonly Case[] = [
  { kilobytes: 1, tasks: 20_000 },
  { kilobytes: 10, tasks: 10_000 },
  { kilobytes: 100, tasks: 1_000 },
];

interface Input {
  readonly i: number;
  readonly text: string;
}

export async function benchPayloads(print: (line: string) => void, rounds = 3): Promise<void> {
  print(
    'kB in, out    tasks   tasks/s   MB/s   submit s   CPU µs/task: client  coordinator  agents, children   longest turn ms   longest /healthz ms   RSS MB (peak)   store MB',
  );
  for (const each of cases) await benchCase(each, print, rounds);
}

async function benchCase(each: Case, print: (line: string) => void, rounds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const turns = join(folder, 'turns');
  const meter = ['--import', join(import.meta.dirname, 'turn-meter.ts')];
  const cluster = await startCluster(2, ['--log-level', 'silent'], meter, {
    MUSTER_BENCH_TURNS: turns,
  });
  try {
    await runJob(cluster, { kilobytes: each.kilobytes, tasks: Math.ceil(each.tasks / 5) });
    for (let round = 0; round < rounds; round++) print(await measure(cluster, each, turns));
  } finally {
    await cluster.stop();
    rmSync(folder, { recursive: true });
  }
}

async function measure(cluster: Cluster, each: Case, turns: string): Promise<string> {
  const { kilobytes, tasks } = each;
  process.kill(cluster.pid, 'SIGUSR2');
  await pause(300);
  const probe = new Worker(new URL('health-thread.ts', import.meta.url), {
    workerData: { url: cluster.url },
  });
  const storedBefore = storeMb(cluster.folder);
  const workers = new WorkerTimes(cluster);
  const before = usage(cluster, workers);
  const startedAt = performance.now();
  const submitted = await runJob(cluster, each);
  const seconds = (performance.now() - startedAt) / 1000;
  const after = usage(cluster, workers);
  workers.stop();
  const longest = await stopped(probe);
  process.kill(cluster.pid, 'SIGUSR2');
  await pause(300);
  const perTask = (name: keyof Usage) => (((after[name] - before[name]) / tasks) * 1e6).toFixed(0);
  const memory = memoryMb(cluster.pid);
  const both = (2 * kilobytes * tasks) / 1000 / seconds;
  return [
    `${kilobytes}`.padStart(10),
    String(tasks).padStart(8),
    (tasks / seconds).toFixed(0).padStart(9),
    both.toFixed(0).padStart(6),
    submitted.toFixed(2).padStart(10),
    perTask('client').padStart(21),
    perTask('coordinator').padStart(12),
    perTask('workers').padStart(17),
    Number(readFileSync(turns, 'utf8')).toFixed(0).padStart(17),
    longest.toFixed(0).padStart(21),
    `${memory?.now.toFixed(0) ?? '?'} (${memory?.peak.toFixed(0) ?? '?'})`.padStart(15),
    (storeMb(cluster.folder) - storedBefore).toFixed(0).padStart(10),
  ].join(' ');
}

/** Reads every value, and returns after how many seconds the job was there. */
async function runJob({ client }: Cluster, { kilobytes, tasks }: Case): Promise<number> {
  const length = kilobytes * 1000;
  // Made one by one, as a program does that reads them from somewhere: strings that share no text.
  const inputs: Input[] = Array.from({ length: tasks }, (_, i) => ({
    i,
    text: Buffer.alloc(length, `${i} `).toString('latin1'),
  }));
  const startedAt = performance.now();
  let submitted = 0;
  const run = client.map(inputs, ({ i, text }: Input) => ({ i, text }));
  void run.jobId.then(() => (submitted = (performance.now() - startedAt) / 1000));
  let count = 0;
  for await (const { index, value } of run) {
    if (value.i !== index || value.text.length !== length) throw new Error('A value is wrong.');
    count++;
  }
  if (count !== tasks) throw new Error(`${count} results came for ${tasks} tasks.`);
  return submitted;
}

async function stopped(probe: Worker): Promise<number> {
  const answer = new Promise<number>((resolve) => probe.once('message', resolve));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  probe.postMessage('stop');
  const longest = await answer;
  await probe.terminate();
  return longest;
}

/** In seconds of processor time. */
interface Usage {
  readonly client: number;
  readonly coordinator: number;
  readonly workers: number;
}

function usage(cluster: Cluster, workers: WorkerTimes): Usage {
  const { user, system } = process.cpuUsage();
  return {
    client: (user + system) / 1e6,
    coordinator: cpuSeconds(cluster.pid) ?? 0,
    workers: workers.look(),
  };
}

/** Processor time of agents and children. A child may be replaced meanwhile: it counts with what it had at the last look. */
class WorkerTimes {
  readonly #cluster: Cluster;
  readonly #seconds = new Map<number, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#timer = setInterval(() => this.look(), 100);
  }

  look(): number {
    for (const pid of this.#cluster.workerPids()) {
      const seconds = cpuSeconds(pid);
      if (seconds !== null) this.#seconds.set(pid, seconds);
    }
    return [...this.#seconds.values()].reduce((sum, one) => sum + one, 0);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** The database and its log. */
function storeMb(folder: string): number {
  const sizeOf = (file: string) =>
    statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0;
  return (sizeOf('muster.db') + sizeOf('muster.db-wal')) / 1e6;
}

if (import.meta.main) await benchPayloads(console.log, Number(process.argv[2] ?? 3));
