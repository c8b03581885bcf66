// Checks that nothing leaves before it is committed: every frame and every answer is compared with
// the disk when it leaves. One thing may leave earlier: the first attempt of a task of a job that nobody has
// been told of, which must come to the disk with the job, or never. It also checks every commit in itself: its
// counters must match its outcomes.

import { parseTaskId, taskId } from '../../core/task-key.ts';
import type { SentMessage } from '../../coordinator/workers/sessions.ts';
import type { AcceptedReport, AttemptRef } from '../../protocol/messages.ts';
import type { JobFolder, MemoryDisk } from '../../store/memory/memory-disk.ts';
import type { WriteBatch } from '../../store/rows.ts';
import { BrokenPromise } from '../broken-promise.ts';
import { findFolder, findRow } from './disk-view.ts';

export class DiskChecker {
  private readonly disk: MemoryDisk;
  /** Tokens of attempts that left for a worker. */
  private readonly sent = new Set<string>();
  /** Tokens of attempts that were ever on the disk. */
  private readonly tokens = new Set<string>();
  /** Ids of jobs that were ever on the disk. */
  private readonly everWritten = new Set<string>();
  /** Attempts that left before the commit of their job, until it is on the disk. */
  private ahead: AttemptRef[] = [];
  private readonly onCounted: (what: 'sent_ahead' | 'sent_in_vain') => void;

  constructor(disk: MemoryDisk, onCounted: (what: 'sent_ahead' | 'sent_in_vain') => void) {
    this.disk = disk;
    this.onCounted = onCounted;
  }

  /** A coordinator has started: what had left and was not written is known to nobody but its worker. */
  resume(): void {
    for (const _ of this.ahead) this.onCounted('sent_in_vain');
    this.ahead = [];
  }

  /** A batch is committed, and the next one has not begun. */
  settled(): void {
    const [left] = this.ahead;
    if (left === undefined) return;
    throw new BrokenPromise(
      `${left.task_id} #${left.attempt} left before a commit without its job.`,
    );
  }

  /** Called when a frame leaves for a worker, or for the host at which it is. */
  frame(messages: readonly SentMessage[]): void {
    // One commit has registered and cleared the worker: this frame also tells it so.
    const isGone = messages.some(({ type }) => type === 'deregistered');
    for (const message of messages) {
      if (message.type === 'ack') this.accepted(message.accepted);
      if (isAssignment(message)) this.assigned(message.assignments);
      if (message.type === 'welcome' && !isGone && !this.disk.workers.has(message.worker_id)) {
        throw new BrokenPromise(`Worker ${message.worker_id} is welcome and not on the disk.`);
      }
    }
  }

  /**
   * Called when a frame leaves a host that was shut out and does not know it: what was committed before is true, however
   * late it is told. An attempt may have ended since.
   */
  frameOfBefore(messages: readonly SentMessage[]): void {
    for (const message of messages) {
      if (message.type === 'ack') this.accepted(message.accepted);
      if (!isAssignment(message)) continue;
      for (const { task_id: id, attempt, token } of message.assignments) {
        if (this.sent.has(token)) throw new BrokenPromise(`${id} #${attempt} is handed out twice.`);
        this.sent.add(token);
        const isAhead = !this.everWritten.has(parseTaskId(id)?.jobId ?? '');
        if (isAhead || this.tokens.has(token)) continue;
        throw new BrokenPromise(`${id} #${attempt} is sent to a worker and was never on the disk.`);
      }
    }
  }

  /** Called with reports that a worker may forget now. */
  accepted(reports: readonly AcceptedReport[]): void {
    for (const { task_id: id, attempt, kind } of reports) {
      if (kind !== 'result' && kind !== 'failure') continue;
      const folder = this.folderOf(id);
      // The same commit has deleted or cleared its job.
      if (folder === undefined) continue;
      const row = findRow(this.disk, id);
      const isThere =
        kind === 'result'
          ? row?.status === 'completed' && row.acceptedAttempt === attempt
          : row !== undefined && folder.attempts.get(row.index)?.has(attempt) === true;
      if (!isThere) {
        throw new BrokenPromise(
          `The ${kind} of ${id} #${attempt} is acknowledged and not on the disk, where the task is ${row?.status ?? 'unknown'}.`,
        );
      }
    }
  }

