// A client in the simulation: it submits (at once or as a stream), cancels, retries, deletes, and
// remembers what was acknowledged. A request without an answer, because the coordinator died first,
// may or may not have taken effect; both are right.

import type { RunningCoordinator } from '../../coordinator/coordinator.ts';
import type { JobSummary } from '../../protocol/resources.ts';
import type { Idempotency, StreamedSubmission, Submission } from '../../coordinator/port/jobs.ts';
import { adminOwner } from '../../core/owner.ts';
import type { Result } from '../../coordinator/port/rejection.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { BrokenPromise } from '../broken-promise.ts';
import { findFolder } from '../checkers/disk-view.ts';
import { isDiskFault } from '../disk-fault.ts';
import type { Owners } from '../owners.ts';
import type { Prng } from '../prng.ts';
import { drawJob, drawLargeJob, drawSmallJob, type Keeping, type PlannedJob } from '../workload.ts';

export interface AcknowledgedJob {
  readonly id: string;
  readonly plan: PlannedJob;
  /** Number of its submission: a repeat is answered with this job while the job exists. */
  readonly number: number;
  readonly taskCount: number;
  isCancelled: boolean;
  /** `asked`: its deletion was requested; `gone`: that was acknowledged, or its time was over. */
  fate: 'kept' | 'asked' | 'gone';
}

export interface ClientOptions {
  readonly prng: Prng;
  readonly disk: MemoryDisk;
  readonly keeping: Keeping;
  readonly owners: Owners;
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
  readonly number: number;
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
  private numbers = 0;
  /** Clears that were asked for. */
  private clears = 0;
  private readonly large = new Set<number>();
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
    const { jobs } = this.options.owners.portsOf(coordinator, job.number);
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
        return this.change(jobs.cancel(id), () => {
          job.isCancelled = true;
          log(`client: cancelled ${id}`);
        });
      case 'hold':
        return this.change(jobs.hold(id), () => log(`client: held ${id}`));
      case 'release':
        return this.change(jobs.release(id), () => log(`client: released ${id}`));
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
    const { jobs } = this.options.owners.portsOf(coordinator, job.number);
    this.askedRetry.add(id);
    this.change(jobs.retry(id), () => {
      job.isCancelled = false;
      this.options.log(`client: retried ${id}`);
    });
  }

  /** Clears the database: every job that exists may be gone. */
  clear(coordinator: RunningCoordinator): void {
    const there = [...this.jobs];
    this.clears++;
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
    this.large.add(drawn.number);
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
      if (!this.large.has(job.number) || job.fate === 'gone') continue;
      const { ok } = await coordinator.jobs.cancel(job.id);
      job.isCancelled ||= ok;
    }
  }

  /** How often the database was about to be cleared. */
  get clearsAsked(): number {
    return this.clears;
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
    const { jobs } = this.options.owners.portsOf(coordinator, job.number);
    const { clears } = this;
    job.fate = 'asked';
    this.change(
      jobs.delete(job.id),
      () => {
        job.fate = 'gone';
        this.options.log(`client: deleted ${job.id}`);
      },
      () => {
        // Whose it is may be looked up after a clear has taken it.
        if (this.clears === clears) job.fate = 'kept';
      },
    );
  }

  /** Repeats a submission: the answer must be the same job, unless that may be gone. */
  private repeat(coordinator: RunningCoordinator, { plan, number }: AcknowledgedJob): void {
    this.send(coordinator, { plan, number, mayBeGone: false });
  }

  private submit(coordinator: RunningCoordinator): void {
    const { prng } = this.options;
    const again = this.pending.size > 0 && prng.chance(0.5);
    this.send(coordinator, again ? prng.pick([...this.pending]) : this.draw());
  }

  private send(coordinator: RunningCoordinator, pending: Pending): void {
    const { disk, log, owners } = this.options;
    const { plan, number } = pending;
    this.pending.add(pending);
    this.hand(coordinator, pending).then(
      (result) => {
        if (!result.ok) return this.refused(result.rejection.code, number);
        this.pending.delete(pending);
        const { id, task_count: taskCount, owner = adminOwner } = result.value;
        if (owner !== owners.submitter(number).owner) {
          this.options.onBug(
            new BrokenPromise(`Submission ${number} is answered with a job of ${owner}.`),
          );
        }
        if (this.jobs.some((job) => job.id === id)) return;
        const twin = this.jobs.find((job) => job.number === number && job.fate === 'kept');
        if (twin !== undefined) {
          const what = `Job ${id} was made by the key of ${twin.id}, which is there.`;
          this.options.onBug(new BrokenPromise(what));
        }
        const asked = pending.mayBeGone ? 'asked' : 'kept';
        const fate = this.expired.has(id) ? 'gone' : asked;
        this.jobs.push({ id, plan, number, taskCount, isCancelled: false, fate });
        log(`client: submitted ${id}`);
        if (fate === 'kept' && findFolder(disk, id) === undefined) {
          const what = `Job ${id} is acknowledged and not on the disk.`;
          this.options.onBug(new BrokenPromise(what));
        }
      },
      (error: unknown) => this.unanswered(error),
    );
  }

  /** Every submission of an owner has a key of its own. */
  private refused(code: string, number: number): void {
    if (code !== 'idempotency_conflict') return;
    this.options.onBug(new BrokenPromise(`Submission ${number} meets a key of another.`));
  }

  /** The request was not acknowledged, so nothing was promised. */
  private unanswered(error: unknown): void {
    if (error !== secondThoughts && !isDiskFault(error)) this.options.onBug(error as Error);
  }

  private hand(
    coordinator: RunningCoordinator,
    { plan, number }: Pending,
  ): Promise<Result<JobSummary>> {
    const { submission, inputs } = plan;
    const { owners } = this.options;
    const key = owners.sentKey(number);
    const idempotency = { key, bodyHash: `${number}` };
    const { submissions } = owners.portsOf(coordinator, number);
    return inputs.type === 'list' && this.options.prng.chance(streamedShare)
      ? this.stream(coordinator, submissions.stream(submission), inputs.inputs, idempotency)
      : submissions.submit(submission, inputs, idempotency);
  }

  /** Sends the inputs in pieces, with pauses between them. */
  private async stream(
    coordinator: RunningCoordinator,
    stream: StreamedSubmission,
    inputs: readonly string[],
    idempotency: Idempotency,
  ): Promise<Result<JobSummary>> {
    const { prng, pause, onStreamed } = this.options;
    this.streamedTo.push(coordinator);
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
    return { plan: { ...plan, submission }, number: this.numbers++, mayBeGone: false };
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
