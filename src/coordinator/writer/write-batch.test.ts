// After every command, the rows written so far are compared with the rows that the records would make now.
// So a change that was not marked is found.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RandomCluster } from '../../core/testing/random-cluster.ts';
import { steps } from '../../core/testing/random-steps.ts';
import { ScriptedCore } from '../../core/testing/scripted-core.ts';
import type { Event } from '../../core/events.ts';
import type { AttemptRecord, RecoveryRecord } from '../../core/records.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import { defaultSchedulerConfig, forgetChanges } from '../../core/state.ts';
import type { TaskRow, WriteBatch } from '../../store/rows.ts';
import { jobRow, recoveryRow, takeWriteBatch, taskRow, workerRow } from './write-batch.ts';

/** A core that writes after every command, and looks at what was written. */
class WrittenCore extends ScriptedCore {
  private readonly jobs = new Map<number, string>();
  private readonly tasks = new Map<string, TaskRow>();
  private readonly workers = new Map<string, string>();
  private readonly recoveries = new Map<number, { record: RecoveryRecord; row: string }>();
  /** Every id that was ever written, and the checkpoints whose state is kept, with their job. */
  private readonly checkpointIds = new Set<number>();
  private readonly recoveryIds = new Set<number>();
  private readonly states = new Map<number, number>();
  private readonly notes = new Map<number, string>();
  private config: object = defaultSchedulerConfig;
  private generation = 1;
  private attempts = 0;
  private toldAttempts = 0;
  private seen = 0;

  /** Of the recoveries that were written, oldest first. */
  outcomes(): string[] {
    return Array.from(this.recoveries.values(), ({ record }) => record.outcome);
  }

  override check(): void {
    super.check();
    this.write();
    this.compare();
  }

  private write(): void {
    const { state, at } = this;
    const events = this.events.slice(this.seen);
    this.seen = this.events.length;
    this.toldAttempts += events.filter(isKept).length;
    if (events.some(({ type }) => type === 'database_cleared')) {
      for (const kept of [this.jobs, this.tasks, this.workers, this.recoveries, this.states])
        kept.clear();
      this.toldAttempts = this.attempts;
    }
    for (const record of state.dirty.recoveries) {
      this.recoveries.set(record.id, { record, row: '' });
    }
    const contents = {
      at,
      events,
      payloads: [],
      blobReferences: [],
      tokens: [],
      revokedTokens: [],
      droppedTokens: [],
      audit: [],
      traces: [],
      idempotencyKeys: new Map(),
    };
    const batch = takeWriteBatch(state, 1, contents);
    if (batch !== undefined) this.keep(batch);
    // Final records stay in memory here, because no store could give them back.
    forgetChanges(state.dirty);
    state.dirty.config = false;
    state.dirty.generation = false;
  }

  private keep(batch: WriteBatch): void {
    for (const row of batch.jobs) this.jobs.set(row.spec.key, text(row));
    for (const row of batch.tasks) this.tasks.set(`${row.jobKey}.${row.index}`, row);
    for (const row of batch.workers) {
      if (row.deregisteredAt === null) this.workers.set(row.id, text(row));
      else this.workers.delete(row.id);
    }
    for (const row of batch.recoveries) {
      this.recoveries.get(row.id)!.row = text(row);
      this.recoveryIds.add(row.id);
    }
    for (const { row } of batch.checkpoints) {
      this.checkpointIds.add(row.id);
      this.states.set(row.id, row.jobKey);
    }
    for (const id of batch.droppedStates) this.states.delete(id);
    for (const key of batch.deletedJobs) {
      this.jobs.delete(key);
      for (const [id, jobKey] of this.states) if (jobKey === key) this.states.delete(id);
    }
    for (const row of batch.notifications) this.notes.set(row.id, text(row));
    this.attempts += batch.attempts.length;
    if (batch.config !== null) this.config = batch.config;
    if (batch.generation !== null) this.generation = batch.generation;
  }