  /** Called with attempts that leave for a worker. */
  assigned(assignments: readonly AttemptRef[]): void {
    for (const ref of assignments) {
      const { task_id: id, attempt, token } = ref;
      if (this.sent.has(token)) throw new BrokenPromise(`${id} #${attempt} is handed out twice.`);
      this.sent.add(token);
      if (this.folderOf(id) !== undefined) this.compare(ref);
      else if (!this.everWritten.has(parseTaskId(id)?.jobId ?? '')) this.leftAhead(ref);
    }
  }

  private leftAhead(ref: AttemptRef): void {
    if (ref.attempt !== 1) {
      throw new BrokenPromise(`${ref.task_id} #${ref.attempt} is sent, and its job is not there.`);
    }
    this.onCounted('sent_ahead');
    this.ahead.push(ref);
  }

  private compare({ task_id: id, attempt, token }: AttemptRef): void {
    const row = findRow(this.disk, id);
    if (row?.attempt === attempt && row.token === token) return;
    // The attempt is live beside a newer copy.
    const isBeside = row?.others.some(
      (other) => other.attempt === attempt && other.token === token,
    );
    if (isBeside === true) return;
    throw new BrokenPromise(`${id} #${attempt} is sent to a worker and not on the disk.`);
  }

  /** Called when a batch was written. */
  written(batch: WriteBatch): void {
    const keys = new Set([
      ...batch.jobs.map(({ spec }) => spec.key),
      ...batch.tasks.map(({ jobKey }) => jobKey),
    ]);
    for (const key of keys) {
      const folder = this.disk.jobs.get(key);
      if (folder?.row.spec.generation === this.disk.generation) count(folder);
    }
    for (const { token, others } of batch.tasks) {
      if (token !== null) this.tokens.add(token);
      for (const other of others) this.tokens.add(other.token);
    }
    const jobs = new Set(batch.jobs.map(({ spec }) => spec.id));
    for (const id of jobs) this.everWritten.add(id);
    const ofThese = this.ahead.filter(({ task_id: id }) => jobs.has(parseTaskId(id)?.jobId ?? ''));
    if (ofThese.length === 0) return;
    this.ahead = this.ahead.filter((ref) => !ofThese.includes(ref));
    for (const ref of ofThese) this.compare(ref);
  }

  private folderOf(id: string): JobFolder | undefined {
    const parsed = parseTaskId(id);
    return parsed === undefined ? undefined : findFolder(this.disk, parsed.jobId);
  }
}

function isAssignment(
  message: SentMessage,
): message is Extract<SentMessage, { readonly type: 'assign' | 'bare_assign' }> {
  return message.type === 'assign' || message.type === 'bare_assign';
}

function count({ row: job, tasks, work }: JobFolder): void {
  const counted = { completed: 0, failed: 0 };
  for (const row of tasks.values()) {
    if (row.status === 'completed' || row.status === 'failed') counted[row.status]++;
    if (row.status === 'completed' && row.resultJson === null) {
      throw new BrokenPromise(
        `Task ${taskId(job.spec.id, row.index)} is stored without its result.`,
      );
    }
  }
  let worked = 0;
  for (const sum of work.values()) worked += sum.completed;
  const says = `says ${job.completed} completed, ${job.failed} failed`;
  const has = `has ${counted.completed} completed, ${counted.failed} failed`;
  if (job.completed !== counted.completed || job.failed !== counted.failed) {
    throw new BrokenPromise(`Job ${job.spec.id} ${says} and ${has}.`);
  }
  if (worked !== counted.completed) {
    throw new BrokenPromise(`Job ${job.spec.id} ${has}, its work counters ${worked}.`);
  }
}
