// What a task costs each process: the coordinator that decides, those that pass on, the server with the database. One
// coordinator on a file and on PostgreSQL, and three with the workers and the client at one that does not lead; in turns.
// Then thousands of workers that only say that they live, at two coordinators that do not lead, beside tasks.

import { connect } from '../src/client/index.ts';
import { parseAddress } from '../src/store/postgres/driver/address.ts';
import { connect as openDatabase } from '../src/store/postgres/driver/session.ts';
import { inSchema, makeServer, type PostgresServer } from '../src/store/postgres/testing/server.ts';
import { cpuSeconds, descendants } from './cluster.ts';
import { pause } from './dashboard/figures.ts';
import { probeHealth } from './health-probe.ts';
import { startCrowd } from './many-workers/crowd.ts';
import { type Member, Members } from './members.ts';

export interface ClusterBench {
  /** A further job of so many tasks. */
  readonly tasks?: number | undefined;
  readonly rounds: number;
  /** Of the crowd; none without. */
  readonly workers: number;
  /** For which the crowd is watched. */
  readonly seconds: number;
}

const noop = { kind: 'javascript', source: 'export default (n) => n;' } as const;
const settings = [
  { name: 'one, file', count: 1, isFile: true },
  { name: 'one, PostgreSQL', count: 1, isFile: false },
  { name: 'three, PostgreSQL', count: 3, isFile: false },
] as const;
type Setting = (typeof settings)[number];
type Print = (line: string) => void;

export async function benchCluster(print: Print, options: ClusterBench): Promise<void> {
  const { tasks, rounds, workers } = options;
  const sizes = [10_000, 100_000, ...(tasks === undefined ? [] : [tasks])];
  const server = await makeServer({ fsync: true });
  try {
    print('µs of CPU per task; rows are those that the server wrote, added or removed');
    print(
      'coordinators          tasks   tasks/s   leader   others   workers   server   rows/task   commits/s',
    );
    for (let round = 1; round <= rounds; round++) {
      for (const setting of settings) {
        await within(setting, server, `round_${round}_${setting.count}`, async (members, at) => {
          await runJob(at, 2_000);
          for (const size of sizes) print(await measure(members, at, { setting, server, size }));
        });
      }
    }
    if (workers > 0) await benchCrowd(print, server, options);
  } finally {
    await server.remove();
  }
}

async function within(
  { count, isFile }: Setting,
  server: PostgresServer,
  schema: string,
  run: (members: Members, at: Member) => Promise<void>,
): Promise<void> {
  // A file lies in the data folder.
  const members = await Members.open(isFile ? undefined : inSchema(server.url, schema), count);
  try {
    const at = count === 1 ? members.all[0]! : (await members.followers())[0]!;
    await members.addWorkers([at, at]);
    await run(members, at);
  } finally {
    await members.close();
  }
}

interface Measured {
  readonly setting: Setting;
  readonly server: PostgresServer;
  readonly size: number;
}

async function measure(
  members: Members,
  at: Member,
  { setting, server, size }: Measured,
): Promise<string> {
  const leader = await members.leader();
  const look = async () => ({
    ...(await writtenBy(server)),
    leader: leader.cpuSeconds(),
    others: sumOf(members.all.filter((member) => member !== leader)),
    workers: members.workerSeconds(),
    server: serverSeconds(server),
  });
  const before = await look();
  const startedAt = performance.now();
  await runJob(at, size);
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = await look();
  const perTask = (of: 'leader' | 'others' | 'workers' | 'server') =>
    (((after[of] - before[of]) / size) * 1e6).toFixed(1);
  return [
    setting.name.padEnd(18),
    String(size).padStart(8),
    (size / seconds).toFixed(0).padStart(9),
    perTask('leader').padStart(8),
    perTask('others').padStart(8),
    perTask('workers').padStart(9),
    perTask('server').padStart(8),
    ((after.rows - before.rows) / size).toFixed(2).padStart(11),
    ((after.commits - before.commits) / seconds).toFixed(0).padStart(11),
  ].join(' ');
}

