// The cost of checkpoints end to end, and the time to recover: from the death of a worker, from the death
// of the coordinator, and from one slow worker among eight.

import { loadavg } from 'node:os';
import type { JobSubmission, JobSummary } from '../src/client/index.ts';
import { Stage, until } from './stage.ts';

type Print = (line: string) => void;

export async function benchRecovery(print: Print): Promise<void> {
  await benchWorkerDeath(print);
  await benchCoordinatorDeath(print);
  await benchSpeculation(print);
  await benchIntervals(print);
}

// ---- checkpoints

/** Hours: never reached. */
const noneSeconds = 36_000;
const intervals = [noneSeconds, 0.05, 0.1, 0.5, 1, 5];
const stateNumbers = [200, 11_000];
const overheadRuns = 3;
/** Some 5 s on one core. */
const busyRounds = 60_000;

/** Updates one number of its state in every round, and offers it after every one. */
const busy = `export default function* (input, task) {
  const s = task.state ?? { round: 0, values: Array.from({ length: input.numbers }, (_, i) => Math.sin(i)) };
  for (; s.round < input.rounds; ) {
    let x = 0;
    for (let i = 0; i < 50000; i++) x += Math.sqrt(i + s.round);
    s.values[s.round % s.values.length] = Math.sin(x);
    s.round++;
    yield { state: s, progress: s.round / input.rounds };
  }
  return s.round;
}`;

interface BusyRun {
  readonly seconds: number;
  /** CPU time of coordinator, worker and sandbox, which does not depend on other load of the machine. */
  readonly cpuSeconds: number;
  readonly checkpoints: number;
  readonly stateBytes: number;
}

async function benchIntervals(print: Print): Promise<void> {
  const stage = await Stage.open([], 1);
  try {
    for (const numbers of stateNumbers) {
      // Warms up the sandbox and its compiled code.
      await runBusy(stage, numbers, 1, busyRounds / 4);
      const runs = new Map<number, BusyRun[]>(intervals.map((interval) => [interval, []]));
      // In turns, so that other load of the machine affects all of them alike.
      for (let run = 0; run < overheadRuns; run++) {
        for (const interval of intervals) {
          runs.get(interval)!.push(await runBusy(stage, numbers, interval, busyRounds));
        }
      }
      printRuns(runs, print);
    }
  } finally {
    await stage.close();
  }
}

function printRuns(runs: ReadonlyMap<number, readonly BusyRun[]>, print: Print): void {
  const bytes = Math.max(...[...runs.values()].flat().map(({ stateBytes }) => stateBytes));
  print('');
  print(
    `a task on one slot, submit to result, state of ${(bytes / 1000).toFixed(0)} kB, ` +
      `median of ${overheadRuns}; load ${load()}`,
  );
  print('interval s   checkpoints   seconds   against none   CPU seconds   against none');
  const none = runs.get(noneSeconds)!;
  const column = (all: readonly BusyRun[], of: (run: BusyRun) => number, width: number) => {
    const value = median(all.map(of));
    const more = all === none ? '' : `${(100 * (value / median(none.map(of)) - 1)).toFixed(1)} %`;
    return value.toFixed(2).padStart(width) + more.padStart(15);
  };
  for (const [interval, all] of runs) {
    print(
      [
        (interval === noneSeconds ? 'none' : String(interval)).padEnd(10),
        String(median(all.map(({ checkpoints }) => checkpoints))).padStart(13),
        column(all, ({ seconds }) => seconds, 9),
        column(all, ({ cpuSeconds }) => cpuSeconds, 13),
      ].join(' '),
    );
  }
}

