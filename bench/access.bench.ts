// What access costs: three coordinators with a worker each, one that everybody of this machine may use, one
// that asks for tokens, one that asks for tokens under TLS. They take turns, round by round, so that whatever else
// the machine does meets all of them; told are the medians, and what they are of the first.

import { type Cluster, cpuSeconds, startCluster } from './cluster.ts';

const noop = { kind: 'javascript', source: 'export default (n) => n;' } as const;
const rounds = 7;
const tasks = 20_000;
const smallJobs = 200;
const tasksOfSmall = 5;
/** Submissions of small jobs that are under way at once. */
const atOnce = 8;
const roundTrips = 60;
const reads = 500;

interface Round {
  readonly 'no-op tasks/s': number;
  /** Of the coordinator. */
  readonly 'µs of CPU per task': number;
  readonly 'small jobs/s': number;
  readonly 'ms of CPU per small job': number;
  readonly 'round trip of one task, ms': number;
  readonly 'GET /api/stats, ms': number;
}

const modes = [
  { name: 'no tokens', flags: [], withTokens: false },
  { name: 'tokens', flags: [], withTokens: true },
  { name: 'tokens, TLS', flags: ['--tls', 'self-signed'], withTokens: true },
];

export async function benchAccess(print: (line: string) => void): Promise<void> {
  const clusters: Cluster[] = [];
  try {
    for (const { flags, withTokens } of modes) {
      clusters.push(await startCluster(1, flags, [], {}, withTokens));
    }
    for (const cluster of clusters) await measure(cluster, 0.2);
    const measured: Round[][] = modes.map(() => []);
    for (let round = 0; round < rounds; round++) {
      // Each begins a round once in a while: what comes first is not always the same.
      for (let i = 0; i < modes.length; i++) {
        const mode = (i + round) % modes.length;
        measured[mode]!.push(await measure(clusters[mode]!, 1));
      }
    }
    report(measured, print);
  } finally {
    for (const cluster of clusters) await cluster.stop();
  }
}

async function measure(cluster: Cluster, share: number): Promise<Round> {
  const ofTasks = await timed(cluster, () => runJob(cluster, tasks * share));
  const ofJobs = await timed(cluster, () => runSmallJobs(cluster, smallJobs * share));
  const trips = await medianMs(roundTrips * share, () => runJob(cluster, 1));
  const stats = await medianMs(reads * share, () => cluster.client.stats());
  return {
    'no-op tasks/s': (tasks * share) / ofTasks.seconds,
    'µs of CPU per task': (ofTasks.cpuSeconds * 1e6) / (tasks * share),
    'small jobs/s': (smallJobs * share) / ofJobs.seconds,
    'ms of CPU per small job': (ofJobs.cpuSeconds * 1e3) / (smallJobs * share),
    'round trip of one task, ms': trips,
    'GET /api/stats, ms': stats,
  };
}

/** From the submission to the client that has read every result. */
async function runJob({ client }: Cluster, count: number): Promise<void> {
  const job = await client.submit({ program: noop, inputs: { range: { start: 0, count } } });
  let came = 0;
  for await (const _result of client.results(job.id, { follow: true })) came++;
  if (came !== count) throw new Error(`${came} results came for ${count} tasks.`);
}

async function runSmallJobs(cluster: Cluster, count: number): Promise<void> {
  let left = count;
  const runner = async () => {
    while (left-- > 0) await runJob(cluster, tasksOfSmall);
  };
  await Promise.all(Array.from({ length: atOnce }, runner));
}

async function timed(
  { pid }: Cluster,
  run: () => Promise<void>,
): Promise<{ seconds: number; cpuSeconds: number }> {
  const usedBefore = cpuSeconds(pid) ?? 0;
  const startedAt = performance.now();
  await run();
  const seconds = (performance.now() - startedAt) / 1000;
  return { seconds, cpuSeconds: (cpuSeconds(pid) ?? 0) - usedBefore };
}

async function medianMs(count: number, run: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const startedAt = performance.now();
    await run();
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

function report(measured: readonly Round[][], print: (line: string) => void): void {
  const columns = Object.keys(measured[0]![0]!) as (keyof Round)[];
  print(`median of ${rounds} rounds that took turns (least to most), and the ratio to no tokens`);
  for (const column of columns) {
    print(column);
    const first = median(measured[0]!.map((round) => round[column]));
    for (const [i, { name }] of modes.entries()) {
      const values = measured[i]!.map((round) => round[column]).toSorted((a, b) => a - b);
      const spread = `(${shown(values[0]!)} to ${shown(values.at(-1)!)})`;
      const ratio = (median(values) / first).toFixed(2);
      print(
        `  ${name.padEnd(12)} ${shown(median(values)).padStart(8)} ${spread.padEnd(22)} ${ratio}`,
      );
    }
  }
}

function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
