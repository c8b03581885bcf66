// The checkers of what must always hold. Each looks at committed events, at memory, at the disk or
// at messages that leave. The first broken promise ends the simulation with its seed and the story
// of the task.

import type { ToldEvent } from '../../core/told-events.ts';
import type { RunningCoordinator } from '../../coordinator/coordinator.ts';
import { checkInvariants } from '../../core/checks/invariants.ts';
import type { State } from '../../core/state.ts';
import { StoryLog } from '../../core/checks/story-log.ts';
import { parseTaskId, taskId } from '../../core/task-key.ts';
import { createMoveChecker } from '../../core/checks/task-moves.ts';
import type { SentMessage } from '../../coordinator/workers/sessions.ts';
import type { AcceptedReport, HelloMessage } from '../../protocol/messages.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import type { WriteBatch } from '../../store/rows.ts';
import { AdmissionChecker } from './admission-checker.ts';
import { AttemptChecker } from './attempt-checker.ts';
import { BrokenPromise } from '../broken-promise.ts';
import { CheckpointChecker, type GivenAttempt } from './checkpoint-checker.ts';
import type { AcknowledgedJob, ClientActor } from '../actors/client-actor.ts';
import { Coverage } from '../coverage.ts';
import { DiskChecker } from './disk-checker.ts';
import { DrainChecker } from './drain-checker.ts';
import { GiveBackChecker } from './give-back-checker.ts';
import { HoldChecker } from './hold-checker.ts';
import { MemoryChecker } from './memory-checker.ts';
import { NotificationChecker } from './notification-checker.ts';
import { QuarantineChecker } from './quarantine-checker.ts';
import { QuotaChecker } from './quota-checker.ts';
import { RefusalChecker } from './refusal-checker.ts';
import { RestChecker } from './rest-checker.ts';
import { RetentionChecker } from './retention-checker.ts';
import { TaskChecker } from './task-checker.ts';
import type { Receivers } from '../receivers.ts';
import { times } from '../times.ts';
import { TotalsChecker } from './totals-checker.ts';
import { WorkerChecker } from './worker-checker.ts';
import { inputAt, type Keeping, resultOf } from '../workload.ts';

export interface CheckerOptions {
  /** The virtual time. */
  readonly now: () => number;
  /** Error of the coordinator's clock. */
  readonly skewMs: () => number;
  readonly disk: MemoryDisk;
  readonly client: ClientActor;
  readonly keeping: Keeping;
  readonly receivers: Receivers;
}

export class Checkers {
  readonly workers: WorkerChecker;
  readonly admissions: AdmissionChecker;
  readonly retention: RetentionChecker;
  readonly drains: DrainChecker;
  readonly notifications: NotificationChecker;
  readonly rests = new RestChecker();
  readonly givenBack: GiveBackChecker;
  readonly coverage = new Coverage();
  private readonly disk: DiskChecker;
  private readonly memory: MemoryChecker;
  private readonly attempts: AttemptChecker;
  private readonly checkpoints: CheckpointChecker;
  private readonly quarantines: QuarantineChecker;
  private readonly quotas: QuotaChecker;
  private readonly refusals = new RefusalChecker(times);
  private readonly holds: HoldChecker;
  private readonly tasks: TaskChecker;
  private readonly totals: TotalsChecker;
  private readonly client: ClientActor;
  private readonly stories = new StoryLog();
  private checkMoves = createMoveChecker();

  constructor({ now, skewMs, disk, client, keeping, receivers }: CheckerOptions) {
    this.notifications = new NotificationChecker(disk, receivers);
    this.client = client;
    this.disk = new DiskChecker(disk, (what) => this.coverage.count(what));
    this.admissions = new AdmissionChecker(disk, () => this.coverage.count('registered_again'));
    this.memory = new MemoryChecker(disk);
    this.quotas = new QuotaChecker(disk);
    this.totals = new TotalsChecker(disk);
    this.attempts = new AttemptChecker({ now, disk });
    this.givenBack = new GiveBackChecker(this.attempts);
    this.checkpoints = new CheckpointChecker(disk, this.attempts);
    this.quarantines = new QuarantineChecker({
      now: () => now() + skewMs(),
      disk,
      attempts: this.attempts,
      ...times,
    });
    this.drains = new DrainChecker({
      now,
      skewMs,
      disk,
      onHandedOver: () => this.coverage.count('handed_over'),
      onEnded: () => this.coverage.count('drains_ended'),
    });
    this.holds = new HoldChecker(disk);
    const stampNow = () => now() + skewMs();
    this.retention = new RetentionChecker({ now: stampNow, disk, client, keeping });
    this.workers = new WorkerChecker({ now, skewMs, keepAwayMs: keeping.keepAwayMs, ...times });
    this.tasks = new TaskChecker({
      disk: () => disk,
      askedRetry: client.askedRetry,
      broken: (id, what) => this.broken(id, what),
    });
  }

