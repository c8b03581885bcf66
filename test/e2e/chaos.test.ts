// "1 000 checkpointing tasks over 6 workers while a script kills a random worker every second and the
// coordinator every five: all results right, each accepted once; resumed tasks start from their
// checkpoint." What was computed twice is counted and told.

import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import type {
  CheckpointRecord,
  JobSummary,
  RecoveryEvent,
  TaskResult,
} from '../../src/client/index.ts';
import { Cluster, type ClusterWorker } from '../support/cluster.ts';
import {
  async,
  counting,
  type CountingInput,
  type CountingResult,
  expectResumedFrom,
  generator,
  undisturbed,
} from '../support/counting-job.ts';
import { type End, eventually, type MusterProcess } from '../support/muster-process.ts';
import { descendantsOf, isRunning, type RunningProgram } from '../support/process-tree.ts';
import { ResultReader, storedTasks } from '../support/square-job.ts';

const workers = 6;
const slots = 3;
const tasks = 1_000;
const spinningTasks = 100;
const workerKillEveryMs = 1_000;
const fewestAtWork = 4;
const coordinatorKillEveryMs = 5_000;
/** A third of a second each; most of them wait, so that two cores are enough for all. */
const waiting: CountingInput = { steps: 30, ms: 10 };
const spinning: CountingInput = { steps: 30, rounds: 1_000_000 };
const left = { code: 0, signal: null };
const seed = Number(process.env['MUSTER_CHAOS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

test(`1 000 tasks survive the death of a worker every second and of the coordinator every five`, async () => {
  console.log(`chaos with MUSTER_CHAOS_SEED=${seed}`);
  const flags = ['--grace-seconds', '1', '--heartbeat-seconds', '1'];
  const cluster = await Cluster.start({ flags });
  const crowd = new Crowd(cluster);
  const jobs = [
    { input: spinning, job: await submit(cluster, generator, spinning, spinningTasks) },
    { input: waiting, job: await submit(cluster, async, waiting, tasks - spinningTasks) },
  ];
  const chaos = new Chaos(cluster, crowd);
  const readers = jobs.map(({ job }) => readAll(cluster, job));
  await chaos.during(Promise.all(readers));

  const report = new Report();
  for (const [i, { job, input }] of jobs.entries()) {
    await expectRight(cluster, job, input, await readers[i]!, report);
  }
  report.print(chaos);
  expect(report.resumed).toBeGreaterThan(0);
  expect(await crowd.leave()).toEqual(Array.from({ length: workers }, () => left));
  expect(await cluster.stop()).toEqual(left);
  expect(storedTasks(cluster)).toEqual({ tasks, completed: tasks, accepted: tasks });
  crowd.note(cluster.coordinator.pid);
  expect(crowd.programs.filter(isRunning)).toEqual([]);
}, 400_000);

function submit(cluster: Cluster, source: string, input: CountingInput, count: number) {
  const inputs = Array.from({ length: count }, () => input);
  return cluster.client.submit({ ...counting(source, inputs), max_lost_attempts: 50 });
}

async function readAll({ client }: Cluster, { id }: JobSummary): Promise<ResultReader> {
  const reader = new ResultReader(client.resultLines(id, { follow: true }));
  await reader.readAll();
  return reader;
}

/** The workers, each of which comes back as itself, and everything that they ever started. */
class Crowd {
  readonly programs: RunningProgram[] = [];
  readonly #cluster: Cluster;
  readonly #processes: MusterProcess[];

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#processes = Array.from({ length: workers }, (_, i) => this.#start(i));
  }

  /** Those that have got through to a coordinator since their start. */
  get atWork(): readonly number[] {
    return [...this.#processes.keys()].filter((index) =>
      this.#processes[index]!.stdout.includes('Connected as worker'),
    );
  }

  async restart(index: number): Promise<void> {
    const process = this.#processes[index]!;
    this.note(process.pid);
    await process.kill();
    this.#processes[index] = this.#start(index);
  }

  /** How each of them ends that is asked to. */
  async leave(): Promise<End[]> {
    const ends: End[] = [];
    for (const process of this.#processes) {
      await process.line((line) => (line.includes('Connected as worker') ? true : undefined));
      this.note(process.pid);
      process.signal('SIGTERM');
      ends.push(await process.ended);
    }
    return ends;
  }

  note(pid: number): void {
    this.programs.push(...descendantsOf(pid));
  }

  #start(index: number): MusterProcess {
    return this.#cluster.startWorker(`worker-${index + 1}`, slots);
  }
}