  private compare(): void {
    const { state, at } = this;
    const jobs = [...state.jobs.values()];
    const tasks = jobs.flatMap((job) => [...job.tasks.values()]);
    agree(
      'jobs',
      [...this.jobs.values()],
      Array.from(jobs, (job) => text(jobRow(job))),
    );
    for (const task of tasks) {
      const isPaused = task.notBefore > at;
      const written = this.tasks.get(`${task.job.spec.key}.${task.index}`);
      agree('a task', written && durable(written, isPaused), durable(taskRow(task), isPaused));
    }
    const workers = Array.from(state.workers.values(), (worker) => text(workerRow(worker)));
    agree('workers', [...this.workers.values()], workers);
    for (const { record, row } of this.recoveries.values()) {
      agree('a recovery', row, text(recoveryRow(record)));
    }
    agree('recovery ids', this.recoveryIds.size, state.nextRecoveryId - 1);
    const kept = tasks.flatMap(({ checkpoints }) => checkpoints.map(({ id }) => String(id)));
    agree('states', Array.from(this.states.keys(), String), kept);
    agree('checkpoint ids', this.checkpointIds.size, state.nextCheckpointId - 1);
    const told = this.notifications.map(text);
    agree('notifications', [...this.notes.values()], told);
    agree('ended attempts', this.attempts, this.toldAttempts);
    agree('configuration', text(this.config), text(state.config));
    agree('generation', this.generation, state.generation);
  }
}

/** The history keeps all attempts that did not succeed but those that were recalled before they began. */
function isKept(event: ToldEvent): boolean {
  if (event.type === 'attempt_withdrawn') return true;
  if (event.type !== 'attempt_ended') return false;
  const { recalled } = event.attempt as AttemptRecord;
  return !(event.outcome === 'released' && recalled && event.startedAt === null);
}

/** Sorted, to be compared in any order. */
function agree(what: string, written: unknown, said: unknown): void {
  const [first, second] = [written, said].map((each) =>
    JSON.stringify(Array.isArray(each) ? (each as string[]).toSorted() : each),
  );
  if (first !== second) throw new Error(`${what}: written is\n${first}, and not\n${second}`);
}

function text(row: object): string {
  return JSON.stringify(row, (key, value: unknown) => (key === 'spec' ? undefined : value));
}

/** Without what is not stored: the start of an attempt, and a pause that is over. */
function durable(row: TaskRow, isPaused: boolean): string {
  return text({
    ...row,
    startedAt: row.status === 'assigned' ? null : row.startedAt,
    notBefore: isPaused ? row.notBefore : 0,
    // When it was handed out goes with the clock of that moment.
    others: row.others.map((other) => ({ ...other, assignedAt: null })),
  });
}

test('whatever happens, what was written is what the records say', () => {
  fc.assert(
    fc.property(fc.array(steps, { minLength: 30, maxLength: 120, size: 'max' }), (all) => {
      const cluster = new RandomCluster(new WrittenCore({ quarantineAfterBlames: 1 }));
      for (const slots of [1, 2, 3]) cluster.take({ do: 'join', slots, waitMs: null });
      cluster.take({ do: 'submit', prioritised: false, spec: { taskCount: 6, retryDelayMs: 0 } });
      for (const step of all) cluster.take(step);
      cluster.heal();
      expect(cluster.core.state.dirty.tasks).toEqual(new Set());
    }),
    { numRuns: 80 },
  );
});