  /** After every command. */
  check(state: State): void {
    checkInvariants(state);
    this.checkMoves(state);
    this.look(state);
    this.attempts.checkOrders(state);
    this.rests.check(state);
  }

  /** Whenever time has passed: silence and deadlines are seen even when nothing happens. */
  look(state: State): void {
    this.workers.check(state);
    this.drains.check(state);
    this.admissions.check(state);
  }

  /** The coordinator stands still until then. */
  excuse(until: number): void {
    this.workers.excuse(until);
    this.drains.excuse(until);
  }

  /** A coordinator has started: its memory is new, and so is what it is compared with. */
  beginLife(): void {
    this.checkMoves = createMoveChecker();
    this.disk.resume();
    this.tasks.resume();
    this.attempts.resume();
    this.workers.beginLife(this.attempts.holders());
    this.checkpoints.resume();
    this.quarantines.resume();
    this.drains.resume();
    this.holds.resume();
    this.rests.resume();
    this.givenBack.resume();
    this.refusals.resume();
    this.totals.resume();
    this.retention.resume();
  }

  /** Called with committed events, in order. */
  observe(events: readonly ToldEvent[]): void {
    this.stories.feed(events);
    for (const event of events) {
      this.coverage.observe(event);
      if (event.type === 'task_completed' && this.tasks.isLate(event)) {
        this.coverage.count('late_results');
      }
      this.tasks.observe(event);
      this.checkpoints.observe(event);
      this.quarantines.observe(event);
      this.drains.observe(event);
      this.admissions.observe(event);
      this.holds.observe(event);
      this.rests.observe(event);
      this.refusals.observe(event);
      this.givenBack.observe(event);
      this.attempts.observe(event);
      this.workers.observe(event);
      this.retention.observe(event);
    }
    this.attempts.compare();
    this.totals.observe(events);
    this.drains.compare();
  }

  /** Called when a batch was written. */
  written(batch: WriteBatch): void {
    this.coverage.written(batch);
    this.disk.written(batch);
    this.admissions.written(batch);
    this.retention.written(batch);
    this.totals.compareWithBefore();
    this.notifications.written(batch);
    this.checkpoints.written(batch);
  }

  /** Called when the store refused to read. */
  unreadable(what: 'payload' | 'row'): void {
    this.coverage.count(what === 'payload' ? 'unreadable' : 'refused_reads');
    if (what === 'row') this.workers.refused();
  }

  /** A batch is over: memory must hold what it would hold after a start. */
  settled({ state }: RunningCoordinator): void {
    this.disk.settled();
    this.memory.check(state);
    this.quotas.check(state);
  }

  /**
   * After healing: readers, followers and connections that have gone must have left nothing in
   * memory.
   */
  judgeHeld(coordinator: RunningCoordinator, jobsInReading: readonly string[]): void {
    this.memory.judge(coordinator, jobsInReading);
    this.quotas.judge();
  }

  /** A `hello` has arrived on the connection, and is about to be read. */
  greeted(connectionId: number, message: HelloMessage): void {
    this.workers.hello(connectionId, message);
    this.givenBack.greeted(message);
  }

  /** Called when a frame leaves for a worker, or for the host at which it is. */
  frame(messages: readonly SentMessage[], shown: string | null): void {
    this.disk.frame(messages);
    this.attempts.frame(messages);
    for (const message of messages) {
      if (message.type === 'ack') this.checkpoints.acknowledged(message.accepted);
      if (message.type === 'assign') this.begins(message.assignments);
      if (message.type === 'welcome') this.admissions.registered(message, shown);
    }
  }