async function runBusy(
  stage: Stage,
  numbers: number,
  interval: number,
  rounds: number,
): Promise<BusyRun> {
  const { client } = stage;
  const cpuBefore = stage.cpuSeconds();
  const startedAt = performance.now();
  const job = await client.submit({
    ...program(busy, [{ numbers, rounds }]),
    checkpoint: { interval_seconds: interval },
  });
  await results(stage, job);
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuSeconds = stage.cpuSeconds() - cpuBefore;
  const records = await client.checkpoints(job.id);
  const stateBytes = records.at(-1)?.size_bytes ?? 0;
  return { seconds, cpuSeconds, checkpoints: records.length, stateBytes };
}

// ---- a worker dies

const graceSeconds = 1;
const workerDeaths = 10;

/** The first attempt saves its state and never ends; the next one ends at once. */
const endless = `export default async (n, task) => {
  for (let i = 0; task.attempt === 1; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    await task.checkpoint({ i });
  }
  return task.state.i;
}`;

async function benchWorkerDeath(print: Print): Promise<void> {
  const stage = await Stage.open(['--grace-seconds', String(graceSeconds)], 2);
  const { client } = stage;
  const times: number[] = [];
  try {
    for (let death = 0; death < workerDeaths; death++) {
      const job = await client.submit({
        ...program(endless, [death]),
        checkpoint: { interval_seconds: 0.05 },
      });
      await until(async () => (await client.checkpoints(job.id)).length > 0);
      const { worker_id: id } = await client.task(job.id, 0);
      const name = (await client.workers()).find((worker) => worker.id === id)!.name!;
      const killedAt = Date.now();
      await stage.killWorker(name);
      await results(stage, job);
      const { started_at } = await client.task(job.id, 0);
      times.push(Date.parse(started_at!) - killedAt - graceSeconds * 1000);
      stage.startWorker(name);
      await stage.online(2);
    }
  } finally {
    await stage.close();
  }
  print('');
  print(
    `worker killed → its task runs elsewhere, beyond the grace, ${workerDeaths} times: ` +
      `${milliseconds(times)}; load ${load()}`,
  );
}

// ---- the coordinator dies

const openTasks = 100_000;
const coordinatorDeaths = 3;
const runners = 4;

/** Longer than this measurement. */
const longTask = `export default async () => {
  await new Promise((resolve) => setTimeout(resolve, 600_000));
}`;
const failing = `export default () => { throw new Error('later'); };`;

async function benchCoordinatorDeath(print: Print): Promise<void> {
  print('');
  print(`coordinator killed with ${openTasks} open tasks, ${runners} attempts running`);
  print('open tasks                     process → /readyz ms            … → all adopted ms');
  const inputs = { range: { start: 0, count: openTasks } };
  await benchOpen('never given out', program(longTask, inputs), false, print);
  const retried = { ...program(failing, inputs), max_attempts: 1_000, retry_delay_seconds: 3_600 };
  await benchOpen('failed once, wait for a retry', retried, true, print);
}

async function benchOpen(
  name: string,
  job: JobSubmission,
  tasksFail: boolean,
  print: Print,
): Promise<void> {
  const stage = await Stage.open(['--algorithm', 'priority'], 2, runners / 2);
  const { client } = stage;
  try {
    if (tasksFail) {
      await client.submit(job);
      await until(async () => {
        const workers = await client.workers();
        return workers.reduce((sum, { total_failed: failed }) => sum + failed, 0) >= openTasks;
      });
    }
    const range = { start: 0, count: runners };
    const long = await client.submit({ ...program(longTask, { range }), priority: 9 });
    await until(async () => (await client.jobHead(long.id)).counts.running === runners);
    if (!tasksFail) await client.submit(job);
    const serving: number[] = [];
    const adopted: number[] = [];
    for (let death = 1; death <= coordinatorDeaths; death++) {
      await stage.killCoordinator();
      const startedAt = performance.now();
      stage.startCoordinator();
      await stage.ready();
      serving.push(performance.now() - startedAt);
      await until(async () => (await countAdopted(stage)) >= runners * death);
      adopted.push(performance.now() - startedAt);
      // Otherwise the workers would sometimes wait longer: a connection counts as steady after 5 s.
      await new Promise((resolve) => setTimeout(resolve, 6_000));
    }
    print(
      `${name.padEnd(30)} ${milliseconds(serving)}   ${milliseconds(adopted)}   load ${load()}`,
    );
  } finally {
    await stage.close();
  }
}