/** Half of the workers at each of two coordinators that do not lead; some of them complete tasks. */
async function benchCrowd(
  print: Print,
  server: PostgresServer,
  { workers, seconds }: ClusterBench,
): Promise<void> {
  const members = await Members.open(inSchema(server.url, 'crowd'), 3);
  try {
    const leader = await members.leader();
    const followers = await members.followers();
    const crowds = await Promise.all(
      followers.map(({ url }) => startCrowd(url, Math.round(workers / followers.length))),
    );
    try {
      for (const load of ['quiet', 'tasks'] as const) {
        if (load === 'tasks') {
          const requirements = { labels: { pool: 'crowd' } };
          const inputs = { range: { start: 0, count: 3_000_000 } };
          await leader.client.submit({ program: noop, inputs, requirements });
          await pause(2_000);
        }
        await Promise.all(crowds.map((crowd) => crowd.heartbeats()));
        const all = [leader, ...followers];
        const doneBefore = (await leader.client.stats()).total_tasks_completed;
        const before = all.map((member) => member.cpuSeconds());
        const serverBefore = serverSeconds(server);
        const probes = all.map(({ url }) => probeHealth(url));
        const startedAt = performance.now();
        await pause(seconds * 1_000);
        const took = (performance.now() - startedAt) / 1_000;
        const health = await Promise.all(probes.map((probe) => probe.stop()));
        const share = (used: number) => `${((used / took) * 100).toFixed(0)} %`;
        const used = all.map((member, i) => share(member.cpuSeconds() - before[i]!));
        const beats = await Promise.all(crowds.map((crowd) => crowd.heartbeats()));
        const done = (await leader.client.stats()).total_tasks_completed - doneBefore;
        print(
          `${workers} workers, ${load}: ${(done / took).toFixed(0)} tasks/s, ` +
            `${(beats.reduce((sum, { count }) => sum + count, 0) / took).toFixed(0)} heartbeats/s, ` +
            `p99 ${Math.max(...beats.map(({ p99 }) => p99)).toFixed(0)} ms, ` +
            `${beats.reduce((sum, { lost }) => sum + lost, 0)} lost; of a core: leader ${used[0]}, ` +
            `others ${used.slice(1).join(' and ')}, server ${share(serverSeconds(server) - serverBefore)}; ` +
            `longest /healthz ${health.map((ms) => ms.toFixed(0)).join(', ')} ms`,
        );
      }
    } finally {
      for (const crowd of crowds) await crowd.end();
    }
  } finally {
    await members.close();
  }
}

/** Submits a range job and reads every result as it completes. */
async function runJob({ url }: Member, size: number): Promise<void> {
  const followed = await connect(url).submitAndFollow({
    program: noop,
    inputs: { range: { start: 0, count: size } },
  });
  let results = 0;
  for await (const _ of followed.lines()) results++;
  if (results !== size) throw new Error(`${results} results came for ${size} tasks.`);
}

function sumOf(members: readonly Member[]): number {
  return members.reduce((sum, member) => sum + member.cpuSeconds(), 0);
}

/** Of all its processes; those that have ended count no more. */
function serverSeconds({ pid }: PostgresServer): number {
  return [pid, ...descendants(pid)].reduce((sum, each) => sum + (cpuSeconds(each) ?? 0), 0);
}

/** Since the server was made. A connection tells its figures within a second, or when it rests. */
async function writtenBy(server: PostgresServer): Promise<{ rows: number; commits: number }> {
  await pause(1_100);
  const client = await openDatabase(parseAddress(inSchema(server.url, 'public')));
  try {
    const { rows } = await client.query<Record<'rows' | 'commits', number>>(
      `select (sum(tup_inserted) + sum(tup_updated) + sum(tup_deleted))::float8 as rows,
        sum(xact_commit)::float8 as commits from pg_stat_database`,
    );
    return rows[0]!;
  } finally {
    await client.end();
  }
}