/** The script: who is killed follows from the seed, when follows from the clock. */
class Chaos {
  workersKilled = 0;
  coordinatorsKilled = 0;
  seconds = 0;
  readonly #cluster: Cluster;
  readonly #crowd: Crowd;
  #state = seed;
  /** When the coordinator was killed last. */
  #completed = 0;

  constructor(cluster: Cluster, crowd: Crowd) {
    this.#cluster = cluster;
    this.#crowd = crowd;
  }

  async during(work: Promise<unknown>): Promise<void> {
    const startedAt = performance.now();
    const over = new AbortController();
    // Also when the time of the test is over: nothing may be started after it.
    onTestFinished(() => over.abort());
    const scripts = [
      this.#every(workerKillEveryMs, over.signal, () => this.#killWorker()),
      this.#every(coordinatorKillEveryMs, over.signal, (signal) => this.#killCoordinator(signal)),
    ];
    await Promise.race([work, ...scripts]);
    over.abort();
    await Promise.all([work, ...scripts]);
    this.seconds = (performance.now() - startedAt) / 1000;
  }

  async #every(
    ms: number,
    over: AbortSignal,
    act: (over: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const ended = once(over, 'abort');
    while (!over.aborted) {
      const pause = new Promise((resolve) => setTimeout(resolve, ms));
      await Promise.race([pause, ended]);
      if (!over.aborted) await act(over);
    }
  }

  async #killWorker(): Promise<void> {
    const { atWork } = this.#crowd;
    // A machine that is too busy for this pace would come to nothing but starting processes.
    if (atWork.length < fewestAtWork) return;
    this.workersKilled++;
    await this.#crowd.restart(atWork[this.#draw(atWork.length)]!);
  }

  /** Not before something was completed in its life. */
  async #killCoordinator(over: AbortSignal): Promise<void> {
    const completed = async () => (await this.#cluster.client.stats()).total_tasks_completed;
    while (!over.aborted && (await completed()) <= this.#completed) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    if (over.aborted) return;
    this.#completed = await completed();
    this.coordinatorsKilled++;
    await this.#cluster.coordinator.kill();
    await this.#cluster.serve();
  }

  /** A linear congruential generator (Numerical Recipes): which of so many is next. */
  #draw(count: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * count);
  }
}

/** Counted in steps. */
class Report {
  /** In the results: each step of each task once. */
  steps = 0;
  resumed = 0;
  restarted = 0;
  adopted = 0;
  /** Steps before the checkpoints that attempts went on from: not done again. */
  saved = 0;
  /** At most: what lost attempts may have done since the checkpoint that the next one went on from. */
  repeated = 0;

  count(events: readonly RecoveryEvent[], { steps }: CountingInput): void {
    for (const event of events) {
      const { outcome, resumed_from_progress: progress } = event;
      if (outcome === 'adopted') {
        this.adopted++;
        continue;
      }
      const from = Math.round((progress ?? 0) * steps);
      if (outcome === 'resumed') this.resumed++;
      if (outcome === 'restarted') this.restarted++;
      this.saved += from;
      // Nobody saw how far it came: a step takes 10 ms at least, and there are no more than `steps`.
      this.repeated += Math.min(steps - from, Math.ceil(event.time_lost_seconds * 100));
    }
  }

  print({ workersKilled, coordinatorsKilled, seconds }: Chaos): void {
    const share = ((100 * this.repeated) / this.steps).toFixed(1);
    console.log(
      [
        `${workersKilled} workers and ${coordinatorsKilled} coordinators killed in ${seconds.toFixed(0)} s`,
        `${this.steps} steps; ${this.resumed} attempts resumed, ${this.restarted} started anew, ` +
          `${this.adopted} adopted`,
        `${this.saved} steps were saved by checkpoints`,
        `at most ${this.repeated} steps (${share} %) were computed twice`,
      ].join('\n'),
    );
  }
}

