// Small jobs from eight clients at a time, from submit to the last result: two workers, default sandbox,
// durable store, everything on this machine.

import { connect, type MusterClient } from '../src/client/index.ts';
import { type Cluster, memoryMb, startCluster, usageByKind } from './cluster.ts';

/** They share the processor with what is measured, so there are not more of them. */
const clients = 8;
const program = { kind: 'javascript', source: 'export default (n) => n;' } as const;

interface SmallJobs {
  readonly jobs: number;
  readonly tasksPerJob: number;
}

const usualSmallJobs: readonly SmallJobs[] = [
  { jobs: 5_000, tasksPerJob: 1 },
  { jobs: 200, tasksPerJob: 50 },
];

/** Throws when a job does not give a result for each of its tasks. */
export async function benchClients(
  print: (line: string) => void,
  sizes: readonly SmallJobs[] = usualSmallJobs,
): Promise<void> {
  const cluster = await startCluster(2);
  try {
    await runAll(cluster, { jobs: 300, tasksPerJob: 10 });
    print(
      'jobs   tasks each   jobs/s   tasks/s   p50 ms   p99 ms   ms CPU/job: coordinator   workers   sandboxes   client   RSS MB (peak)',
    );
    for (const size of sizes) print(await measure(cluster, size));
  } finally {
    await cluster.stop();
  }
}

async function measure(cluster: Cluster, size: SmallJobs): Promise<string> {
  const before = usageByKind(cluster);
  const startedAt = performance.now();
  const times = await runAll(cluster, size);
  const seconds = (performance.now() - startedAt) / 1000;
  const after = usageByKind(cluster);
  const { jobs, tasksPerJob } = size;
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(1);
  const perJob = (kind: keyof typeof after) =>
    (((after[kind] - before[kind]) / jobs) * 1000).toFixed(2);
  const memory = memoryMb(cluster.pid);
  return [
    String(jobs).padEnd(6),
    String(tasksPerJob).padStart(10),
    (jobs / seconds).toFixed(0).padStart(8),
    ((jobs * tasksPerJob) / seconds).toFixed(0).padStart(9),
    at(0.5).padStart(8),
    at(0.99).padStart(8),
    perJob('coordinator').padStart(25),
    perJob('workers').padStart(9),
    perJob('sandboxes').padStart(11),
    perJob('client').padStart(8),
    `${memory?.now.toFixed(0) ?? '?'} (${memory?.peak.toFixed(0) ?? '?'})`.padStart(15),
  ].join(' ');
}

/** How long each job took, in ms. */
async function runAll(
  cluster: Cluster,
  { jobs, tasksPerJob }: SmallJobs,
): Promise<readonly number[]> {
  const times: number[] = [];
  let left = jobs;
  const work = async (client: MusterClient) => {
    while (left-- > 0) {
      const startedAt = performance.now();
      const inputs = Array.from({ length: tasksPerJob }, (_, index) => index);
      const results = await client.map(inputs, program);
      if (results.length !== tasksPerJob) {
        throw new Error(`${results.length} results came for ${tasksPerJob} tasks.`);
      }
      times.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: clients }, () => work(connect(cluster.url))));
  return times;
}
