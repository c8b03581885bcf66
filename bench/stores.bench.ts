// The same work with a file and with a database of PostgreSQL on this machine, in turns: tasks from submit to the
// client that has read every result, trips of one task, and what a task costs the coordinator and the server. Both disks
// are waited for.

import { connect } from '../src/client/index.ts';
import { inSchema, makeServer, type PostgresServer } from '../src/store/postgres/testing/server.ts';
import { type Cluster, cpuSeconds, descendants, startCluster, usage } from './cluster.ts';

const noop = { kind: 'javascript', source: 'export default (n) => n;' } as const;
const sizes = [10_000, 100_000] as const;
const trips = 200;
const rounds = 3;

interface Figures {
  readonly line: string;
}

export async function benchStores(print: (line: string) => void): Promise<void> {
  const server = await makeServer({ fsync: true });
  try {
    print('store      work            tasks/s   coordinator µs CPU/task   server µs CPU/task');
    for (let round = 1; round <= rounds; round++) {
      for (const { line } of await play('file', undefined, server)) print(line);
      const place = inSchema(server.url, `round_${round}`);
      for (const { line } of await play('postgres', place, server)) print(line);
    }
  } finally {
    await server.remove();
  }
}

async function play(
  name: string,
  store: string | undefined,
  server: PostgresServer,
): Promise<readonly Figures[]> {
  const cluster = await startCluster(2, store === undefined ? [] : ['--store', store]);
  try {
    await runJob(cluster, 2_000);
    const figures = [await playTrips(cluster, name, server)];
    for (const size of sizes) {
      figures.push(
        await measure(cluster, server, name, `${size} tasks`, size, () => runJob(cluster, size)),
      );
    }
    return figures;
  } finally {
    await cluster.stop();
  }
}

async function playTrips(cluster: Cluster, name: string, server: PostgresServer): Promise<Figures> {
  const times: number[] = [];
  const figures = await measure(cluster, server, name, `${trips} trips`, trips, async () => {
    for (let i = 0; i < trips; i++) {
      const startedAt = performance.now();
      await runJob(cluster, 1);
      times.push(performance.now() - startedAt);
    }
  });
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (trips - 1))]!.toFixed(1);
  return { line: `${figures.line}   p50 ${at(0.5)} ms, p99 ${at(0.99)} ms` };
}

async function measure(
  cluster: Cluster,
  server: PostgresServer,
  name: string,
  work: string,
  tasks: number,
  run: () => Promise<void>,
): Promise<Figures> {
  const before = { coordinator: usage(cluster).coordinator, server: serverSeconds(server) };
  const startedAt = performance.now();
  await run();
  const seconds = (performance.now() - startedAt) / 1_000;
  const perTask = (used: number) => ((used / tasks) * 1e6).toFixed(1);
  const line = [
    name.padEnd(10),
    work.padEnd(14),
    (tasks / seconds).toFixed(0).padStart(9),
    perTask(usage(cluster).coordinator - before.coordinator).padStart(25),
    perTask(serverSeconds(server) - before.server).padStart(20),
  ].join(' ');
  return { line };
}

/** Of all its processes; those that have ended count no more. */
function serverSeconds({ pid }: PostgresServer): number {
  return [pid, ...descendants(pid)].reduce((sum, each) => sum + (cpuSeconds(each) ?? 0), 0);
}

/** Submits a range job and reads every result as it completes. */
async function runJob(cluster: Cluster, size: number): Promise<void> {
  const followed = await connect(cluster.url).submitAndFollow({
    program: noop,
    inputs: { range: { start: 0, count: size } },
  });
  let results = 0;
  for await (const _ of followed.lines()) results++;
  if (results !== size) throw new Error(`${results} results came for ${size} tasks.`);
}
