// One task of high priority beside a job of a million, under `priority`: how long its client waits, and what
// that costs the million. First the million alone for some seconds, then beside urgent tasks, one after
// another. How many tasks of the million end meanwhile tells what the urgent one waited behind, also on a
// machine that others slow down.

import { setTimeout as wait } from 'node:timers/promises';
import { type Cluster, cpuSeconds, startCluster } from './cluster.ts';

const noop = { kind: 'javascript', source: 'export default (n) => n;' } as const;
/** Between two urgent tasks. */
const pauseMs = 10;

export async function benchUrgent(
  print: (line: string) => void,
  { seconds = 8, tasks = 1_000_000 }: { seconds?: number; tasks?: number } = {},
): Promise<void> {
  const cluster = await startCluster(2, ['--algorithm', 'priority']);
  try {
    await runJob(cluster, 2000, 0);
    for (let i = 0; i < 50; i++) await runJob(cluster, 1, 0);
    const million = await LongJob.begin(cluster, tasks);
    await wait(1500);
    const alone = await million.measure(() => wait(seconds * 1000));
    const trips: Trip[] = [];
    const beside = await million.measure(async () => {
      const until = performance.now() + seconds * 1000;
      while (performance.now() < until) {
        trips.push(await urgentTrip(cluster, million));
        await wait(pauseMs);
      }
    });
    million.end();
    print(`the long job alone: ${alone}; beside urgent tasks: ${beside}`);
    const ms = trips.map((trip) => trip.ms);
    const passed = trips.map((trip) => trip.passed);
    print(`urgent task, ${trips.length} times: ${spread(ms)} ms`);
    print(`tasks of the long job that ended meanwhile: ${spread(passed)}`);
    if (beside.isOver) print('The long job ended too early: give it more tasks.');
  } finally {
    await cluster.stop();
  }
}

interface Trip {
  readonly ms: number;
  /** Results of the long job that came meanwhile. */
  readonly passed: number;
}

async function urgentTrip(cluster: Cluster, long: LongJob): Promise<Trip> {
  const before = long.lines;
  const startedAt = performance.now();
  await runJob(cluster, 1, 100);
  return { ms: performance.now() - startedAt, passed: long.lines - before };
}

/** Submits a range job and reads every result as it completes, in one request. */
async function runJob(cluster: Cluster, count: number, priority: number): Promise<void> {
  const inputs = { range: { start: 0, count } };
  const followed = await cluster.client.submitAndFollow({ program: noop, inputs, priority });
  let lines = 0;
  for await (const _line of followed.lines()) lines++;
  if (lines !== count) throw new Error(`${lines} results came for ${count} tasks.`);
}

async function follow({ url }: Cluster, id: string, signal: AbortSignal | null = null) {
  const headers = { accept: 'application/x-ndjson' };
  const answer = await fetch(`${url}/api/jobs/${id}/results?follow=true`, { headers, signal });
  return answer.body!;
}

/** Lines are counted, not parsed: the client must not be what is measured. */
function linesIn(chunk: Uint8Array): number {
  let lines = 0;
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
  return lines;
}

interface Measured {
  readonly isOver: boolean;
  toString(): string;
}

/** A job that goes on while others are measured. */
class LongJob {
  lines = 0;
  readonly #cluster: Cluster;
  readonly #size: number;
  readonly #reader = new AbortController();

  static async begin(cluster: Cluster, size: number): Promise<LongJob> {
    const job = new LongJob(cluster, size);
    const inputs = { range: { start: 0, count: size } };
    const { id } = await cluster.client.submit({ program: noop, inputs });
    void job.#read(id);
    return job;
  }

  private constructor(cluster: Cluster, size: number) {
    this.#cluster = cluster;
    this.#size = size;
  }

  /** How fast it gets on while something else happens, and what a task of it costs the coordinator. */
  async measure(meanwhile: () => Promise<unknown>): Promise<Measured> {
    const { pid } = this.#cluster;
    const [lines, cpu, startedAt] = [this.lines, cpuSeconds(pid) ?? NaN, performance.now()];
    await meanwhile();
    const tasks = this.lines - lines;
    const rate = tasks / ((performance.now() - startedAt) / 1000);
    const micros = (((cpuSeconds(pid) ?? NaN) - cpu) / tasks) * 1e6;
    const text = `${rate.toFixed(0)} tasks/s, ${micros.toFixed(1)} µs CPU of the coordinator a task`;
    return { isOver: this.lines >= this.#size, toString: () => text };
  }

  /** Nobody reads it any more; it ends with the cluster. */
  end(): void {
    this.#reader.abort();
  }

  async #read(id: string): Promise<void> {
    try {
      const body = await follow(this.#cluster, id, this.#reader.signal);
      for await (const chunk of body) this.lines += linesIn(chunk);
    } catch (error) {
      if (!this.#reader.signal.aborted) throw error;
    }
  }
}

function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(1);
  return `p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, max ${at(1)}`;
}

if (import.meta.main) await benchUrgent(console.log);
