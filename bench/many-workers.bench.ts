// Reads beside thousands of workers that send heartbeats: how long four readers wait, what an answer costs the
// coordinator, and whether the readers hold up anybody else (submissions, heartbeats, `/healthz`). With nothing to
// do; with 2 000 tasks a second, which cost the same whoever reads; and with two workers that run as fast as they can.

import { Agent, get } from 'node:http';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MusterClient } from '../src/client/index.ts';
import { type Cluster, cpuSeconds, memoryMb, startCluster } from './cluster.ts';
import { pause, quantile } from './dashboard/figures.ts';
import { probeHealth } from './health-probe.ts';
import { type RunningCrowd, startCrowd } from './many-workers/crowd.ts';
import { until } from './stage.ts';

export interface ManyWorkersBench {
  readonly workers: number;
  /** For which each thing is asked. */
  readonly seconds: number;
  /** All without them. */
  readonly algorithms?: readonly string[];
  readonly loads?: readonly Load[];
  readonly paths?: readonly string[];
}

const readers = 4;
const allPaths = ['/api/scheduling-info', '/api/workers', '/api/stats', '/metrics'];
const allAlgorithms = ['fifo', 'edas'];
const allLoads = ['quiet', 'crowd', 'flood'] as const;
const submitEveryMs = 25;
const noop = { kind: 'javascript', source: 'export default (n) => n;' } as const;
const inputs = { range: { start: 0, count: 3_000_000 } };
const jobs = {
  crowd: { inputs, requirements: { labels: { pool: 'crowd' } } },
  flood: { inputs },
} as const;

type Load = (typeof allLoads)[number];

/** What it is measured with. */
interface Bench {
  readonly cluster: Cluster;
  readonly crowd: RunningCrowd;
  /** Milliseconds of CPU of the longest turn of the event loop since it was asked last. */
  readonly longestTurn: () => Promise<number>;
}

export async function benchManyWorkers(
  print: (line: string) => void,
  {
    workers,
    seconds,
    algorithms = allAlgorithms,
    loads = allLoads,
    paths = allPaths,
  }: ManyWorkersBench,
): Promise<void> {
  for (const algorithm of algorithms) {
    for (const load of loads) {
      print(`\n${workers} workers, ${algorithm}, ${load}`);
      await within(algorithm, workers, load, async (bench) => {
        const { client } = bench.cluster;
        if (load !== 'quiet') await client.submit({ program: noop, ...jobs[load] });
        await pause(1_000);
        const alone = await measure(bench, null, seconds);
        print(`nobody reads: ${alone.line}`);
        for (const path of paths) {
          const { line, cpuMs, answers } = await measure(bench, path, seconds);
          // Beside the flood the coordinator does less of everything else while it answers.
          const each =
            load === 'flood'
              ? ''
              : `, ${((cpuMs - alone.cpuMs) / answers).toFixed(2)} ms of CPU each`;
          print(`${path}: ${line}${each}`);
        }
      });
    }
  }
}

async function within(
  algorithm: string,
  workers: number,
  load: Load,
  run: (bench: Bench) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const turns = join(folder, 'turns');
  const cluster = await startCluster(
    load === 'flood' ? 2 : 0,
    ['--log-level', 'error', '--algorithm', algorithm],
    ['--import', join(import.meta.dirname, 'turn-meter.ts')],
    { MUSTER_BENCH_TURNS: turns },
  );
  let crowd: RunningCrowd | undefined;
  try {
    crowd = await startCrowd(cluster.url, workers);
    const longestTurn = async () => {
      rmSync(turns, { force: true });
      process.kill(cluster.pid, 'SIGUSR2');
      await until(async () => existsSync(turns) && readFileSync(turns, 'utf8') !== '');
      return Number(readFileSync(turns, 'utf8'));
    };
    await run({ cluster, crowd, longestTurn });
  } finally {
    await crowd?.end();
    await cluster.stop();
    rmSync(folder, { recursive: true });
  }
}

interface Measured {
  readonly line: string;
  /** Of the coordinator. */
  readonly cpuMs: number;
  readonly answers: number;
}

async function measure(bench: Bench, path: string | null, seconds: number): Promise<Measured> {
  const { cluster, crowd, longestTurn } = bench;
  const { client, pid, url } = cluster;
  await longestTurn();
  await crowd.heartbeats();
  const doneBefore = (await client.stats()).total_tasks_completed;
  const cpuBefore = cpuSeconds(pid)!;
  const probe = probeHealth(url);
  const end = performance.now() + seconds * 1_000;
  const submitting = submit(client, end);
  const { ms, bytes } = await read(url, path, end);
  const submitMs = await submitting;
  const cpuMs = (cpuSeconds(pid)! - cpuBefore) * 1_000;
  const health = await probe.stop();
  const turn = await longestTurn();
  const { p99: beatMs, lost } = await crowd.heartbeats();
  const done = (await client.stats()).total_tasks_completed - doneBefore;
  const parts = [
    ...(path === null
      ? []
      : [
          `${(ms.length / seconds).toFixed(0)} answers/s of ${(bytes / 1_000).toFixed(0)} kB`,
          `p50 ${quantile(ms, 0.5).toFixed(1)} p99 ${quantile(ms, 0.99).toFixed(1)} ms`,
        ]),
    `submissions p99 ${quantile(submitMs, 0.99).toFixed(1)} ms`,
    `heartbeats p99 ${beatMs.toFixed(1)} ms${lost === 0 ? '' : ` (${lost} LOST)`}`,
    `longest /healthz ${health.toFixed(0)} ms`,
    `longest turn ${turn.toFixed(0)} ms of CPU`,
    `${(done / seconds).toFixed(0)} tasks/s`,
    `coordinator ${(cpuMs / seconds / 10).toFixed(0)} % of a core`,
    `${memoryMb(pid)!.now.toFixed(0)} MB`,
  ];
  return { line: parts.join(', '), cpuMs, answers: ms.length };
}

/** Each reader asks again when it has its answer. */
async function read(
  url: string,
  path: string | null,
  end: number,
): Promise<{ readonly ms: readonly number[]; readonly bytes: number }> {
  if (path === null) {
    await pause(end - performance.now());
    return { ms: [], bytes: 0 };
  }
  const agent = new Agent({ keepAlive: true, maxSockets: readers });
  const ms: number[] = [];
  let bytes = 0;
  const reader = async () => {
    while (performance.now() < end) {
      const startedAt = performance.now();
      bytes = await answerBytes(`${url}${path}`, agent);
      ms.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: readers }, reader));
  agent.destroy();
  return { ms, bytes };
}

/** Reads an answer to its end, looking at nothing, so that the reader costs little. */
function answerBytes(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url}: ${answer.statusCode}`));
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => (bytes += chunk.length));
      answer.once('end', () => resolve(bytes));
      answer.once('error', reject);
    }).once('error', reject);
  });
}

/** Jobs of one task beside it all; how long each took to be accepted, in ms. */
async function submit(client: MusterClient, end: number): Promise<readonly number[]> {
  const ms: number[] = [];
  while (performance.now() < end) {
    const startedAt = performance.now();
    await client.submit({ program: noop, inputs: [1] });
    ms.push(performance.now() - startedAt);
    await pause(submitEveryMs);
  }
  return ms;
}
