// A core for tests: a test gives commands at times of its choice and gets the events as lines.
// Invariants and legal moves are checked after every command; a failure comes with what happened.

import { unmeasured } from '../create/worker.ts';
import type {
  NamedAttempt,
  Command,
  CompleteAttempt,
  ConnectWorker,
  FailAttempt,
  Heartbeat,
  MeasuredTelemetry,
  RegisterWorker,
  WorkerDescription,
} from '../commands.ts';
import type { ToldEvent } from '../told-events.ts';
import { execute, type Executed } from '../execute.ts';
import { checkInvariants } from '../checks/invariants.ts';
import type { JobRecord, JobSpec, TaskRecord, WorkerRecord } from '../records.ts';
import type { NotificationRecord } from '../notifications.ts';
import { defaultCoreSettings, type CoreSettings } from '../settings.ts';
import { createState, defaultSchedulerConfig, type State } from '../state.ts';
import { story } from '../checks/story.ts';
import { StoryLog } from '../checks/story-log.ts';
import { createMoveChecker } from '../checks/task-moves.ts';
import { eventLine } from './event-line.ts';
import { jobSpec } from './job-spec.ts';

/** What a worker knows of an attempt that it was given. */
export interface Held extends NamedAttempt {
  readonly workerId: string;
}

/** An attempt as a `hello` names it. */
export type HeldInHello = Omit<ConnectWorker['held'][number], 'runMs'> & {
  readonly runMs?: number | null;
};

interface Saying {
  readonly leaving: boolean;
  readonly rest: string | null;
  readonly measured: MeasuredTelemetry;
}

/** The events as lines, or the code of the rejection. */
export type Said = string[] | { readonly rejected: string };

export class ScriptedCore {
  readonly state: State;
  readonly log = new StoryLog();
  /** Every event so far, as it was given out. */
  readonly events: ToldEvent[] = [];
  at = 0;
  chance = 0.5;
  /** The orders to stop in the newest answer. */
  stop: readonly string[] = [];
  private readonly watchMoves = createMoveChecker();
  private keys = 0;
  private tokens = 0;

  constructor(settings: Partial<CoreSettings> = {}) {
    this.state = createState({ ...defaultCoreSettings, ...settings }, defaultSchedulerConfig);
  }

  give(command: Command): Said {
    const executed = execute(this.state, command);
    return this.told(executed);
  }

  /** Takes over what something else has executed, and checks the state. */
  told(executed: Executed): Said {
    this.events.push(...executed.events);
    this.log.feed(executed.events);
    this.stop = (executed.stop ?? []).map(
      ({ jobId, index, attempt, reason }) => `${jobId}.${index} #${attempt}: ${reason}`,
    );
    this.check();
    if (executed.rejection !== undefined) return { rejected: executed.rejection.code };
    return executed.events.map(eventLine);
  }

  check(): void {
    checkInvariants(this.state);
    this.checkMoves();
  }

  checkMoves(): void {
    this.watchMoves(this.state);
  }

  /** Lets time pass, handling every deadline at its moment. */
  wait(ms: number): string[] {
    const until = this.at + ms;
    const lines: string[] = [];
    while (this.state.deadlines.next <= until) {
      this.at = Math.max(this.at, this.state.deadlines.next);
      lines.push(...(this.give({ type: 'expire', at: this.at, chance: this.chance }) as string[]));
    }
    this.at = until;
    return lines;
  }

  /** Lets time pass while these workers are heard of every five seconds. */
  waitAlive(ms: number, ...workerIds: readonly string[]): string[] {
    const until = this.at + ms;
    const lines: string[] = [];
    while (this.at < until) {
      for (const workerId of workerIds) this.hear(workerId);
      lines.push(...this.wait(Math.min(5000, until - this.at)));
    }
    return lines;
  }

  hear(workerId: string): Said {
    return this.give({ type: 'hear_worker', workerId, at: this.at });
  }

  submit(id: string, given: Partial<JobSpec> = {}): Said {
    const { generation } = this.state;
    const made = { id, key: ++this.keys, generation, createdAt: this.at };
    return this.give({ type: 'submit_job', spec: jobSpec({ ...made, ...given }), at: this.at });
  }

  /** An attempt to tell somebody of the end of a job is over. */
  tried(
    notification: NotificationRecord,
    outcome: 'delivered' | 'failed' | 'refused',
    answer = '503',
  ): Said {
    const { at, chance } = this;
    return this.give({ type: 'settle_notification', notification, outcome, answer, chance, at });
  }

  /** All that was told of them, the newest of each, by id. */
  get notifications(): readonly NotificationRecord[] {
    const newest = new Map<number, NotificationRecord>();
    for (const event of this.events) {
      if (event.type !== 'notification_owed' && event.type !== 'notification_tried') continue;
      newest.set(event.notification.id, event.notification);
    }
    return [...newest.values()];
  }

  /** Registers a worker and connects it. */
  join(
    workerId: string,
    given: Partial<WorkerDescription> = {},
    came: Pick<RegisterWorker, 'givenName' | 'waitsUntil'> = {},
  ): Said {
    this.give({
      type: 'register_worker',
      workerId,
      key: ++this.keys,
      tokenHash: `hash of ${workerId}`,
      description: description(given),
      measured: unmeasured,
      telemetryJson: '{}',
      ...came,
      at: this.at,
    });
    return this.hello(workerId, [], given);
  }

  hello(
    workerId: string,
    held: readonly HeldInHello[] = [],
    given: Partial<WorkerDescription & Saying> = {},
  ): Said {
    const { leaving = false, rest = null, measured = null, ...described } = given;
    return this.give({
      type: 'connect_worker',
      workerId,
      connectionId: ++this.keys,
      description: description(described),
      measured,
      telemetryJson: measured === null ? null : '{}',
      leaving,
      rest,
      held: held.map((one) => ({ runMs: null, ...one })),
      at: this.at,
    });
  }

