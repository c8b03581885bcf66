// A worker in a browser beside one that is a process, at one coordinator and with one slot each. They take turns,
// round by round, so that whatever else the machine does meets both; told are the medians, and what those of the
// browser are of those of the process. While one is measured the other is connected and has nothing to do.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../test/support/browser.ts';
import { BrowserWorker } from '../test/support/browser-worker.ts';
import { type Cluster, cpuSeconds, descendants, memoryMb, startCluster } from './cluster.ts';

type Print = (line: string) => void;

const rounds = 5;
const starts = 5;
const tasks = 10_000;
const roundTrips = 40;
const numericTasks = 2;
const coldStarts = 3;
/** Too little for the spare one, and never the same twice in a row: each needs a child that is started for it. */
const coldMemoryMb = [256, 320] as const;

const noop = 'export default (n) => n;';
const numeric = `export default (n) => {
  const a = new Float64Array(1000);
  for (let i = 0; i < n; i++) {
    const at = i % a.length;
    a[at] = Math.sqrt((a[at] ?? 0) + Math.abs(Math.sin(i)) + Math.floor(i / 3));
  }
  return Array.from(a).reduce((sum, x) => sum + x, 0);
};`;
const numericRounds = 5_000_000;

const kinds = ['pc', 'browser'] as const;
type Kind = (typeof kinds)[number];

/** A worker that runs, with how long its start took. */
interface Begun {
  readonly 'start → registered, ms': number;
  readonly 'start → first result, ms': number;
  /** The processes of the worker: those of a browser are all that it has. */
  pids(): readonly number[];
  stop(): Promise<void>;
}

interface Round {
  readonly 'no-op tasks/s': number;
  readonly 'µs of CPU of the coordinator per no-op task': number;
  readonly 'µs of CPU of the worker per no-op task': number;
  readonly 'MB of the coordinator after them': number;
  readonly 'numeric loop, ms': number;
  readonly 'round trip of one task, ms': number;
  /** Of one task that needs a new frame or process. */
  readonly 'the same with a cold child, ms': number;
}

type Figures = Readonly<Record<string, number>>;

export async function benchBrowser(print: Print): Promise<void> {
  const cluster = await startCluster(0, ['--log-level', 'error']);
  const browser = await launchBrowser();
  const running = new Map<Kind, Begun>();
  try {
    await untilServed(cluster);
    const begun: Record<Kind, Begun[]> = { pc: [], browser: [] };
    for (let i = 0; i < starts; i++) {
      for (const kind of turnsOf(i)) {
        await running.get(kind)?.stop();
        const ofPc = () => running.get('pc')?.pids() ?? [];
        const worker = await begin(kind, cluster, browser, ofPc);
        running.set(kind, worker);
        begun[kind].push(worker);
      }
    }
    print(`median of ${starts} starts that took turns (least to most), and the ratio`);
    report({ pc: begun.pc.map(figuresOf), browser: begun.browser.map(figuresOf) }, print);
    const measured: Record<Kind, Figures[]> = { pc: [], browser: [] };
    for (const kind of kinds) await measure(cluster, kind, running.get(kind)!, 0.5);
    for (let round = 0; round < rounds; round++) {
      for (const kind of turnsOf(round)) {
        measured[kind].push(figuresOf(await measure(cluster, kind, running.get(kind)!, 1)));
      }
    }
    print(`median of ${rounds} rounds that took turns (least to most), and the ratio`);
    report(measured, print);
  } finally {
    for (const worker of running.values()) await worker.stop();
    await browser.close();
    await cluster.stop();
  }
}

/** Each is the first once in a while. */
function turnsOf(round: number): readonly Kind[] {
  return round % 2 === 0 ? kinds : kinds.toReversed();
}

/** The page is built at the first start. */
async function untilServed({ url }: Cluster): Promise<void> {
  while (!(await fetch(`${url}/worker/agent.js`)).ok) await soon();
}

async function begin(
  kind: Kind,
  cluster: Cluster,
  browser: Browser,
  otherPids: () => readonly number[],
): Promise<Begun> {
  const known = new Set((await cluster.client.workers()).map(({ id }) => id));
  const first = cluster.client
    .submit({ ...jobOf(kind, noop), inputs: [1] })
    .then((job) => runTo(cluster, job.id));
  const { startedAt, pids, stop } = await (kind === 'pc'
    ? beginPc(cluster)
    : beginPage(cluster, browser, otherPids));
  const registered = (async () => {
    while (!(await cluster.client.workers()).some(({ id }) => !known.has(id))) await soon();
    return performance.now();
  })();
  const resultAt = first.then(() => performance.now());
  return {
    'start → registered, ms': (await registered) - startedAt,
    'start → first result, ms': (await resultAt) - startedAt,
    pids,
    stop,
  };
}

interface Beginning {
  readonly startedAt: number;
  readonly pids: () => readonly number[];
  readonly stop: () => Promise<void>;
}