test('each event that changes a row is written', () => {
  const core = new WrittenCore({ quarantineAfterBlames: 1 });
  core.at = 1_000_000;
  for (const worker of ['a', 'b', 'c']) core.join(worker, { slots: 2 });

  core.submit('lost', { taskCount: 2, maxLostAttempts: 2 });
  const first = core.run('lost', 0, 'a');
  for (const sequence of [1, 2, 3]) core.checkpoint(first, sequence, sequence / 4);
  core.close('a');
  core.waitAlive(10_000, 'b', 'c');
  const second = core.assign('lost', 0, 'b');
  const damaged = core.task('lost', 0).checkpoints.at(-1)!.id;
  const named = { jobId: 'lost', index: 0, checkpointId: damaged };
  core.give({ type: 'drop_checkpoint', ...named, at: core.at });
  core.start(second);
  core.close('b');
  core.waitAlive(10_000, 'c');
  expect(core.task('lost', 0)).toMatchObject({ status: 'failed', losses: 2 });
  core.give({ type: 'retry_job', jobId: 'lost', at: core.at });
  for (const index of [0, 1]) core.complete(core.run('lost', index, 'c'));
  core.give({ type: 'delete_job', jobId: 'lost', at: core.at });

  core.submit('failed', { taskCount: 2, maxAttempts: 2, retryDelayMs: 5000 });
  core.hello('a');
  core.hello('b');
  core.fail(core.run('failed', 0, 'a'));
  core.at += 60_000;
  core.give({ type: 'set_clock', byMs: 60_000, at: core.at });
  core.waitAlive(5000, 'a', 'b', 'c');
  core.complete(core.run('failed', 0, 'b'));
  core.at -= 1000;
  core.give({ type: 'set_clock', byMs: -1000, at: core.at });
  for (const type of ['hold_job', 'release_job'] as const) {
    core.give({ type, jobId: 'failed', at: core.at });
  }
  for (const type of ['drain_worker', 'resume_worker'] as const) {
    core.give({ type, workerId: 'a', at: core.at });
  }
  const paused = core.run('failed', 1, 'c');
  core.checkpoint(paused, 1, 0.5);
  core.fail(paused);
  core.give({ type: 'cancel_job', jobId: 'failed', at: core.at });

  core.submit('given up', { maxAttempts: 1 });
  core.run('given up', 0, 'b');
  core.close('b');
  core.waitAlive(10_000, 'a', 'c');
  core.fail(core.assign('given up', 0, 'c'));
  core.hello('b');

  core.submit('abandoned', { taskCount: 2, maxAttempts: 1, onTaskFailure: 'fail_job' });
  core.fail(core.run('abandoned', 0, 'b'));

  const on = ['completed'] as const;
  const notify = [{ url: 'https://example.org/', host: 'example.org', on, secret: 's' }];
  core.submit('copied', { speculation: { maxCopies: 1, maxShare: 1 }, notify });
  core.run('copied', 0, 'b');
  const copy = core.copy('copied', 0, 'c');
  core.start(copy);
  core.complete(copy);
  core.tried(core.notifications[0]!, 'failed');

  core.submit('laid aside');
  const call = { workerId: 'a', connectionId: -1, asksForWork: true };
  core.give({ type: 'attach_worker', ...call, at: core.at });
  core.assign('laid aside', 0, 'a');
  core.waitAlive(15_000, 'a', 'b', 'c');
  core.assign('laid aside', 0, 'b');
  // As after a restart.
  core.task('laid aside', 0).live[0]!.isAwaited = true;
  core.start(core.assignedTo('b'));

  expect(core.outcomes()).toEqual(['resumed', 'resumed', 'failed', 'restarted', 'adopted']);
  const config = { ...core.state.config, algorithm: 'priority' as const };
  core.give({ type: 'configure', config, at: core.at });
  core.join('waits', {}, { waitsUntil: core.at + 9000 });
  core.give({ type: 'approve_worker', workerId: 'waits', at: core.at });
  core.give({ type: 'rename_worker', workerId: 'waits', name: 'desk', at: core.at });
  core.heartbeat('waits', { leaseMs: 300_000 });
  core.give({ type: 'deregister_worker', workerId: 'b', at: core.at });
  core.give({ type: 'clear', at: core.at });

  const told = new Set(core.events.map(({ type }) => type));
  expect(writtenEvents.filter((type) => !told.has(type))).toEqual([]);
});

const writtenEvents: readonly Event['type'][] = [
  'attempt_ended',
  'attempt_started',
  'attempt_withdrawn',
  'checkpoint_dropped',
  'checkpoint_saved',
  'clock_set',
  'database_cleared',
  'job_abandoned',
  'job_cancelled',
  'job_deleted',
  'job_finished',
  'job_held',
  'job_released',
  'job_retried',
  'job_submitted',
  'notification_owed',
  'notification_tried',
  'scheduler_configured',
  'task_assigned',
  'task_completed',
  'task_failed',
  'task_requeued',
  'worker_approved',
  'worker_connected',
  'worker_deregistered',
  'worker_drained',
  'worker_lease_changed',
  'worker_quarantined',
  'worker_registered',
  'worker_released',
  'worker_renamed',
  'worker_resumed',
];