  close(workerId: string): Said {
    const { connection } = this.worker(workerId);
    const connectionId = connection.state === 'connected' ? connection.id : 0;
    return this.give({ type: 'disconnect_worker', workerId, connectionId, at: this.at });
  }

  heartbeat(workerId: string, given: Partial<Heartbeat> = {}): Said {
    return this.give({
      type: 'heartbeat',
      workerId,
      measured: unmeasured,
      telemetryJson: '{}',
      assignSequence: 0,
      leaving: false,
      rest: null,
      leaseMs: null,
      held: [],
      at: this.at,
      ...given,
    });
  }

  /** Assigns the task, which must be possible. */
  assign(jobId: string, index: number, workerId: string): Held {
    const said = this.tryAssign(jobId, index, workerId);
    const task = this.task(jobId, index);
    const live = task.live.at(-1);
    if (!Array.isArray(said) || live === undefined) {
      throw new Error(`${jobId}.${index} was not assigned: ${JSON.stringify(said)}`);
    }
    return { jobId, index, workerId, attempt: live.attempt, token: live.token };
  }

  tryAssign(jobId: string, index: number, workerId: string): Said {
    const token = `t${++this.tokens}`;
    return this.give({ type: 'assign', jobId, index, workerId, token, at: this.at });
  }

  start(held: Held): Said {
    return this.give({ type: 'start', ...held, at: this.at });
  }

  /** Assigns the task and starts it. */
  run(jobId: string, index: number, workerId: string): Held {
    const held = this.assign(jobId, index, workerId);
    this.start(held);
    return held;
  }

  progress(held: Held, progress: number): Said {
    return this.give({ type: 'progress', ...held, progress, message: null, at: this.at });
  }

  checkpoint(held: Held, sequence: number, progress: number, runMs: number | null = null): Said {
    const text = JSON.stringify({ progress });
    const size = { sizeBytes: text.length, storedBytes: text.length };
    const state = { encoding: 'json', text } as const;
    const { at } = this;
    const what = { sequence, progress, ...size, sha256: `hash of ${text}`, runMs, state };
    return this.give({ type: 'save_checkpoint', ...held, ...what, at });
  }

  /** A copy of the task's running attempt. */
  copy(jobId: string, index: number, workerId: string): Held {
    const token = `t${++this.tokens}`;
    const said = this.give({ type: 'speculate', jobId, index, workerId, token, at: this.at });
    const live = this.task(jobId, index).live.at(-1);
    if (!Array.isArray(said) || live?.token !== token) {
      throw new Error(`${jobId}.${index} was not copied: ${JSON.stringify(said)}`);
    }
    return { jobId, index, workerId, attempt: live.attempt, token };
  }

  complete(held: Held, given: Partial<CompleteAttempt> = {}): Said {
    return this.give({
      type: 'complete',
      ...held,
      resultJson: '1',
      runMs: null,
      energyJoules: null,
      watts: null,
      at: this.at,
      ...given,
    });
  }

  fail(held: Held, given: Partial<FailAttempt> = {}): Said {
    return this.give({
      type: 'fail',
      ...held,
      errorType: 'Error',
      errorMessage: 'boom',
      retryable: true,
      runMs: null,
      chance: this.chance,
      at: this.at,
      ...given,
    });
  }

  release(held: Held, reason: 'refused' | 'released', message: string | null = null): Said {
    const { at, chance } = this;
    return this.give({ type: 'release', ...held, reason, message, isOwnWish: true, chance, at });
  }

  /** Looks for jobs that were kept for long enough, among those that memory holds here. */
  expireJobs(candidates = [...this.state.jobs.values()].filter(hasEnded)): Said {
    return this.give({ type: 'expire_jobs', candidates, at: this.at });
  }

  /** The oldest attempt that the worker has. */
  /** The oldest, of this job or of any. */
  assignedTo(workerId: string, ofJob?: string): Held {
    const attempt = [...this.worker(workerId).attempts].find(
      ({ task }) => ofJob === undefined || task.job.spec.id === ofJob,
    );
    if (attempt === undefined) throw new Error(`worker ${workerId} has no attempt`);
    const { task, token } = attempt;
    const { id: jobId } = task.job.spec;
    return { jobId, index: task.index, workerId, attempt: attempt.attempt, token };
  }

  job(jobId: string): JobRecord {
    const job = this.state.jobs.get(jobId);
    if (job === undefined) throw new Error(`no job ${jobId} in memory`);
    return job;
  }

  task(jobId: string, index: number): TaskRecord {
    const task = this.job(jobId).tasks.get(index);
    if (task === undefined) throw new Error(`no task ${jobId}.${index} in memory`);
    return task;
  }

  worker(workerId: string): WorkerRecord {
    const worker = this.state.workers.get(workerId);
    if (worker === undefined) throw new Error(`no worker ${workerId}`);
    return worker;
  }

  story(jobId: string, index: number): string {
    return story(this.task(jobId, index), this.log);
  }
}

function hasEnded({ completedAt }: JobRecord): boolean {
  return completedAt !== null;
}

function description(given: Partial<WorkerDescription>): WorkerDescription {
  return {
    name: null,
    type: 'pc',
    platform: 'linux',
    slots: 1,
    kinds: ['javascript'],
    labels: {},
    isolation: 'ses',
    version: null,
    leaseMs: null,
    taskMemoryMb: null,
    runtimes: null,
    hands: [],
    ...given,
  };
}
