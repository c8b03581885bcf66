// What must hold whatever happens. Each checker looks at committed events or at memory; the first
// broken promise ends the simulation with its seed and the story of the task.

import type { RunningCoordinator } from '../coordinator/coordinator.ts';
import type { Event } from '../core/events.ts';
import { checkInvariants } from '../core/invariants.ts';
import type { TaskRecord } from '../core/records.ts';
import type { State } from '../core/state.ts';
import { StoryLog } from '../core/story-log.ts';
import { parseTaskId, taskId } from '../core/task-key.ts';
import { createMoveChecker } from '../core/task-moves.ts';
import type { MemoryDisk } from '../store/memory/memory-disk.ts';
import type { ClientActor } from './client-actor.ts';
import { inputAt, resultOf } from './workload.ts';

interface TaskHistory {
  newestAttempt: number;
  final: 'completed' | 'failed' | null;
}

export class Checkers {
  private readonly tasks = new Map<string, TaskHistory>();
  private readonly stories = new StoryLog();
  private checkMoves = createMoveChecker();

  /** After every command. */
  check(state: State): void {
    checkInvariants(state);
    this.checkMoves(state);
  }

  /** Memory begins anew with each life of the coordinator, and so does what it may be compared with. */
  beginLife(): void {
    this.checkMoves = createMoveChecker();
  }

  /** Committed events, in order. */
  observe(events: readonly Event[]): void {
    this.stories.feed(events);
    for (const event of events) this.observeOne(event);
  }

  /**
   * After a crash: what was seen committed is on the disk, and what was committed but not seen any
   * more (the coordinator died before it could tell) is taken from there.
   */
  resume(disk: MemoryDisk, client: ClientActor): void {
    for (const { row: job, tasks } of disk.jobs.values()) {
      for (const row of tasks.values()) {
        const id = taskId(job.spec.id, row.index);
        const history = this.history(id);
        if (row.attempt < history.newestAttempt) this.broken(id, 'its newest attempt is gone');
        const final = row.status === 'completed' || row.status === 'failed' ? row.status : null;
        const wasRetried = history.final === 'failed' && client.askedRetry.has(job.spec.id);
        if (history.final !== null && history.final !== final && !wasRetried) {
          this.broken(id, `it was ${history.final} and is stored as ${row.status}`);
        }
        history.newestAttempt = row.attempt;
        history.final = final;
      }
    }
  }

  private observeOne(event: Event): void {
    switch (event.type) {
      case 'task_assigned': {
        const id = taskId(event.job.spec.id, event.index);
        const history = this.history(id);
        if (history.final !== null) this.broken(id, `assigned although ${history.final}`);
        if (event.attempt < history.newestAttempt) this.broken(id, 'its attempt number fell');
        history.newestAttempt = event.attempt;
        return;
      }
      case 'task_completed':
        return this.finalise(event.task, 'completed');
      case 'task_failed':
        return this.finalise(event.task, 'failed');
      case 'job_retried':
        // The one way out of a final state.
        for (const [id, history] of this.tasks) {
          const isOfJob = id.startsWith(`${event.job.spec.id}.`);
          if (isOfJob && history.final === 'failed') history.final = null;
        }
        return;
      default:
        return;
    }
  }

  private finalise(task: TaskRecord, final: 'completed' | 'failed'): void {
    const id = taskId(task.job.spec.id, task.index);
    const history = this.history(id);
    if (history.final !== null) this.broken(id, `${final} although it was ${history.final}`);
    history.final = final;
  }

  /** After healing: every acknowledged job is there, final, and right. */
  async judge(coordinator: RunningCoordinator, client: ClientActor): Promise<void> {
    for (const { id, plan, isCancelled } of client.jobs) {
      const job = await coordinator.findJob(id);
      if (job === undefined) throw new BrokenPromise(`Acknowledged job ${id} is gone.`);
      if (job.completed_at === null) {
        throw new BrokenPromise(
          `Job ${id} is ${job.status} after healing: ${JSON.stringify(job.counts)}\n${this.openStories(id)}`,
        );
      }
      if (isCancelled && job.status !== 'cancelled') {
        throw new BrokenPromise(`Job ${id} was cancelled and is ${job.status}.`);
      }
      await this.judgeResults(coordinator, id, plan.inputs);
    }
  }

  private async judgeResults(
    coordinator: RunningCoordinator,
    id: string,
    inputs: Parameters<typeof inputAt>[0],
  ): Promise<void> {
    const results = await coordinator.findResults(id, { follow: false });
    let next = 0;
    for await (const chunk of results!) {
      for (const text of chunk) {
        const result = JSON.parse(text) as { index: number; status: string; value?: unknown };
        const task = taskId(id, result.index);
        if (result.index !== next++) throw new BrokenPromise(`Results of ${id} skip ${next - 1}.`);
        const history = this.tasks.get(task)?.final ?? null;
        if (history !== null && history !== result.status) {
          this.broken(task, `it was ${history} and reads ${result.status}`);
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

  private openStories(jobId: string): string {
    return [...this.tasks]
      .filter(([id, history]) => id.startsWith(`${jobId}.`) && history.final === null)
      .slice(0, 3)
      .map(([id]) => `story of ${id}:\n${this.story(id)}`)
      .join('\n');
  }

  private history(id: string): TaskHistory {
    let history = this.tasks.get(id);
    if (history === undefined) {
      history = { newestAttempt: 0, final: null };
      this.tasks.set(id, history);
    }
    return history;
  }

  private broken(id: string, what: string): never {
    throw new BrokenPromise(`Task ${id}: ${what}.\n${this.story(id)}`);
  }
}

export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';
}