  /** Called when a frame leaves a host that was shut out. */
  frameOfBefore(messages: readonly SentMessage[]): void {
    this.disk.frameOfBefore(messages);
  }

  /** Called when an answer leaves for a worker that reported over plain HTTP. */
  acknowledged(accepted: readonly AcceptedReport[]): void {
    this.disk.accepted(accepted);
    this.checkpoints.acknowledged(accepted);
  }

  /** Called when an answer leaves for a worker that claimed. */
  claimed(assignments: readonly GivenAttempt[]): void {
    this.disk.assigned(assignments);
    this.begins(assignments);
  }

  /** After healing: every acknowledged job must exist, be final, and have the right results. */
  async judge(coordinator: RunningCoordinator): Promise<void> {
    for (const job of this.client.jobs) await this.judgeJob(coordinator, job);
  }

  /** Adds the story of the task to a failure that is about one. */
  tellStory(error: Error): Error {
    const id = /\b(?:task |of |hold |^)(id\d+\.\d+)\b/i.exec(error.message)?.[1];
    const story = id === undefined ? '' : this.story(id);
    if (!error.message.includes(story)) error.message += `\nWhat was seen of ${id}:\n${story}`;
    return error;
  }

  /** Attempts leave for a worker, with what they need. */
  begins(assignments: readonly GivenAttempt[]): void {
    this.checkpoints.begins(assignments);
    for (const { checkpoint } of assignments) {
      if (checkpoint !== undefined) this.coverage.count('resumed');
    }
  }

  private async judgeJob(coordinator: RunningCoordinator, job: AcknowledgedJob): Promise<void> {
    const { id, plan, isCancelled, fate } = job;
    const head = await coordinator.reads.findJob(id);
    if (head === undefined) {
      if (fate === 'kept') throw new BrokenPromise(`Acknowledged job ${id} is gone.`);
      return;
    }
    if (fate === 'gone') throw new BrokenPromise(`Job ${id} was removed and is there.`);
    if (head.completed_at === null) {
      throw new BrokenPromise(
        `Job ${id} is ${head.status} after healing: ${JSON.stringify(head.counts)}\n${this.openStories(job)}`,
      );
    }
    if (isCancelled && head.status !== 'cancelled') {
      throw new BrokenPromise(`Job ${id} was cancelled and is ${head.status}.`);
    }
    await this.judgeResults(coordinator, id, plan.inputs);
  }

  private async judgeResults(
    coordinator: RunningCoordinator,
    id: string,
    inputs: Parameters<typeof inputAt>[0],
  ): Promise<void> {
    const results = await coordinator.reads.findResults(id, { follow: false });
    let next = 0;
    for await (const chunk of results!) {
      for (const text of chunk) {
        const result = JSON.parse(text) as { index: number; status: string; value?: unknown };
        const task = taskId(id, result.index);
        if (result.index !== next++) throw new BrokenPromise(`Results of ${id} skip ${next - 1}.`);
        const final = this.tasks.finalOf(task);
        if (final !== null && final !== result.status) {
          this.broken(task, `it was ${final} and reads ${result.status}`);
        }
        if (result.status !== 'completed') continue;
        const right = resultOf(inputAt(inputs, result.index));
        if (JSON.stringify(result.value) !== right) {
          this.broken(task, `its result is ${JSON.stringify(result.value)}, right is ${right}`);
        }
      }
    }
  }

  private story(id: string): string {
    const parsed = parseTaskId(id);
    const lines = parsed === undefined ? [] : this.stories.lines(parsed.jobId, parsed.index);
    return lines.length > 0 ? lines.join('\n') : 'nothing was seen of it';
  }

  private openStories({ id, taskCount }: AcknowledgedJob): string {
    return Array.from({ length: taskCount }, (_, index) => taskId(id, index))
      .filter((each) => this.tasks.finalOf(each) === null)
      .slice(0, 3)
      .map((each) => `story of ${each}:\n${this.story(each)}`)
      .join('\n');
  }

  private broken(id: string, what: string): never {
    throw new BrokenPromise(`Task ${id}: ${what}.\n${this.story(id)}`);
  }
}