function beginPc({ url, folder }: Cluster): Promise<Beginning> {
  const state = mkdtempSync(join(folder, 'worker-'));
  const main = join(import.meta.dirname, '../src/cli/main.ts');
  const flags = ['--slots', '1', '--state-dir', state, '--log-level', 'error'];
  const startedAt = performance.now();
  const worker: ChildProcess = spawn(
    process.execPath,
    [...process.execArgv, main, 'worker', url, ...flags],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const stop = async () => {
    worker.kill('SIGTERM');
    await once(worker, 'exit');
    rmSync(state, { recursive: true, force: true });
  };
  const pids = () => [worker.pid!, ...descendants(worker.pid!)];
  return Promise.resolve({ startedAt, pids, stop });
}

async function beginPage(
  cluster: Cluster,
  browser: Browser,
  otherPids: () => readonly number[],
): Promise<Beginning> {
  let startedAt = 0;
  const onOpening = () => {
    startedAt = performance.now();
  };
  const worker = await BrowserWorker.open(browser, cluster.url, { onOpening });
  const pids = () => {
    const others = new Set([cluster.pid, ...cluster.workerPids(), ...otherPids()]);
    return descendants(process.pid).filter((pid) => !others.has(pid));
  };
  return { startedAt, pids, stop: () => worker.close() };
}

async function measure(cluster: Cluster, kind: Kind, worker: Begun, share: number): Promise<Round> {
  // The child that serves is the one that will be measured.
  await run(cluster, kind, noop, [1]);
  const pids = worker.pids();
  const usedBefore = [cpuSeconds(cluster.pid)];
  const usedByWorkerBefore = pids.map(cpuSeconds);
  const count = tasks * share;
  const ms = await msOf(() => run(cluster, kind, noop, { range: { start: 0, count } }));
  const used = grownBy(usedBefore, [cpuSeconds(cluster.pid)]);
  const usedByWorker = grownBy(usedByWorkerBefore, pids.map(cpuSeconds));
  const memory = memoryMb(cluster.pid)?.now ?? 0;
  const inputs = Array.from({ length: numericTasks }, () => numericRounds);
  const ofNumeric = await msOf(() => run(cluster, kind, numeric, inputs));
  const trip = () => run(cluster, kind, noop, [1]);
  let cold = 0;
  const coldTrip = () => {
    const memory_mb = coldMemoryMb[cold++ % coldMemoryMb.length]!;
    return run(cluster, kind, noop, [1], { memory_mb });
  };
  const warmMs = await medianMs(roundTrips * share, trip);
  const coldMs = await medianMs(coldStarts, coldTrip);
  return {
    'no-op tasks/s': (count * 1000) / ms,
    'µs of CPU of the coordinator per no-op task': (used * 1e6) / count,
    'µs of CPU of the worker per no-op task': (usedByWorker * 1e6) / count,
    'MB of the coordinator after them': memory,
    'numeric loop, ms': ofNumeric / numericTasks,
    'round trip of one task, ms': warmMs,
    'the same with a cold child, ms': coldMs,
  };
}

/** Of those that are there before and after. */
function grownBy(before: readonly (number | null)[], after: readonly (number | null)[]): number {
  return after.reduce<number>(
    (sum, used, i) => sum + (used ?? 0) - (used === null ? 0 : (before[i] ?? 0)),
    0,
  );
}

type Inputs = number[] | { readonly range: { readonly start: number; readonly count: number } };

/** From the submission to the client that has read every result. */
async function run(
  cluster: Cluster,
  kind: Kind,
  source: string,
  inputs: Inputs,
  options: { readonly memory_mb?: number } = {},
): Promise<void> {
  const job = await cluster.client.submit({ ...jobOf(kind, source), inputs, ...options });
  await runTo(cluster, job.id);
}

function jobOf(kind: Kind, source: string) {
  return {
    program: { kind: 'javascript', source },
    requirements: { type: [kind] },
  } as const;
}

async function runTo({ client }: Cluster, jobId: string): Promise<void> {
  for await (const result of client.results(jobId, { follow: true })) {
    if (result.status !== 'completed') throw new Error(JSON.stringify(result));
  }
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function medianMs(count: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) times.push(await msOf(work));
  return median(times);
}

function figuresOf(values: object): Figures {
  const figures = Object.entries(values).filter(([, value]) => typeof value === 'number');
  return Object.fromEntries(figures);
}

function report(measured: Readonly<Record<Kind, readonly Figures[]>>, print: Print): void {
  for (const column of Object.keys(measured.pc[0]!)) {
    print(column);
    const ofPc = median(measured.pc.map((each) => each[column]!));
    for (const kind of kinds) {
      const values = measured[kind].map((each) => each[column]!).toSorted((a, b) => a - b);
      const spread = `(${shown(values[0]!)} to ${shown(values.at(-1)!)})`;
      const middle = median(values);
      print(
        `  ${kind.padEnd(8)} ${shown(middle).padStart(8)} ${spread.padEnd(22)} ${(middle / ofPc).toFixed(2)}`,
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

function soon(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
