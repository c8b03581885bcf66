// The embedded store: what a task costs in it, beside what the disk itself takes for an fdatasync.
//
// Every task is given out together with others, then completed with a small result, as in life. Run: npm run bench, or
// this file by itself, with the number of tasks and the directory if you like.

import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { randomBytes, randomUUID } from 'node:crypto';
import type { TaskRow } from '../src/store/rows.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import type { Store } from '../src/store/store.ts';
import {
  batch,
  blobOf,
  completedRow,
  jobRow,
  newCheckpoint,
  taskRow,
  workerRow,
  workRow,
} from '../src/store/conformance/rows.ts';
import { visitTasks } from '../src/store/conformance/visiting.ts';

const tokens = Array.from({ length: 1_000 }, () => randomBytes(16).toString('base64url'));
const workerIds = [randomUUID(), randomUUID()];

export async function benchStore(
  print: (line: string) => void,
  taskCount = 200_000,
  parent = '.',
): Promise<void> {
  const directory = mkdtempSync(join(parent, '.bench-store-'));
  try {
    print(`store: ${taskCount} tasks`);
    print(measureRawSync(directory));
    for (const size of [1, 100, 1_000]) print(await measureTasks(directory, taskCount, size));
    print(await measureInputs(directory, taskCount));
    print(await measureLarge(directory, taskCount));
    print(await measureHistory(directory, taskCount));
    print(await measureCheckpoints(directory, taskCount));
    print(await measureBlob(directory));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** What one durable write of the disk takes, without a database. */
function measureRawSync(directory: string): string {
  const path = join(directory, 'raw');
  const file = openSync(path, 'w');
  const page = Buffer.alloc(4096, 1);
  writeSync(file, Buffer.alloc(16 * 2 ** 20));
  fdatasyncSync(file);
  const times: number[] = [];
  for (let i = 0; i < 2_000; i++) {
    const from = performance.now();
    writeSync(file, page, 0, page.length, (i % 4096) * 4096);
    fdatasyncSync(file);
    times.push(performance.now() - from);
  }
  closeSync(file);
  return `raw write of 4 KiB + fdatasync: ${percentiles(times)}`;
}

async function measureTasks(
  directory: string,
  taskCount: number,
  batchSize: number,
): Promise<string> {
  const count = batchSize === 1 ? Math.min(taskCount, 5_000) : taskCount;
  const path = join(directory, `tasks-${batchSize}.db`);
  const store = openSqliteStore(path);
  const begin = usage();
  const times = await writeTasks(store, 1, count, batchSize);
  const spent = usage();
  const wallUs = ((spent.at - begin.at) * 1000) / count;
  const cpuUs = (spent.cpuUs - begin.cpuUs) / count;
  await store.close();
  const bytes = Math.round(statSync(path).size / count);
  return (
    `batches of ${batchSize}: ${wallUs.toFixed(2)} µs per task (assigned + completed), ` +
    `${Math.round(2e6 / wallUs)} rows/s, ${cpuUs.toFixed(2)} µs CPU, ${bytes} bytes; ` +
    `commit ${percentiles(times)}`
  );
}

async function measureInputs(directory: string, taskCount: number): Promise<string> {
  const store = openSqliteStore(join(directory, 'inputs.db'));
  const inputs = Array.from({ length: 1_000 }, (_, i) => `{"seed":${i},"name":"a small input"}`);
  const times: number[] = [];
  const from = performance.now();
  for (let index = 0; index < taskCount; index += 1_000) {
    times.push(await timed(() => store.stageInputs(1, index, inputs)));
  }
  const perInputUs = ((performance.now() - from) * 1000) / taskCount;
  await store.commit(batch({ jobs: [jobRow(1, { taskCount })] }), 1);
  const run = Array.from({ length: 500 }, (_, i) => i + 10);
  const scattered = run.map((i) => (i * 7919) % taskCount);
  const runMs = await timed(() => store.readInputs(1, run));
  const scatteredMs = await timed(() => store.readInputs(1, scattered));
  await store.commit(batch({ sequence: 2, generation: 2 }), 2);
  const sweeps = await sweepAll(store);
  await store.close();
  return (
    `stage inputs by 1000: ${perInputUs.toFixed(2)} µs each; ${percentiles(times)}\n` +
    `read 500: in a row ${runMs.toFixed(2)} ms, scattered ${scatteredMs.toFixed(2)} ms\n` +
    `sweep by 2000: ${percentiles(sweeps)}`
  );
}

/** A database with many finished tasks: nothing may take long because of them. */
async function measureLarge(directory: string, taskCount: number): Promise<string> {
  const path = join(directory, 'tasks-1000.db');
  let store = openSqliteStore(path);
  const open = Array.from({ length: 10_000 }, (_, i) => assigned(taskCount + i));
  await store.commit(batch({ sequence: 2 ** 40, tasks: open, jobs: [job(taskCount)] }), 1);
  await store.close();
  const openMs = await timed(async () => void (store = openSqliteStore(path)));
  const loadMs = await timed(() => store.load());
  const failedMs = await timed(() => store.listTasksByStatus(1, 'failed', 0, 1_000));
  const cancelledMs = await timed(() => store.listTasksByStatus(1, 'cancelled', 0, 1_000));
  const resultsMs = await timed(() => store.listResults(1, 1_000, 1_000, 2 ** 20));
  await store.close();
  return (
    `${taskCount} finished, 10000 open: open ${openMs.toFixed(1)} ms, load ${loadMs.toFixed(1)} ms, ` +
    `no failed among them ${failedMs.toFixed(2)} ms, no cancelled ${cancelledMs.toFixed(1)} ms ` +
    `(in turns), 1000 results ${resultsMs.toFixed(2)} ms`
  );
}

/** Many small jobs, the worst case for evaluation: a row of work for every ten tasks or so. */
async function measureHistory(directory: string, rowCount: number): Promise<string> {
  const store = openSqliteStore(join(directory, 'history.db'));
  const perJob = 10;
  const bucketMs = 10_000;
  let sequence = 0;
  const ended = { status: 'completed', completedAt: 1 } as const;
  for (let key = 1; key <= rowCount / perJob; key += 100) {
    const keys = Array.from({ length: 100 }, (_, i) => key + i);
    const rows = batch({
      sequence: ++sequence,
      jobs: keys.map((jobKey) => jobRow(jobKey, {}, ended)),
      work: keys.flatMap((jobKey) =>
        Array.from({ length: perJob }, (_, i) =>
          workRow(jobKey, `worker-${i}`, { bucketAt: key * bucketMs }),
        ),
      ),
    });
    await store.commit(rows, key * bucketMs);
  }
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const allMs = await timed(() => store.sumWork({}));
  const lastMs = await timed(() =>
    store.sumWork({ since: (rowCount / perJob - 5_000) * bucketMs }),
  );
  const endedMs = await timed(() => Array.fromAsync(store.listEndedJobs(null)));
  delay.disable();
  await store.close();
  return (
    `${rowCount} rows of work of ${rowCount / perJob} jobs: sum ${allMs.toFixed(1)} ms, of the last ` +
    `50 batches ${lastMs.toFixed(1)} ms, ended jobs ${endedMs.toFixed(1)} ms, in turns: longest ` +
    `stall ${(delay.max / 1e6).toFixed(1)} ms`
  );
}

/** Checkpoints of a few kilobytes, each in place of the one before, of 1 000 tasks in turn. */
async function measureCheckpoints(directory: string, taskCount: number): Promise<string> {
  const store = openSqliteStore(join(directory, 'checkpoints.db'));
  const tasks = Array.from({ length: 10_000 }, (_, index) => assigned(index));
  await store.commit(batch({ jobs: [job(0)], tasks }), 1);
  const asked = tasks.slice(0, 1_000).map(({ jobKey, index }) => ({ jobKey, index }));
  const withoutMs = await timed(() => visitTasks(store, asked));
  const bytes = new Uint8Array(randomBytes(4_096));
  const times: number[] = [];
  for (let id = 1; id < taskCount / 10; id += 100) {
    const ids = Array.from({ length: 100 }, (_, i) => id + i);
    const checkpoints = ids.map((each) =>
      newCheckpoint(each, 1, { index: each % 1_000 }, { encoding: 'gzip', bytes }),
    );
    const droppedStates = ids.map((each) => each - 2_000);
    const rows = batch({ sequence: id + 1, checkpoints, droppedStates });
    times.push(await timed(() => store.commit(rows, id)));
  }
  const readMs = await timed(() => visitTasks(store, asked));
  const loadMs = await timed(() => store.load());
  const sumMs = await timed(() => store.sumCheckpoints({}));
  await store.close();
  return (
    `100 checkpoints of 4 KiB per batch: commit ${percentiles(times)}; read 1000 tasks ` +
    `${readMs.toFixed(2)} ms, before there were any ${withoutMs.toFixed(2)} ms; load 10000 tasks ` +
    `${loadMs.toFixed(1)} ms, sum ${sumMs.toFixed(1)} ms`
  );
}

async function measureBlob(directory: string): Promise<string> {
  const store = openSqliteStore(join(directory, 'blobs.db'));
  const { sha256, bytes } = blobOf(64 * 2 ** 20);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const stalled = async (work: () => Promise<unknown>) => {
    delay.reset();
    delay.enable();
    const ms = await timed(work);
    delay.disable();
    return `${ms.toFixed(0)} ms, longest stall ${(delay.max / 1e6).toFixed(1)} ms`;
  };
  const put = await stalled(() => store.putBlob(sha256, bytes, 1));
  const read = await stalled(() => store.readBlob(sha256));
  await store.collectBlobs(2, 10);
  const sweeps = await sweepAll(store);
  await store.close();
  return `blob of 64 MiB: put ${put}; read ${read}; sweep ${percentiles(sweeps)}`;
}

/** The time of each call. */
async function sweepAll(store: Store): Promise<number[]> {
  const times: number[] = [];
  for (;;) {
    const from = performance.now();
    const hasMore = await store.sweep(2_000);
    times.push(performance.now() - from);
    if (!hasMore) return times;
  }
}

async function writeTasks(
  store: Store,
  jobKey: number,
  count: number,
  batchSize: number,
): Promise<number[]> {
  const workers = workerIds.map((id, i) => workerRow(i + 1, { id }));
  await store.commit(batch({ jobs: [job(0)], workers }), 1);
  const times: number[] = [];
  let sequence = 1;
  const write = async (tasks: readonly TaskRow[], completed: number) => {
    const rows = batch({ sequence: ++sequence, tasks, jobs: [job(completed)], workers });
    times.push(await timed(() => store.commit(rows, sequence)));
  };
  for (let first = 0; first < count; first += batchSize) {
    const indices = Array.from({ length: Math.min(batchSize, count - first) }, (_, i) => first + i);
    await write(indices.map(assigned), first);
    await write(
      indices.map((index) => ({
        ...completedRow(jobKey, index, `{"value":${index},"text":"a small result"}`),
        workerId: workerIds[index % 2]!,
        token: tokens[index % tokens.length]!,
      })),
      first + indices.length,
    );
  }
  return times;
}

function job(completed: number) {
  const spec = { id: '0199b5a1-7c3e-7000-8000-000000000001', taskCount: 2 ** 24 };
  return jobRow(1, spec, { status: 'running', completed, cursors: [completed] });
}

function assigned(index: number): TaskRow {
  const workerId = workerIds[index % 2]!;
  return taskRow(1, index, { workerId, token: tokens[index % tokens.length]!, runBeforeMs: 0 });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

function usage() {
  const { user, system } = process.cpuUsage();
  return { at: performance.now(), cpuUs: user + system };
}

function percentiles(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)]!.toFixed(2);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`;
}

if (import.meta.main) {
  const [, , taskCount = '200000', parent = '.'] = process.argv;
  await benchStore(console.log, Number(taskCount), parent);
}
