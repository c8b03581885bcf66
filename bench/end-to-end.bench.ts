// No-op tasks from submit to the client that has read every result: two workers, default sandbox,
// durable store, everything on this machine. And the round trip of a single task on an idle system,
// beside what the disk takes to make one page durable.

import { closeSync, fdatasyncSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '../src/client/index.ts';
import { type Cluster, memoryMb, startCluster, usage } from './cluster.ts';
import { probeHealth } from './health-probe.ts';

const noop = { kind: 'javascript', source: 'export default (n) => n;' } as const;

export interface EndToEndOptions {
  readonly sizes: readonly number[];
  readonly roundTrips: number;
}

export async function benchEndToEnd(
  print: (line: string) => void,
  options: EndToEndOptions = { sizes: [10_000, 100_000, 1_000_000], roundTrips: 300 },
): Promise<void> {
  const cluster = await startCluster(2);
  try {
    await runJob(cluster, 2000);
    await benchRoundTrip(cluster, options.roundTrips, print);
    print('');
    print(
      'tasks      seconds   tasks/s   coordinator µs CPU/task   all µs CPU/task   RSS MB (peak)   longest /healthz ms',
    );
    for (const size of options.sizes) await benchThroughput(cluster, size, print);
  } finally {
    await cluster.stop();
  }
}

async function benchThroughput(
  cluster: Cluster,
  size: number,
  print: (line: string) => void,
): Promise<void> {
  const before = usage(cluster);
  const probe = probeHealth(cluster.url);
  const startedAt = performance.now();
  const results = await runJob(cluster, size);
  const seconds = (performance.now() - startedAt) / 1000;
  const longest = await probe.stop();
  const after = usage(cluster);
  if (results !== size) throw new Error(`${results} results came for ${size} tasks.`);
  const perTask = (used: number) => ((used / size) * 1e6).toFixed(1);
  const memory = memoryMb(cluster.pid);
  print(
    [
      String(size).padEnd(10),
      seconds.toFixed(2).padStart(7),
      (size / seconds).toFixed(0).padStart(9),
      perTask(after.coordinator - before.coordinator).padStart(25),
      perTask(after.all - before.all).padStart(17),
      `${memory?.now.toFixed(0) ?? '?'} (${memory?.peak.toFixed(0) ?? '?'})`.padStart(15),
      longest.toFixed(0).padStart(21),
    ].join(' '),
  );
}

/** Submits a range job and reads every result as it completes. Returns how many came. */
async function runJob(cluster: Cluster, size: number): Promise<number> {
  const job = await connect(cluster.url).submit({
    program: noop,
    inputs: { range: { start: 0, count: size } },
  });
  const answer = await fetch(`${cluster.url}/api/jobs/${job.id}/results?follow=true`, {
    headers: { accept: 'application/x-ndjson' },
  });
  // Lines are counted, not parsed: the client must not be what is measured.
  let lines = 0;
  for await (const chunk of answer.body!) {
    for (const byte of chunk) if (byte === 10) lines++;
  }
  return lines;
}

/** One request: the job, its result and its end. */
async function tripOfOne({ client }: Cluster): Promise<void> {
  const followed = await client.submitAndFollow({
    program: noop,
    inputs: { range: { start: 0, count: 1 } },
  });
  const results = await Array.fromAsync(followed.lines());
  if (results.length !== 1) throw new Error(`${results.length} results came for one task.`);
}

async function benchRoundTrip(
  cluster: Cluster,
  count: number,
  print: (line: string) => void,
): Promise<void> {
  for (let i = 0; i < 50; i++) await tripOfOne(cluster);
  const times: number[] = [];
  const before = usage(cluster);
  const own = process.cpuUsage();
  for (let i = 0; i < count; i++) {
    const startedAt = performance.now();
    await tripOfOne(cluster);
    times.push(performance.now() - startedAt);
  }
  const { user, system } = process.cpuUsage(own);
  const coordinator = (usage(cluster).coordinator - before.coordinator) * 1e6;
  const disk = rawSync(cluster.folder, count);
  const perTrip = (microseconds: number) => `${(microseconds / count).toFixed(0)} µs`;
  print(`round trip of one task, ${count} times: ${quantiles(times)}`);
  print(`CPU of a trip: client ${perTrip(user + system)}, coordinator ${perTrip(coordinator)}`);
  print(`raw fdatasync of one 4 KiB page, ${count} times: ${quantiles(disk)}`);
}

function rawSync(folder: string, count: number): number[] {
  const path = join(folder, 'fsync.bench');
  const file = openSync(path, 'w');
  const page = Buffer.alloc(4096, 7);
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    writeSync(file, page, 0, page.length, i * page.length);
    const startedAt = performance.now();
    fdatasyncSync(file);
    times.push(performance.now() - startedAt);
  }
  closeSync(file);
  unlinkSync(path);
  return times;
}

function quantiles(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(2);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`;
}