async function countAdopted({ client }: Stage): Promise<number> {
  const events = await client.recoveryEvents();
  return events.filter(({ outcome }) => outcome === 'adopted').length;
}

// ---- one slow worker among eight

const crowd = 8;
const crowdTasks = 80;
const crowdRuns = 3;

/** Half a second in small steps, hardly any computing: eight of them share two cores. */
const patient = `export default async (n, task) => {
  for (let i = 1; i <= 50; i++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    task.progress(i / 50);
  }
  return n;
}`;

async function benchSpeculation(print: Print): Promise<void> {
  const stage = await Stage.open([], crowd);
  const slow = slowDown(stage, `worker-${crowd}`);
  const seconds = { off: [] as number[], on: [] as number[] };
  const wasted: number[] = [];
  try {
    for (let run = 0; run < crowdRuns; run++) {
      for (const mode of ['off', 'on'] as const) {
        const startedAt = performance.now();
        const job = await stage.client.submit({
          ...program(patient, { range: { start: 0, count: crowdTasks } }),
          speculation: { enabled: mode === 'on' },
        });
        await results(stage, job);
        seconds[mode].push((performance.now() - startedAt) / 1000);
        const { recovery } = await stage.client.evaluation.metrics({ jobId: job.id });
        if (mode === 'on') wasted.push(recovery.wasted_seconds);
        // The slow one may still be at it.
        await stage.online(crowd);
        await until(async () =>
          (await stage.client.workers()).every(({ active_tasks: active }) => active === 0),
        );
      }
    }
  } finally {
    slow.stop();
    await stage.close();
  }
  print('');
  print(
    `${crowdTasks} tasks of 0.5 s on ${crowd} workers, one of them ten times slower, ` +
      `median of ${crowdRuns} (least, most); load ${load()}`,
  );
  for (const mode of ['off', 'on'] as const) {
    const all = seconds[mode];
    const spread = `${Math.min(...all).toFixed(2)}, ${Math.max(...all).toFixed(2)}`;
    const waste = mode === 'on' ? `, ${median(wasted).toFixed(1)} s of work for nothing` : '';
    print(`speculation ${mode.padEnd(3)} ${median(all).toFixed(2)} s (${spread})${waste}`);
  }
}

/** Stops the sandboxes of a worker for nine tenths of the time. */
function slowDown(stage: Stage, name: string): { stop(): void } {
  let beat = 0;
  const timer = setInterval(() => {
    const isAwake = beat++ % 10 === 0;
    for (const pid of stage.sandboxesOf(name)) {
      try {
        process.kill(pid, isAwake ? 'SIGCONT' : 'SIGSTOP');
      } catch {
        // It has ended.
      }
    }
  }, 50);
  return { stop: () => clearInterval(timer) };
}

// ---- all of them

function program(source: string, inputs: JobSubmission['inputs']): JobSubmission {
  return { program: { kind: 'javascript', source }, inputs };
}

async function results({ client }: Stage, { id, task_count: count }: JobSummary): Promise<void> {
  let completed = 0;
  for await (const { status } of client.results(id, { follow: true })) {
    if (status === 'completed') completed++;
  }
  if (completed !== count) throw new Error(`${completed} of ${count} tasks were completed.`);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function milliseconds(times: readonly number[]): string {
  const [least, most] = [Math.min(...times), Math.max(...times)];
  return `median ${median(times).toFixed(0)} ms (${least.toFixed(0)} to ${most.toFixed(0)})`;
}

/** Load of the machine over the last minute: other work makes all times longer. */
function load(): string {
  return loadavg()[0]!.toFixed(1);
}
