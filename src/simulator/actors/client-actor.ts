// A client in the simulation: it submits (at once or as a stream), cancels, retries, deletes, and
// remembers what was acknowledged. A request without an answer, because the coordinator died first,
// may or may not have taken effect; both are right.

import type { RunningCoordinator } from '../../coordinator/coordinator.ts';
import type { JobSummary } from '../../protocol/resources.ts';
import type { Idempotency, Submission } from '../../coordinator/port/jobs.ts';
import type { Result } from '../../coordinator/port/rejection.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { BrokenPromise } from '../broken-promise.ts';
import { findFolder } from '../checkers/disk-view.ts';
import { isDiskFault } from '../disk-fault.ts';
import type { Prng } from '../prng.ts';
import { drawJob, drawLargeJob, drawSmallJob, type Keeping, type PlannedJob } from '../workload.ts';

export interface AcknowledgedJob {
  readonly id: string;
  readonly plan: PlannedJob;
  /** Idempotency key of its submission: a repeat is answered with this job while the job exists. */
  readonly key: string;
  readonly taskCount: number;
  isCancelled: boolean;
  /** `asked`: its deletion was requested; `gone`: that was acknowledged, or its time was over. */
  fate: 'kept' | 'asked' | 'gone';
}

export interface ClientOptions {
  readonly prng: Prng;
  readonly disk: MemoryDisk;
  readonly keeping: Keeping;
  /** Resolves after the time, when the coordinator reads messages; never when it has died. */
  readonly pause: (ms: number) => Promise<void>;
  /** A submission as it is sent. */
  readonly named: (submission: Submission) => Submission;
  readonly onStreamed: () => void;
  readonly onBug: (error: Error) => void;
  readonly log: (line: string) => void;
}

interface Pending {
  readonly plan: PlannedJob;
  readonly key: string;
  mayBeGone: boolean;
}

/** Share of submissions that come as a stream, and of streams that are given up before their end. */
const streamedShare = 0.25;
const abortedShare = 0.2;
const secondThoughts = new Error('The client has thought better of it.');

export class ClientActor {
  readonly jobs: AcknowledgedJob[] = [];
  /** Jobs whose retry was asked for, acknowledged or not. */
  readonly askedRetry = new Set<string>();
  /** Jobs that were removed because their time was over, known here or not. */
  private readonly expired = new Set<string>();
  private readonly options: ClientOptions;
  /** Submissions without an answer: sent again with the same key, they are the same job. */
  private readonly pending = new Set<Pending>();
  private keys = 0;
  private readonly large = new Set<string>();
  /** Coordinators that are being sent a stream, once for each stream. */
  private readonly streamedTo: RunningCoordinator[] = [];

  constructor(options: ClientOptions) {
    this.options = options;
  }

  /** Does one thing at a coordinator that is up. */
  act(coordinator: RunningCoordinator): void {
    const { prng, log } = this.options;
    const kept = this.jobs.filter(({ fate }) => fate === 'kept');
    const job = kept.length > 0 ? prng.pick(kept) : undefined;
    if (job === undefined || prng.chance(0.6)) return this.submit(coordinator);
    const { id } = job;
    switch (
      prng.pick([
        'cancel',
        'retry',
        'retry',
        'delete',
        'repeat',
        'hold',
        'hold',
        'release',
      ] as const)
    ) {
      case 'cancel':
        return this.change(coordinator.jobs.cancel(id), () => {
          job.isCancelled = true;
          log(`client: cancelled ${id}`);
        });
      case 'hold':
        return this.change(coordinator.jobs.hold(id), () => log(`client: held ${id}`));
      case 'release':
        return this.change(coordinator.jobs.release(id), () => log(`client: released ${id}`));
      case 'retry':
        return this.retry(coordinator, job);
      case 'delete':
        this.delete(coordinator, job);
        // Requests at the same moment: a repeat of this submission, a submission of another job.
        if (prng.chance(0.3)) this.repeat(coordinator, job);
        if (prng.chance(0.3)) this.submit(coordinator);
        return;
      case 'repeat':
        return this.repeat(coordinator, job);
    }
  }

  retry(coordinator: RunningCoordinator, job: AcknowledgedJob): void {
    const { id } = job;
    this.askedRetry.add(id);
    this.change(coordinator.jobs.retry(id), () => {
      job.isCancelled = false;
      this.options.log(`client: retried ${id}`);
    });
  }

  /** Clears the database: every job that exists may be gone. */
  clear(coordinator: RunningCoordinator): void {
    const there = [...this.jobs];
    for (const job of there) if (job.fate === 'kept') job.fate = 'asked';
    for (const each of this.pending) each.mayBeGone = true;
    this.change(coordinator.clear(), () => {
      for (const job of there) job.fate = 'gone';
      this.options.log('client: cleared the database');
    });
    const { prng } = this.options;
    for (const job of there) if (prng.chance(0.2)) this.repeat(coordinator, job);
    // A job that is submitted after the clear stays.
    if (prng.chance(0.5)) this.send(coordinator, this.draw());
  }

  /** Submits many jobs at once, more than fit into one batch. */
  crowd(coordinator: RunningCoordinator, count: number): void {
    const { prng } = this.options;
    const kept = this.jobs.filter(({ fate }) => fate === 'kept');
    for (let i = 0; i < count; i++) {
      if (kept.length > 0 && prng.chance(0.8)) this.repeat(coordinator, prng.pick(kept));
      else this.send(coordinator, this.draw(drawSmallJob(prng, this.options.keeping)));
    }
  }

