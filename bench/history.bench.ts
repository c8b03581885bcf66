// A month of history: what a thousand jobs a day leave in the file, and what that costs a start and a
// question, with and without a limit of time for which jobs are kept. The history is written into the file
// as the coordinator would have written it, with timestamps of the past; nothing of it was computed.
// Run: npm run bench -- history, or this file by itself, with the number of days if you like.

import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { connect } from '../src/client/index.ts';
import {
  batch,
  completedRow,
  jobRow,
  programRow,
  workerRow,
  workRow,
} from '../src/store/conformance/rows.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { probeHealth } from './health-probe.ts';

const dayMs = 86_400_000;
const jobsPerDay = 1000;
const tasksPerJob = 10;
const workers = 20;
const jobsPerCommit = 50;
const keptDays = 7;
const questions = 200;

export async function benchHistory(print: (line: string) => void, days = 30): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-history-'));
  try {
    const whole = join(folder, 'whole.db');
    const startedAt = performance.now();
    await writeHistory(whole, days);
    const seconds = (performance.now() - startedAt) / 1000;
    print(
      `${days} days of ${jobsPerDay} jobs with ${tasksPerJob} tasks, made in ${seconds.toFixed(0)} s`,
    );
    const kept = join(folder, 'kept.db');
    copyFileSync(whole, kept);
    await expire(print, kept);
    print(
      '                      jobs   file MB   in use MB   start ms   at first ms   median     p99   /healthz',
    );
    await measure(print, 'all are kept', whole);
    await measure(print, `for ${keptDays} days`, kept, ['--keep-days', String(keptDays)]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function writeHistory(path: string, days: number): Promise<void> {
  const store = openSqliteStore(path);
  await store.load();
  const firstKey = await store.reserveJobKeys(days * jobsPerDay);
  const begin = Date.now() - days * dayMs;
  const program = programRow('{"kind":"javascript","source":"export default (n) => n * n"}');
  const jobs = days * jobsPerDay;
  for (let done = 0, sequence = 1; done < jobs; done += jobsPerCommit, sequence++) {
    const count = Math.min(jobsPerCommit, jobs - done);
    const numbers = Array.from({ length: count }, (_, i) => done + i);
    const atOf = (number: number) => begin + Math.floor((number / jobsPerDay) * dayMs);
    await store.commit(
      batch({
        sequence,
        workers: sequence === 1 ? Array.from({ length: workers }, (_, i) => workerRow(i)) : [],
        jobs: numbers.map((number) => endedJob(firstKey + number, atOf(number))),
        payloads: numbers.map((number) => ({ jobKey: firstKey + number, program, inputs: [] })),
        tasks: numbers.flatMap((number) =>
          Array.from({ length: tasksPerJob }, (_, index) => completedRow(firstKey + number, index)),
        ),
        work: numbers.flatMap((number) =>
          Array.from({ length: tasksPerJob }, (_, index) => {
            const at = atOf(number) + index * 2000;
            const bucketAt = at - (at % 10_000);
            return workRow(firstKey + number, `worker-${(number + index) % workers}`, { bucketAt });
          }),
        ),
      }),
      atOf(done),
    );
  }
  await store.close();
}

function endedJob(key: number, createdAt: number) {
  const spec = { taskCount: tasksPerJob, rangeStart: 0, createdAt };
  return jobRow(key, spec, {
    status: 'completed',
    completed: tasksPerJob,
    cursors: [tasksPerJob],
    startedAt: createdAt + 5,
    completedAt: createdAt + 20_000,
  });
}

/** Everything that is too old goes while the coordinator serves. */
async function expire(print: (line: string) => void, path: string): Promise<void> {
  const startedAt = performance.now();
  const flags = ['--store', `sqlite:${path}`, '--keep-days', String(keptDays)];
  const cluster = await startCluster(0, flags);
  const probe = probeHealth(cluster.url);
  const atFirst = (await connect(cluster.url).stats()).total_jobs;
  for (let before = Infinity; ; await new Promise((resolve) => setTimeout(resolve, 500))) {
    const left = rowsLeft(path);
    if (left === before) break;
    before = left;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const gone = atFirst - (await connect(cluster.url).stats()).total_jobs;
  const longestMs = (await probe.stop()).toFixed(0);
  print(
    `removed ${gone} jobs within ${seconds.toFixed(0)} s; the longest answer of /healthz: ${longestMs} ms`,
  );
  await cluster.stop();
}

/** Also of what nobody sees any more and is not swept yet. */
function rowsLeft(path: string): number {
  const db = new DatabaseSync(path, { readOnly: true });
  const { count } = db
    .prepare('select (select count(*) from jobs) + (select count(*) from tasks) as count')
    .get() as { count: number };
  db.close();
  return count;
}

async function measure(
  print: (line: string) => void,
  name: string,
  path: string,
  flags: string[] = [],
): Promise<void> {
  const startedAt = performance.now();
  const cluster = await startCluster(0, ['--store', `sqlite:${path}`, ...flags]);
  const startMs = performance.now() - startedAt;
  try {
    const first = (await ask(cluster, 1))[0]!;
    await untilSummed(path);
    const probe = probeHealth(cluster.url);
    const times = await ask(cluster, questions);
    const longestMs = await probe.stop();
    const jobs = (await connect(cluster.url).stats()).total_jobs;
    const { size, used } = bytesOf(path);
    const figures = [
      [jobs, 11, 0],
      [size / 2 ** 20, 10, 1],
      [used / 2 ** 20, 12, 1],
      [startMs, 11, 0],
      [first, 14, 0],
      [times[times.length >> 1]!, 9, 1],
      [times[Math.ceil(times.length * 0.99) - 1]!, 8, 1],
      [longestMs, 11, 1],
    ] as const;
    const cells = figures.map(([figure, width, digits]) => figure.toFixed(digits).padStart(width));
    print(`${name.padEnd(15)}${cells.join('')}`);
  } finally {
    await cluster.stop();
  }
}

/** The work of past hours and days is summed after the start; that is over when no more come. */
async function untilSummed(path: string): Promise<void> {
  const db = new DatabaseSync(path, { readOnly: true });
  const count = () => Number(db.prepare('select count(*) as n from work_sums').get()!['n']);
  for (let before = -1; before < count(); await new Promise((done) => setTimeout(done, 2_000))) {
    before = count();
  }
  db.close();
}

/** What evaluation takes, in ms, the shortest first. */
async function ask({ url }: Cluster, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const startedAt = performance.now();
    await (await fetch(`${url}/api/evaluation/metrics`)).arrayBuffer();
    times.push(performance.now() - startedAt);
  }
  return times.toSorted((one, other) => one - other);
}

function bytesOf(path: string): { readonly size: number; readonly used: number } {
  const db = new DatabaseSync(path, { readOnly: true });
  const number = (name: string) => Number(Object.values(db.prepare(`pragma ${name}`).get()!)[0]);
  const pageBytes = number('page_size');
  const used = (number('page_count') - number('freelist_count')) * pageBytes;
  db.close();
  return { size: statSync(path).size, used };
}

if (import.meta.main) await benchHistory(console.log, Number(process.argv[2] ?? 30));