async function expectRight(
  { client }: Cluster,
  job: JobSummary,
  input: CountingInput,
  { results }: ResultReader,
  report: Report,
): Promise<void> {
  expect(results.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: job.task_count }, (_, index) => index),
  );
  const records = await client.checkpoints(job.id);
  const events = (await client.recoveryEvents()).filter(({ job_id: id }) => id === job.id);
  report.steps += input.steps * results.length;
  for (const result of results) {
    expect(result.status).toBe('completed');
    if (result.status !== 'completed') continue;
    const { value, from } = result.value as CountingResult;
    expect(value).toEqual(undisturbed(input, result.task_id));
    const ofTask = events.filter(({ task_id: id }) => id === result.task_id);
    if (from > 0 || ofTask.length > 0) {
      // Not always the newest: one that was given up may have come back with the result.
      const { attempts } = await client.task(job.id, result.index);
      const { attempt } = attempts.find(({ status }) => status === 'completed')!;
      const event = ofTask.find(({ next_attempt: next, outcome }) => {
        return next === attempt && outcome !== 'adopted';
      });
      const ofThis = records.filter(({ task_id: id }) => id === result.task_id);
      expectBeganAt(from, attempt, event, ofThis, input);
    }
    report.count(ofTask, input);
  }
}

/** The attempt that brought the result began where its recovery event says. */
function expectBeganAt(
  from: number,
  attempt: number,
  event: RecoveryEvent | undefined,
  records: readonly CheckpointRecord[],
  input: CountingInput,
): void {
  if (event?.outcome === 'resumed') return expectResumedFrom(event, records, from, input);
  // Without an event when nobody alive knows that the attempt before had begun at all.
  const points = records.filter((record) => record.attempt < attempt);
  const steps = points.map(({ progress }) => Math.round(progress * input.steps));
  expect(event === undefined ? [0, ...steps] : [0]).toContain(from);
}

test('SIGTERM: what runs saves its state at once, and goes on elsewhere from there', async () => {
  const { cluster, leaving, job } = await startHeld(300);
  leaving.process.signal('SIGTERM');
  expect(await leaving.process.ended).toEqual(left);
  await expectGoesOn(cluster, job, leaving, 'worker_drained');
});

test('drained: what runs saves its state at once, and goes on elsewhere from there', async () => {
  const { cluster, leaving, job } = await startHeld(300);
  const { client } = cluster;
  await client.drain(leaving.id);
  const [saved] = await eventually(
    () => client.checkpoints(job.id),
    (records) => records.length > 0,
  );
  expect(saved).toMatchObject({ worker_id: leaving.id, attempt: 1, sequence: 1 });
  expect(await client.task(job.id, 0)).toMatchObject({
    status: 'pending',
    attempts: [{ status: 'released' }],
  });
  await expectGoesOn(cluster, job, leaving, 'worker_drained');
});

const held: CountingInput = { steps: 100, hold: 60, ms: 2 };

/** A task in the middle that saves nothing by itself for so many seconds. */
async function startHeld(intervalSeconds: number) {
  const cluster = await Cluster.start({ flags: ['--grace-seconds', '1'] });
  const leaving = await cluster.addWorker();
  const job = await cluster.client.submit(counting(async, [held], intervalSeconds));
  await eventually(
    () => cluster.client.task(job.id, 0),
    ({ progress }) => (progress ?? 0) > 0.5,
  );
  return { cluster, leaving, job };
}

async function expectGoesOn(
  cluster: Cluster,
  job: JobSummary,
  leaving: ClusterWorker,
  reason: RecoveryEvent['reason'],
): Promise<void> {
  const heir = await cluster.addWorker();
  const { results } = await readAll(cluster, job);
  const [result] = results as [TaskResult & { readonly value: CountingResult }];
  expect(result).toMatchObject({ status: 'completed' });
  expect(result.value.value).toEqual(undisturbed(held, result.task_id));
  const [event] = await cluster.client.recoveryEvents();
  expect(event).toMatchObject({
    reason,
    from_worker_id: leaving.id,
    to_worker_id: heir.id,
    outcome: 'resumed',
  });
  expectResumedFrom(event!, await cluster.client.checkpoints(job.id), result.value.from, held);
}
