// Plays a plan: the production coordinator over a store in memory, production worker machines on devices that are
// made up, in virtual time. What comes out follows from the plan, the algorithm and the seed alone.

import { createHash } from 'node:crypto';
import { createCoordinator, type RunningCoordinator } from '../../coordinator/coordinator.ts';
import type { Submission } from '../../coordinator/port/jobs.ts';
import type { WorkerSession } from '../../coordinator/port/workers.ts';
import type { Runtime } from '../../coordinator/runtime.ts';
import type { AlgorithmId } from '../../core/snapshot.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import { createScheduler } from '../../scheduling/registry.ts';
import type { SchedulerFactory } from '../../scheduling/scheduler.ts';
import { Clock } from '../../simulator/clock.ts';
import { createMemoryStore } from '../../store/memory/memory-store.ts';
import type { Store } from '../../store/store.ts';
import { type Stream, streamOf } from '../chance/stream.ts';
import { AttemptLog } from '../outcome/attempt-log.ts';
import type { JobPlan, Plan } from '../scenario/plan.ts';
import { LabDevice } from './lab-device.ts';
import type { Played } from './played.ts';
import { Turns } from './turns.ts';
import { type Choices, watched } from './watched-scheduler.ts';
import { Works } from './works.ts';

export interface PlayOptions {
  readonly plan: Plan;
  readonly seed: number;
  readonly algorithm: AlgorithmId;
  /** Decides instead of the algorithm, which is only a name then. */
  readonly createScheduler?: SchedulerFactory | undefined;
  /** Called with everything that is told, in order; times in milliseconds since the epoch of `runBegan`. */
  readonly onEvent?: (event: ToldEvent) => void;
  /** Called when a task has ended. */
  readonly onProgress?: ((completed: number, failed: number) => void) | undefined;
  /** Called now and then with the virtual time, in milliseconds: a run may go on for long in which no task ends. */
  readonly onTime?: ((ms: number) => void) | undefined;
}

/** What the coordinator takes for the time at which a run begins. */
export const runBegan = Date.UTC(2026, 0, 1);

/** A fraction of a second of a processor. */
const stepsBetweenTimes = 20_000;

export async function play(options: PlayOptions): Promise<Played> {
  const run = new Run(options);
  await run.play();
  return run.summary();
}

class Run {
  readonly #options: PlayOptions;
  readonly #clock = new Clock(0);
  readonly #turns = new Turns(this.#clock);
  readonly #works = new Works();
  readonly #chance: Stream;
  readonly #choices: Choices = { decisions: 0, contested: 0 };
  /** Jobs that were sent and are not committed yet, in their order. */
  readonly #waiting: { readonly job: JobPlan; readonly place: number }[] = [];
  readonly #jobPlaces = new Map<string, number>();
  readonly #devicePlaces = new Map<string, number>();
  readonly #attempts: AttemptLog;
  readonly #ends: { endedAt: number | null; completed: number; failed: number }[];
  #devices: readonly LabDevice[] = [];
  readonly #ended = { completed: 0, failed: 0 };
  #openJobs: number;
  #ids = 0;
  #fault: Error | null = null;

