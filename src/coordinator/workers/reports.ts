// Reports of workers over either transport: each entry becomes a command of its own, and one bad entry
// does not spoil the others.

import type { NamedAttempt, Command } from '../../core/commands.ts';
import { adminOwner } from '../../core/owner.ts';
import type { AttemptRecord, JobRecord } from '../../core/records.ts';
import { findLive, type State } from '../../core/state.ts';
import { payloadText } from '../../protocol/codec.ts';
import type { Limits } from '../../protocol/limits.ts';
import type {
  AcceptedReport,
  AttemptRef,
  CheckpointReport,
  OutputReport,
  RejectedReport,
  ReportKind,
  ResultReport,
  WorkerMessage,
} from '../../protocol/messages.ts';
import { payloadReferenceOf } from '../../protocol/blob-reference.ts';
import type { DiskRoom } from '../port/disk-room.ts';
import type { Rejection } from '../port/rejection.ts';
import { checkpointCommand } from './resume-points.ts';
import { wattsOf } from './energy.ts';
import type { Tokens } from '../access/tokens.ts';
import type { LiveOutput } from './live-output.ts';
import { namedAttempt } from './named-attempts.ts';
import { type Traced, traceOf } from './traces.ts';
import { sightOf, wantTask, type Wanted } from '../writer/wanted.ts';
import { workerOwner } from './worker-owner.ts';
import type { Batch } from '../writer/batch.ts';

export interface ReportOptions {
  readonly state: State;
  readonly chance: () => number;
  readonly hash: (text: string) => string;
  readonly limits: Limits;
  readonly disk: DiskRoom;
  readonly liveOutput: LiveOutput;
  readonly tokens: Pick<Tokens, 'areNeeded'>;
  /** Tells what an attempt printed to whoever listens. */
  readonly tellOutput: TellOutput;
}

export type TellOutput = (
  attempt: AttemptRecord,
  text: string,
  leftOut: number,
  at: number,
) => void;

export type ReportMessage = Exclude<WorkerMessage, { type: 'hello' | 'heartbeat' | 'bye' }>;

const notHeld: Rejection = { code: 'stale_attempt', detail: 'The attempt does not run any more.' };
/** The attempt goes on. */
const diskFull: Rejection = {
  code: 'disk_full',
  detail: 'The disk of the coordinator is nearly full: the checkpoint before this one stays.',
};
const noBlobs: ReadonlyMap<string, number> = new Map();
const unknownTask: Rejection = { code: 'not_yours', detail: 'No task has this id.' };

/** Reports that nobody needs to know the fate of. */
const volatile: ReadonlySet<ReportKind> = new Set(['started', 'progress', 'output']);

export class Reports {
  readonly accepted: AcceptedReport[] = [];
  readonly rejected: RejectedReport[] = [];
  private readonly options: ReportOptions;
  private readonly workerId: string;
  /** Over plain HTTP everything is answered; on a socket volatile reports are not. */
  private readonly acknowledgesAll: boolean;

  constructor(options: ReportOptions, workerId: string, acknowledgesAll: boolean) {
    this.options = options;
    this.workerId = workerId;
    this.acknowledgesAll = acknowledgesAll;
  }

  take(batch: Batch, message: ReportMessage): void {
    const { workerId } = this;
    const { at } = batch;
    const { chance } = this.options;
    switch (message.type) {
      case 'result': {
        const isSilent = message.results.some((each) => each.energy_joules === undefined);
        const watts = isSilent ? this.watts() : null;
        for (const report of message.results) {
          const resultJson = payloadText(report.value);
          if (!this.keepBlobs(batch, report, blobsOf(report))) continue;
          const size = oversize(resultJson, this.options.limits.resultBytes);
          this.report(batch, 'result', report, (named) =>
            size !== null
              ? this.oversized(named, size, at)
              : {
                  type: 'complete',
                  ...named,
                  workerId,
                  resultJson,
                  runMs: report.run_ms ?? null,
                  cpuSeconds: report.cpu_seconds ?? null,
                  energyJoules: report.energy_joules ?? null,
                  watts: report.energy_joules === undefined ? watts : null,
                  at,
                },
          );
        }
        return;
      }
      case 'failure':
        for (const report of message.failures) {
          this.report(batch, 'failure', report, (named) => ({
            type: 'fail',
            ...named,
            workerId,
            errorType: report.error_type,
            errorMessage: report.error_message,
            retryable: report.retryable ?? true,
            runMs: report.run_ms ?? null,
            chance: chance(),
            at,
          }));
        }
        return;
      case 'started':
        for (const ref of message.started) {
          this.report(batch, 'started', ref, (named) => ({
            type: 'start',
            ...named,
            workerId,
            at,
          }));
        }
        return;
      case 'progress':
        for (const report of message.progress) {
          const { progress } = report;
          this.report(batch, 'progress', report, (named) => ({
            type: 'progress',
            ...named,
            workerId,
            progress,
            message: report.message ?? null,
            at,
          }));
        }
        return;
      case 'output':
        for (const report of message.outputs) this.output(batch, report);
        return;
      case 'refusal':
        return this.release(batch, 'refused', message.refusals);
      case 'release':
        return this.release(batch, 'released', message.releases);
      case 'checkpoint':
        for (const report of message.checkpoints) this.checkpoint(batch, report);
        return;
    }
  }

