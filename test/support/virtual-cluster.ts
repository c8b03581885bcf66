// The production coordinator over a memory disk in virtual time, with workers that do what the test
// says. Invariants and legal moves are checked after every command. A crash keeps the disk only.

import type { AuditKeeping } from '../../src/coordinator/audit/audit-trail.ts';
import { createCoordinator, type RunningCoordinator } from '../../src/coordinator/coordinator.ts';
import { durableView } from '../../src/coordinator/writer/durable-view.ts';
import type { InboxMarks } from '../../src/coordinator/writer/inbox.ts';
import type { Submission, SubmissionInputs } from '../../src/coordinator/port/jobs.ts';
import type { Deliver } from '../../src/coordinator/port/notifications.ts';
import type { ToldEvent } from '../../src/core/told-events.ts';
import { plainOptions } from '../../src/core/testing/job-spec.ts';
import { checkInvariants } from '../../src/core/checks/invariants.ts';
import type { CoreSettings } from '../../src/core/settings.ts';
import type { AlgorithmId } from '../../src/core/snapshot.ts';
import { StoryLog } from '../../src/core/checks/story-log.ts';
import { createMoveChecker } from '../../src/core/checks/task-moves.ts';
import { eventLine } from '../../src/core/testing/event-line.ts';
import type { DeviceDescription, KeptPrograms } from '../../src/protocol/messages.ts';
import type { JobSummary } from '../../src/protocol/resources.ts';
import { createMemoryDisk } from '../../src/store/memory/memory-disk.ts';
import { createMemoryStore } from '../../src/store/memory/memory-store.ts';
import { type Gate, gated } from './gated-store.ts';
import { ScriptedWorker } from './scripted-worker.ts';
import { VirtualRuntime } from './virtual-runtime.ts';

export interface ClusterOptions {
  readonly settings?: Partial<CoreSettings>;
  readonly algorithm?: AlgorithmId;
  /** Commands in one batch. */
  readonly batchLimit?: number;
  readonly inboxMarks?: InboxMarks;
  readonly deliver?: Deliver;
  readonly auditKeeping?: AuditKeeping;
  /** What workers are told of other coordinators. */
  readonly otherCoordinators?: () => readonly string[];
  /** Hears of what failed and was contained; without it, that ends the coordinator after all. */
  readonly onError?: (error: Error) => void;
  /** Hears of every committed event at once. */
  readonly onLine?: (line: string) => void;
}

const routine: ReadonlySet<ToldEvent['type']> = new Set([
  'worker_heard',
  'worker_observed',
  'retention_due',
  'retention_planned',
]);

export class VirtualCluster {
  readonly runtime = new VirtualRuntime();
  readonly disk = createMemoryDisk();
  readonly log = new StoryLog();
  /** Committed events as lines, the oldest first; without signs of life, and looks for old jobs. */
  lines: string[] = [];
  /** Workers that said hello while another connection spoke for them. */
  readonly takeovers: string[] = [];
  gate!: Gate;
  coordinator!: RunningCoordinator;
  private readonly options: ClusterOptions;

  private constructor(options: ClusterOptions) {
    this.options = options;
  }

  static async start(options: ClusterOptions = {}): Promise<VirtualCluster> {
    const cluster = new VirtualCluster(options);
    await cluster.boot();
    return cluster;
  }

  /** A new coordinator on the disk that is there. */
  async boot(): Promise<void> {
    this.gate = gated(createMemoryStore(this.disk));
    const watchMoves = createMoveChecker();
    const {
      settings = {},
      algorithm,
      batchLimit,
      inboxMarks,
      deliver,
      auditKeeping,
      otherCoordinators,
    } = this.options;
    const starting = createCoordinator({
      store: this.gate.store,
      runtime: this.runtime,
      settings,
      ...(algorithm === undefined ? {} : { algorithm }),
      ...(batchLimit === undefined ? {} : { batchLimit }),
      ...(inboxMarks === undefined ? {} : { inboxMarks }),
      ...(deliver === undefined ? {} : { deliver }),
      ...(auditKeeping === undefined ? {} : { auditKeeping }),
      ...(otherCoordinators === undefined ? {} : { otherCoordinators }),
      onTakeover: (workerId) => this.takeovers.push(workerId),
      onEvents: (events) => this.note(events),
      onError: (error) => {
        if (this.options.onError === undefined) throw error;
        this.options.onError(error);
      },
      check: (state) => {
        checkInvariants(state);
        watchMoves(state);
      },
    });
    this.coordinator = await this.answer(starting);
  }

  /** Power off, power on; nothing is written in between. */
  async crash(downMs = 0): Promise<void> {
    this.runtime.kill();
    if (downMs > 0) await this.runtime.advance(downMs);
    await this.boot();
  }

  settle(): Promise<void> {
    return this.runtime.settle();
  }

  advance(ms: number): Promise<void> {
    return this.runtime.advance(ms);
  }

  /** A worker that has registered under the given name. */
  async join(
    name: string,
    device: Partial<DeviceDescription> = {},
    keeps: KeptPrograms | null = null,
  ): Promise<ScriptedWorker> {
    const worker = new ScriptedWorker({ name, ...device });
    worker.keeps = keeps;
    this.runtime.names.push(name);
    worker.connect(this.coordinator);
    await this.settle();
    return worker;
  }

  /** A job that was accepted under the given name. */
  async submit(
    name: string,
    inputs: SubmissionInputs | readonly unknown[] = [1],
    given: Partial<Submission> = {},
  ): Promise<JobSummary> {
    this.runtime.names.push(name);
    const asked = this.coordinator.submissions.submit(submission(given), listed(inputs));
    await this.settle();
    const answer = await asked;
    if (!answer.ok) throw new Error(answer.rejection.detail);
    return answer.value;
  }

  /** Lets the coordinator answer, then takes the answer. */
  async answer<T>(asked: Promise<T>): Promise<T> {
    // A failure is for who awaits the answer, not for the process.
    asked.catch(() => undefined);
    await this.settle();
    return asked;
  }

  /** The lines since the last call. */
  takeLines(): string[] {
    const taken = this.lines;
    this.lines = [];
    return taken;
  }

  durable(): unknown {
    return durableView(this.coordinator.state);
  }

  private note(events: readonly ToldEvent[]): void {
    this.log.feed(events);
    for (const event of events) {
      if (routine.has(event.type)) continue;
      const line = eventLine(event);
      this.lines.push(line);
      this.options.onLine?.(line);
    }
  }
}

export function submission(given: Partial<Submission> = {}): Submission {
  const program = { kind: 'javascript', source: 'export default (x) => x' } as const;
  return { ...plainOptions, program, ...given };
}

function listed(inputs: SubmissionInputs | readonly unknown[]): SubmissionInputs {
  if ('type' in inputs) return inputs;
  return { type: 'list', inputs: inputs.map((input) => JSON.stringify(input)) };
}