  /** A job that is too large to be computed here: it is cancelled before its end. */
  submitLarge(coordinator: RunningCoordinator): void {
    const drawn = this.draw(drawLargeJob(this.options.prng, this.options.keeping));
    this.large.add(drawn.key);
    this.send(coordinator, drawn);
  }

  /** Releases every job that is held. */
  release({ state, jobs }: RunningCoordinator): void {
    for (const { spec, heldAt } of state.jobs.values()) {
      if (heldAt !== null) this.change(jobs.release(spec.id), () => undefined);
    }
  }

  /** Cancels the large jobs that are still open. */
  async giveUpLarge(coordinator: RunningCoordinator): Promise<void> {
    for (const job of this.jobs) {
      if (!this.large.has(job.key) || job.fate === 'gone') continue;
      const { ok } = await coordinator.jobs.cancel(job.id);
      job.isCancelled ||= ok;
    }
  }

  isStreamingTo(coordinator: RunningCoordinator): boolean {
    return this.streamedTo.includes(coordinator);
  }

  mayBeGone(jobId: string): boolean {
    return this.jobs.some(({ id, fate }) => id === jobId && fate !== 'kept');
  }

  /** Its time was over, and it was removed. */
  expire(jobId: string): void {
    this.expired.add(jobId);
    for (const job of this.jobs) if (job.id === jobId) job.fate = 'gone';
  }

  private delete(coordinator: RunningCoordinator, job: AcknowledgedJob): void {
    job.fate = 'asked';
    this.change(
      coordinator.jobs.delete(job.id),
      () => {
        job.fate = 'gone';
        this.options.log(`client: deleted ${job.id}`);
      },
      () => {
        job.fate = 'kept';
      },
    );
  }

  /** Repeats a submission: the answer must be the same job, unless that may be gone. */
  private repeat(coordinator: RunningCoordinator, { plan, key }: AcknowledgedJob): void {
    this.send(coordinator, { plan, key, mayBeGone: false });
  }

  private submit(coordinator: RunningCoordinator): void {
    const { prng } = this.options;
    const again = this.pending.size > 0 && prng.chance(0.5);
    this.send(coordinator, again ? prng.pick([...this.pending]) : this.draw());
  }

  private send(coordinator: RunningCoordinator, pending: Pending): void {
    const { disk, log } = this.options;
    const { plan, key } = pending;
    this.pending.add(pending);
    this.hand(coordinator, plan, { key, bodyHash: key }).then(
      (result) => {
        if (!result.ok) return;
        this.pending.delete(pending);
        const { id, task_count: taskCount } = result.value;
        if (this.jobs.some((job) => job.id === id)) return;
        const twin = this.jobs.find((job) => job.key === key && job.fate === 'kept');
        if (twin !== undefined) {
          const what = `Job ${id} was made by the key of ${twin.id}, which is there.`;
          this.options.onBug(new BrokenPromise(what));
        }
        const asked = pending.mayBeGone ? 'asked' : 'kept';
        const fate = this.expired.has(id) ? 'gone' : asked;
        this.jobs.push({ id, plan, key, taskCount, isCancelled: false, fate });
        log(`client: submitted ${id}`);
        if (fate === 'kept' && findFolder(disk, id) === undefined) {
          const what = `Job ${id} is acknowledged and not on the disk.`;
          this.options.onBug(new BrokenPromise(what));
        }
      },
      (error: unknown) => this.unanswered(error),
    );
  }

  /** The request was not acknowledged, so nothing was promised. */
  private unanswered(error: unknown): void {
    if (error !== secondThoughts && !isDiskFault(error)) this.options.onBug(error as Error);
  }

  private hand(
    coordinator: RunningCoordinator,
    plan: PlannedJob,
    idempotency: Idempotency,
  ): Promise<Result<JobSummary>> {
    const { submission, inputs } = plan;
    return inputs.type === 'list' && this.options.prng.chance(streamedShare)
      ? this.stream(coordinator, plan, inputs.inputs, idempotency)
      : coordinator.submissions.submit(submission, inputs, idempotency);
  }

  /** Sends the inputs in pieces, with pauses between them. */
  private async stream(
    coordinator: RunningCoordinator,
    { submission }: PlannedJob,
    inputs: readonly string[],
    idempotency: Idempotency,
  ): Promise<Result<JobSummary>> {
    const { prng, pause, onStreamed } = this.options;
    this.streamedTo.push(coordinator);
    const stream = coordinator.submissions.stream(submission);
    let isThere = false;
    try {
      for (let sent = 0; sent < inputs.length; ) {
        await pause(prng.spread(0.1, 3000));
        const end = sent + prng.integer(1, inputs.length - sent);
        await stream.append(inputs.slice(sent, end));
        sent = end;
      }
      onStreamed();
      if (prng.chance(abortedShare)) throw secondThoughts;
      const result = await stream.finish(idempotency);
      isThere = true;
      return result;
    } finally {
      this.streamedTo.splice(this.streamedTo.indexOf(coordinator), 1);
      if (!isThere) await stream.abort();
    }
  }

  private draw(plan: PlannedJob = drawJob(this.options.prng, this.options.keeping)): Pending {
    const submission = this.options.named(plan.submission);
    return { plan: { ...plan, submission }, key: `key ${this.keys++}`, mayBeGone: false };
  }

  private change(
    answer: Promise<{ readonly ok: boolean }>,
    accepted: () => void,
    refused: () => void = () => undefined,
  ): void {
    answer.then(
      (result) => {
        if (result.ok) accepted();
        else refused();
      },
      (error: unknown) => this.unanswered(error),
    );
  }
}