  private watts(): number | null {
    const worker = this.options.state.workers.get(this.workerId);
    return worker === undefined ? null : wattsOf(worker);
  }

  private checkpoint(batch: Batch, report: CheckpointReport): void {
    const named = namedAttempt(report);
    if (named === undefined) return this.refuse('checkpoint', report, unknownTask);
    const { workerId } = this;
    const { hash, limits, disk } = this.options;
    if (disk.isFull) return this.refuse('checkpoint', report, diskFull);
    const { at } = batch;
    const { state_blob: sha256 } = report;
    const isForeign = sha256 !== undefined && !this.hasPut(batch, named, sha256);
    const blobs = isForeign ? noBlobs : batch.visitors.blobs;
    const command = checkpointCommand(named, report, { workerId, at, hash, limits, blobs });
    if ('code' in command) return this.refuse('checkpoint', report, command);
    this.report(batch, 'checkpoint', report, () => command);
  }

  /** No command: the core decides nothing by it. Only the attempt that holds the task is heard. */
  private output(batch: Batch, report: OutputReport): void {
    const named = namedAttempt(report);
    if (named === undefined) return this.refuse('output', report, unknownTask);
    const { state, liveOutput, tellOutput } = this.options;
    const attempt = findLive(state, named.jobId, named.index, named.token);
    if (attempt?.attempt !== named.attempt || attempt.worker.id !== this.workerId) {
      return this.refuse('output', report, notHeld);
    }
    this.accept('output', report);
    if (!attempt.task.job.spec.liveOutput) return;
    const { at } = batch;
    const told = liveOutput.take(attempt, report, at);
    if (told !== undefined)
      batch.afterCommit(() => tellOutput(attempt, told.text, told.leftOut, at));
  }

  /** Makes the blobs that a result names stay as long as its job; false when one of them is not there. */
  private keepBlobs(batch: Batch, report: AttemptRef, blobs: readonly string[]): boolean {
    if (blobs.length === 0) return true;
    const job = batch.findJob(namedAttempt(report)?.jobId ?? '');
    const isThere = (sha256: string) =>
      batch.visitors.blobs.has(sha256) && this.maySee(batch, job, sha256);
    const missing = blobs.find((sha256) => !isThere(sha256));
    if (missing !== undefined) {
      const detail = `No blob has the hash ${missing}; upload it before the result.`;
      this.refuse('result', report, { code: 'unknown_blob', detail });
      return false;
    }
    if (job === undefined) return true;
    for (const sha256 of blobs) batch.addBlobReference({ jobKey: job.spec.key, sha256 });
    return true;
  }

  /**
   * A program can return any reference. Its owner gets to see only what the worker has put, or what it sees
   * anyway.
   */
  private maySee({ visitors }: Batch, job: JobRecord | undefined, sha256: string): boolean {
    if (job === undefined || job.spec.owner === adminOwner) return true;
    const names = [workerOwner(this.workerId), job.spec.owner];
    return names.some((owner) => visitors.sights.has(sightOf({ sha256, owner })));
  }

  /** Whatever worker goes on from a state may read it: it must be of who saves it. */
  private hasPut(batch: Batch, { jobId }: NamedAttempt, sha256: string): boolean {
    const isAdmins = (batch.findJob(jobId)?.spec.owner ?? adminOwner) === adminOwner;
    if (isAdmins && !this.options.tokens.areNeeded) return true;
    return batch.visitors.sights.has(sightOf({ sha256, owner: workerOwner(this.workerId) }));
  }

  /** The program that held them ends in order, and says so beside its connection. */
  giveBack(batch: Batch, refs: readonly AttemptRef[]): void {
    this.release(batch, 'left', refs);
  }

  private release(
    batch: Batch,
    reason: 'refused' | 'released' | 'left',
    refs: readonly (AttemptRef & { readonly reason?: string })[],
  ): void {
    const { workerId } = this;
    for (const ref of refs) {
      const message = ref.reason === undefined || ref.reason.trim() === '' ? null : ref.reason;
      this.report(batch, reason === 'refused' ? 'refusal' : 'release', ref, (named) => ({
        type: 'release',
        ...named,
        workerId,
        reason,
        message,
        isOwnWish: true,
        chance: this.options.chance(),
        at: batch.at,
      }));
    }
  }

