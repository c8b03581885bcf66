// `npm run chaos:cluster -- [--minutes N] [--coordinators N]`: coordinators on one database, of which one is killed
// every five seconds, and a database that is killed every minute, while clients submit, read, cancel, retry and remove
// jobs through all of them. In the end the history of all calls and the sums in the database are judged. Ends with 1
// and what was found. MUSTER_HISTORY names a folder in which the history is kept, in the form of Jepsen.

import { parseArgs } from 'node:util';
import {
  inSchema,
  makeServer,
  type PostgresServer,
} from '../../src/store/postgres/testing/server.ts';
import { Cluster } from '../support/cluster.ts';
import type { ClusterMember } from '../support/cluster-member.ts';
import { violations } from '../support/history/check.ts';
import { keepHistory } from '../support/history/edn.ts';
import { History } from '../support/history/history.ts';
import type { JobOperation } from '../support/history/job-register.ts';
import { eventually } from '../support/muster-process.ts';
import { squares } from '../support/square-job.ts';
import { storedFaults } from '../support/stored-cluster.ts';
import { setup } from '../support/warm-setup.ts';
import { asScript, whenOver } from '../support/when-over.ts';
import { Clients, tasksPerJob } from './clients.ts';
import { type Kill, measured } from './figures.ts';
import { JobCalls } from './job-calls.ts';

const schema = 'chaos';
const killEveryMs = 5_000;
const restartEveryMs = 60_000;
const clientCount = 6;
const settleMs = 120_000;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    coordinators: { type: 'string', default: '3' },
  },
});
const minutes = Number(values.minutes);
const coordinators = Number(values.coordinators);
if (!(minutes > 0)) throw new RangeError('--minutes takes a number above 0.');
if (!Number.isInteger(coordinators) || coordinators < 2) {
  throw new RangeError('--coordinators takes a whole number from 2 on.');
}

const broken = new AbortController();
process.on('SIGINT', () => broken.abort());

async function run(): Promise<readonly string[]> {
  await setup();
  const server = await makeServer();
  whenOver(() => server.remove());
  const store = inSchema(server.url, schema);
  const cluster = await Cluster.start({
    coordinators,
    workers: 3,
    slots: 4,
    store,
    flags: ['--algorithm', 'priority'],
  });
  const time = AbortSignal.any([broken.signal, AbortSignal.timeout(minutes * 60_000)]);
  const history = new History<JobOperation>();
  const calls = new JobCalls(history, broken.signal);
  const clients = new Clients(calls, cluster.members, time);
  // Something always waits, so that a pause of results is one of decisions.
  const load = await cluster.client.submit({
    ...squares(1_000_000, 100),
    name: 'load',
    max_lost_attempts: 1_000,
  });
  const kills: Kill[] = [];
  await Promise.all([
    killMembers(cluster, kills, time),
    restartServer(server, time),
    ...Array.from({ length: clientCount }, () => clients.live()),
  ]);
  if (broken.signal.aborted) return ['It was broken off.'];
  const last = await cluster.leader();
  await last.client.cancel(load.id);
  await clients.readAll(calls);
  await allEnded(last);
  await clients.readAll(calls);
  const file = keepHistory(history.calls, 'chaos-cluster');
  if (file !== undefined) console.error(`The history is in ${file}.`);
  for (const member of cluster.members) member.process.signal('SIGTERM');
  const ends = await Promise.all(cluster.members.map(({ process }) => process.ended));
  const found = [
    ...calls.faults.map((fault) => `No call was to be answered so: ${fault}`),
    ...violations(history.calls, tasksPerJob),
    ...(await storedFaults(server.url, schema)),
    ...ends
      .filter(({ code }) => code !== 0)
      .map((end) => `A member ended with ${JSON.stringify(end)}.`),
  ];
  const figures = await measured(server.url, schema, kills);
  console.log(
    JSON.stringify(
      {
        minutes,
        coordinators,
        jobs: clients.jobs,
        calls: history.calls.length,
        unknown_outcomes: history.unknown,
        ...figures,
        violations: found.length,
      },
      null,
      2,
    ),
  );
  return found;
}

async function killMembers(cluster: Cluster, kills: Kill[], end: AbortSignal): Promise<void> {
  while (await passes(killEveryMs, end)) {
    const member = cluster.members[Math.floor(Math.random() * coordinators)]!;
    const wasLeading = (await leaderUrl(cluster)) === member.url;
    kills.push({ at: Date.now(), wasLeading });
    await member.kill();
    await serveAgain(member);
  }
}

/** As a supervisor does: one that cannot begin, since the database is away, is started again. */
async function serveAgain(member: ClusterMember): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await member.serve();
      return;
    } catch (error) {
      if (tries === 20) throw error;
      await passes(500, broken.signal);
    }
  }
}

/** As far as anybody can tell at this moment. */
async function leaderUrl({ members }: Cluster): Promise<string | undefined> {
  const looks = await Promise.all(members.map((member) => member.look()));
  const look = looks.find((each) => each !== undefined);
  return look?.members.find((each) => each.is_leader)?.url;
}

async function restartServer(server: PostgresServer, end: AbortSignal): Promise<void> {
  while (await passes(restartEveryMs, end)) {
    await server.kill();
    await server.start();
  }
}

async function allEnded({ client }: ClusterMember): Promise<void> {
  const from = Date.now();
  await eventually(
    async () => {
      const { running_jobs } = await client.stats();
      if (running_jobs > 0 && Date.now() - from > settleMs) {
        throw new Error(
          `${running_jobs} jobs had not ended ${settleMs / 1_000} s after the last mishap.`,
        );
      }
      return running_jobs;
    },
    (running) => running === 0,
  );
}

/** False when it ended first. */
async function passes(ms: number, end: AbortSignal): Promise<boolean> {
  if (end.aborted) return false;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    const endNow = () => {
      clearTimeout(timer);
      resolve();
    };
    end.addEventListener('abort', endNow, { once: true });
    setTimeout(() => end.removeEventListener('abort', endNow), ms);
  });
  return !end.aborted;
}

const found = await asScript(run);
for (const each of found) console.error(each);
process.exitCode = found.length === 0 ? 0 : 1;