  constructor(options: PlayOptions) {
    this.#options = options;
    this.#chance = streamOf(options.seed, 'coordinator');
    const { jobs } = options.plan;
    this.#openJobs = jobs.length;
    this.#ends = jobs.map(() => ({ endedAt: null, completed: 0, failed: 0 }));
    this.#attempts = new AttemptLog({
      job: (id) => this.#jobPlaces.get(id)!,
      device: (id) => this.#devicePlaces.get(id)!,
      beganAt: runBegan,
    });
  }

  async play(): Promise<void> {
    const { plan, seed } = this.#options;
    const clock = this.#clock;
    const turns = this.#turns;
    const coordinator = await this.#start();
    this.#devices = plan.devices.map(
      (device, place) =>
        new LabDevice(device, {
          clock,
          works: this.#works,
          chance: streamOf(seed, 'device', device.name, 'chance'),
          openSession: (sink) => this.#openSession(coordinator, sink),
          onName: (workerId) => this.#devicePlaces.set(workerId, place),
        }),
    );
    clock.at(Math.min(...plan.jobs.map(({ atMs }) => atMs)), () => {
      for (const { meter } of this.#devices) meter.restart();
    });
    plan.jobs.forEach((job, place) => {
      clock.at(job.atMs, () => this.#submit(coordinator, job, place));
    });
    let steps = 0;
    const isDone = () => {
      if (++steps % stepsBetweenTimes === 0) this.#options.onTime?.(clock.now);
      return this.#openJobs === 0 || this.#fault !== null;
    };
    await turns.run(plan.mostMs, isDone);
    if (this.#fault !== null) throw this.#fault;
  }

  summary(): Played {
    const { plan } = this.#options;
    const isDeclared = plan.devices.some(({ power }) => power.idleWatts > 0 || power.busyWatts > 0);
    return {
      attempts: this.#attempts.rows,
      jobs: plan.jobs.map((job, place) => ({ plan: job, ...this.#ends[place]! })),
      devices: this.#devices.map(({ meter, plan: { slots } }) => {
        const { joules, busySeconds, hereSeconds } = meter.read();
        return {
          joules: isDeclared ? joules : null,
          busySeconds,
          slotSeconds: hereSeconds * slots,
        };
      }),
      choices: this.#choices,
      workDoneSeconds: this.#works.doneSeconds,
      endedAt: this.#clock.now,
      isWhole: this.#openJobs === 0,
    };
  }

  async #start(): Promise<RunningCoordinator> {
    const { plan, algorithm, createScheduler: own } = this.#options;
    const coordinator = await createCoordinator({
      store: this.#store(),
      runtime: this.#runtime(),
      settings: {
        heartbeatIntervalMs: plan.heartbeatMs,
        heartbeatsPerSecond: null,
        leaseMs: 3 * plan.heartbeatMs,
      },
      decisionLogBytes: 0,
      createScheduler: watched(own ?? createScheduler, this.#choices),
      onEvents: (events) => {
        for (const event of events) this.#observe(event);
      },
      onError: (error) => this.#fail(error),
    });
    void coordinator.failed.then((fault) => this.#fail(fault));
    const { weights, weighting } = plan.scheduler;
    let isConfigured = false;
    const configured = coordinator.scheduler.configure({ algorithm, weights, weighting });
    void configured.then((result) => {
      if (!result.ok) this.#fail(new Error(result.rejection.detail));
      isConfigured = true;
    });
    await this.#turns.run(Infinity, () => isConfigured || this.#fault !== null);
    return coordinator;
  }

  #openSession(
    coordinator: RunningCoordinator,
    sink: { send(frame: string): void; close(): void },
  ): WorkerSession {
    const send = (frame: string) => {
      // Tasks of a job may leave before its commit.
      if (this.#waiting.length > 0) this.#meetAll(coordinator);
      sink.send(frame);
    };
    const session = coordinator.sessions.open({ send, close: () => sink.close() }, null);
    return {
      get workerId() {
        return session.workerId;
      },
      get hasWorked() {
        return session.hasWorked;
      },
      receive: (messages) => {
        this.#turns.touch();
        session.receive(messages);
      },
      closed: () => {
        this.#turns.touch();
        session.closed();
      },
    };
  }

  #submit(coordinator: RunningCoordinator, job: JobPlan, place: number): void {
    this.#turns.touch();
    const inputs = { type: 'range', start: 0, count: job.workSeconds.length } as const;
    void coordinator.submissions.submit(submissionOf(job), inputs).then(
      (result) => {
        if (!result.ok) this.#fail(new Error(`${job.name}: ${result.rejection.detail}`));
      },
      (error: Error) => this.#fail(error),
    );
    this.#waiting.push({ job, place });
  }

  #meetAll({ state }: RunningCoordinator): void {
    for (const id of state.jobs.keys()) this.#meet(id);
  }

  /** They come into being in the order in which they were submitted. */
  #meet(jobId: string): void {
    if (this.#jobPlaces.has(jobId)) return;
    const next = this.#waiting.shift()!;
    this.#jobPlaces.set(jobId, next.place);
    this.#works.add(jobId, next.job);
  }

  #observe(event: ToldEvent): void {
    switch (event.type) {
      case 'job_submitted': {
        this.#meet(event.spec.id);
        break;
      }
      case 'job_finished': {
        const place = this.#jobPlaces.get(event.job.spec.id)!;
        const { completed, failed } = event;
        this.#ends[place] = { endedAt: event.at - runBegan, completed, failed };
        this.#openJobs--;
        break;
      }
      // Also of a job that never ends.
      case 'task_completed':
        this.#ends[this.#jobPlaces.get(event.task.job.spec.id)!]!.completed++;
        this.#options.onProgress?.(++this.#ended.completed, this.#ended.failed);
        break;
      case 'task_failed':
        this.#ends[this.#jobPlaces.get(event.task.job.spec.id)!]!.failed++;
        this.#options.onProgress?.(this.#ended.completed, ++this.#ended.failed);
        break;
      default:
        break;
    }
    this.#attempts.observe(event);
    this.#options.onEvent?.(event);
  }

  #fail(fault: Error): void {
    this.#fault ??= fault;
  }

  /** A store in memory that takes its time to make a batch durable. */
  #store(): Store {
    const inner = createMemoryStore();
    const { commitMs } = this.#options.plan;
    const commit: Store['commit'] = (batch, at) =>
      new Promise((resolve, reject) => {
        this.#clock.after(commitMs, () => {
          this.#turns.touch();
          inner.commit(batch, at).then(resolve, reject);
        });
      });
    return { ...inner, commit };
  }

  #runtime(): Runtime {
    const clock = this.#clock;
    const touching = (fn: () => void) => () => {
      this.#turns.touch();
      fn();
    };
    return {
      now: () => runBegan + Math.floor(clock.now),
      followClock: () => 0,
      microseconds: () => 0,
      defer: (fn) => void clock.after(0, touching(fn)),
      setTimer: (at, fn) => clock.at(at - runBegan, touching(fn)),
      newId: () => `id${String(++this.#ids).padStart(8, '0')}`,
      newToken: () => `token${String(++this.#ids).padStart(27, '0')}`,
      chance: () => this.#chance.next(),
      hash: (text) => createHash('sha256').update(text).digest('hex'),
    };
  }
}

function submissionOf(job: JobPlan): Submission {
  const { checkpoints, speculation } = job;
  return {
    name: job.name,
    clientId: 'lab',
    priority: job.priority,
    taskPriorities: job.taskPriorities,
    program: { kind: 'javascript', source: 'export default () => null' },
    maxAttempts: job.maxAttempts,
    maxLostAttempts: job.maxLostAttempts,
    retryDelayMs: 0,
    attemptTimeoutMs: null,
    progressTimeoutMs: null,
    onTaskFailure: 'continue',
    keepOutput: 'never',
    liveOutput: false,
    memoryMb: 512,
    lateResults: 'accept',
    requirements: job.requirements,
    checkpointIntervalMs: checkpoints?.everyMs ?? null,
    speculation: speculation ? { maxCopies: 1, maxShare: 0.1 } : null,
    retainMs: null,
    hold: false,
    notify: null,
  };
}