  private report(
    batch: Batch,
    kind: ReportKind,
    ref: AttemptRef & Traced,
    toCommand: (named: NamedAttempt) => Command,
  ): void {
    const named = namedAttempt(ref);
    if (named === undefined) {
      this.refuse(kind, ref, unknownTask);
      return;
    }
    const { rejection } = batch.execute(toCommand(named));
    if (rejection !== undefined) this.refuse(kind, ref, rejection);
    else {
      if (ref.error_stack !== undefined || ref.output !== undefined)
        this.trace(batch, kind, named, ref);
      this.accept(kind, ref);
    }
  }

  private accept(kind: ReportKind, ref: AttemptRef): void {
    if (!this.acknowledgesAll && volatile.has(kind)) return;
    this.accepted.push({ task_id: ref.task_id, attempt: ref.attempt, kind });
  }

  private trace(batch: Batch, kind: ReportKind, named: NamedAttempt, traced: Traced): void {
    const job = batch.findJob(named.jobId);
    if (job === undefined) return;
    const trace = traceOf(job, named, traced, kind === 'failure', this.options.limits);
    if (trace !== null) batch.addTrace(trace);
  }

  private oversized(named: NamedAttempt, size: number, at: number): Command {
    const limit = this.options.limits.resultBytes;
    return {
      type: 'fail',
      ...named,
      workerId: this.workerId,
      errorType: 'result_too_large',
      errorMessage: `The result has ${size} bytes of JSON, more than ${limit} (limit result_bytes).`,
      retryable: false,
      runMs: null,
      chance: 0,
      at,
    };
  }

  private refuse(kind: ReportKind, ref: AttemptRef, { code, detail }: Rejection): void {
    const { task_id, attempt } = ref;
    this.rejected.push({ task_id, attempt, kind, code, detail });
  }
}

/** Names the jobs and tasks that must be in memory before the messages are taken. */
export function wantReported(
  state: State,
  wanted: Wanted,
  messages: readonly WorkerMessage[],
  workerId: string | null,
): void {
  for (const message of messages) {
    if (message.type === 'checkpoint') {
      for (const { state_blob } of message.checkpoints) {
        if (state_blob === undefined) continue;
        wanted.blobs.add(state_blob);
        if (workerId === null) continue;
        wanted.sights.push({ sha256: state_blob, owner: workerOwner(workerId) });
      }
    }
    if (message.type === 'result') {
      for (const result of message.results) {
        const blobs = blobsOf(result);
        if (blobs.length === 0) continue;
        // A job that memory does not hold has ended: nothing is accepted of it.
        const owner = state.jobs.get(namedAttempt(result)?.jobId ?? '')?.spec.owner ?? adminOwner;
        for (const sha256 of blobs) {
          wanted.blobs.add(sha256);
          if (owner === adminOwner) continue;
          wanted.sights.push({ sha256, owner });
          if (workerId !== null) wanted.sights.push({ sha256, owner: workerOwner(workerId) });
        }
      }
    }
    // Only a result or failure can count for a task without live attempts.
    if (message.type !== 'result' && message.type !== 'failure') continue;
    for (const ref of reportsOf(message)) {
      const named = namedAttempt(ref);
      if (named !== undefined) wantTask(state, wanted, named.jobId, named.index);
    }
  }
}

const none: readonly string[] = [];

/** The blob that its value stands for, and those that it names inside of it. */
function blobsOf({ value, blobs = none }: ResultReport): readonly string[] {
  const whole = payloadReferenceOf(payloadText(value));
  return whole === undefined ? blobs : [whole.sha256, ...blobs];
}

/** Roughly how many commands the messages make. */
export function commandCount(messages: readonly WorkerMessage[]): number {
  return messages.reduce((sum, message) => sum + 1 + reportsOf(message).length, 0);
}

/** What a message says of attempts, an entry for each. */
export function reportsOf(message: WorkerMessage): readonly AttemptRef[] {
  switch (message.type) {
    case 'result':
      return message.results;
    case 'failure':
      return message.failures;
    case 'started':
      return message.started;
    case 'progress':
      return message.progress;
    case 'output':
      return message.outputs;
    case 'refusal':
      return message.refusals;
    case 'release':
      return message.releases;
    case 'checkpoint':
      return message.checkpoints;
    case 'heartbeat':
      return message.running;
    case 'hello':
      return message.attempts;
    case 'bye':
      return [];
  }
}

/** The size in bytes when it exceeds the limit, else null. A character has at most 3 bytes. */
function oversize(text: string, limitBytes: number): number | null {
  if (text.length * 3 <= limitBytes) return null;
  const bytes = Buffer.byteLength(text);
  return bytes > limitBytes ? bytes : null;
}
