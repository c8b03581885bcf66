// Any sequence of writes gives the same answers from every store.

import fc from 'fast-check';
import { expect } from 'vitest';
import { createMemoryStore } from '../memory/memory-store.ts';
import type { NewCheckpoint, StoredTask, TaskRow, WriteBatch } from '../rows.ts';
import type { Store } from '../store.ts';
import {
  type ArbitraryCheckpoint,
  type ArbitraryGiven,
  type ArbitraryRows,
  hourMs,
  type Step,
  steps,
} from './arbitrary-steps.ts';
import {
  attemptRow,
  batch,
  blobOf,
  idempotencyRow,
  jobRow,
  newCheckpoint,
  programRow,
  recoveryRow,
  startAt,
  taskRow,
  workerRow,
  workRow,
} from './rows.ts';
import { visit } from './visiting.ts';

const blobs = [blobOf(0), blobOf(10), blobOf(600_000)];
const minute = 60_000;

/**
 * Runs the same writes on the memory store and on another, and asks both everything after each. A new, empty store
 * for each run.
 */
export async function expectAlike(makeOther: () => Promise<Store>, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const stores = [createMemoryStore(), await makeOther()];
      try {
        const writer = new Writer(stores);
        for (const step of sequence) {
          await writer.write(step);
          const [memory, other] = await Promise.all(stores.map((store) => ask(store, writer)));
          expect(other).toEqual(memory);
        }
        const [memory, other] = await Promise.all(stores.map((store) => store.load()));
        expect(other).toEqual(memory);
      } finally {
        await Promise.all(stores.map((store) => store.close()));
      }
    }),
    { numRuns },
  );
}

/** Writes the same to several stores. */
export class Writer {
  readonly stores: readonly Store[];
  generation = 1;
  sequence = 0;
  /** Jobs of this generation that have a row, by slot. */
  readonly shown = new Set<number>();
  /** Slots whose job was deleted: its key is not used again. */
  readonly deleted = new Set<number>();
  /** Of the submission that arrives; a new one after it was shown or dropped. */
  stagedKey = 1_000;

  nextCheckpointId = 1;

  constructor(stores: readonly Store[]) {
    this.stores = stores;
  }

  async write(step: Step): Promise<void> {
    switch (step.type) {
      case 'commit':
        return this.commit(this.rows(step.rows));
      case 'clear':
        this.generation++;
        this.shown.clear();
        this.deleted.clear();
        return this.commit({ generation: this.generation });
      case 'sweep':
        for (const store of this.stores) await store.sweep(step.rows);
        return;
      case 'pruneWorkers': {
        const calls = this.stores.map((store) => store.pruneWorkers(step.rows));
        const [memory, other] = await Promise.all(calls);
        if (memory !== other) throw new Error('One store says that there is more to prune.');
        return;
      }
      case 'keepSums':
        for (const store of this.stores) {
          const now = startAt + step.hours * hourMs;
          for (let i = 0; i < step.sums && (await store.keepSums(now)); i++);
        }
        return;
      case 'stage':
        return this.stage(step);
      case 'put':
      case 'touch':
      case 'collect':
        return this.writeBlobs(step);
      case 'drop':
        for (const store of this.stores) await store.dropStaged(this.stagedKey);
        this.stagedKey++;
        return;
      case 'show': {
        const key = this.stagedKey++;
        const payloads = [{ jobKey: key, program: programRow('{}'), inputs: [] }];
        const spec = { generation: this.generation, owner: ownerOf(1 + (key % 2)) };
        await this.commit({ jobs: [jobRow(key, spec)], payloads });
      }
    }
  }

  private async stage({ from, inputs, blobs: used }: Step & { type: 'stage' }): Promise<void> {
    const hashes = used.map((blob) => blobs[blob]!.sha256);
    const answers: string[] = [];
    for (const store of this.stores) {
      const isStaged = await store.stageInputs(this.stagedKey, from, inputs, hashes);
      const isWhole = await store.sealStaged(this.stagedKey, from + 1);
      answers.push(`${isStaged} ${isWhole}`);
    }
    if (new Set(answers).size > 1) throw new Error(`Stores differ in staging: ${answers}.`);
  }

  private async writeBlobs(step: Step & { type: 'put' | 'touch' | 'collect' }): Promise<void> {
    for (const store of this.stores) {
      if (step.type === 'collect') {
        while (await store.collectBlobs(startAt + step.before * minute, step.rows));
        continue;
      }
      const { sha256, bytes } = blobs[step.blob]!;
      const at = startAt + step.at * minute;
      if (step.type === 'put') {
        await store.putBlob(sha256, bytes, at);
        if (step.blob > 0) await store.ownBlob(sha256, ownerOf(step.blob));
      } else await store.touchBlob(sha256, at);
    }
  }

  key(slot: number): number {
    return this.generation * 10 + slot;
  }

  private async commit(rows: Partial<WriteBatch>): Promise<void> {
    const sequence = ++this.sequence;
    for (const store of this.stores) {
      await store.commit(batch({ sequence, ...rows }), startAt + sequence * 700);
    }
  }

  private rows(rows: ArbitraryRows): Partial<WriteBatch> {
    const { attempts, workers, recoveries, keys, work, deleted } = rows;
    const { generation } = this;
    const jobs = rows.jobs.filter(({ slot }) => !this.deleted.has(slot));
    for (const job of jobs) this.shown.add(job.slot);
    const written: Partial<WriteBatch> = {
      jobs: jobs.map(({ slot, status, completed, cursors, endedAt }) => {
        // What was submitted never changes: one client, owner and name per slot.
        const retainMs = slot === 2 ? 3 : null;
        const names = { clientId: slot === 1 ? 'a' : 'b', name: `job of ${slot}` };
        const owner = ownerOf(slot);
        const spec = { generation, owner, retainMs, createdAt: startAt + slot, ...names };
        const isFinal = status !== 'pending' && status !== 'running';
        return jobRow(this.key(slot), spec, {
          status,
          completed,
          cursors,
          completedAt: isFinal ? endedAt : null,
          cancelledAt: status === 'cancelled' && completed > 4 ? endedAt : null,
        });
      }),
      tasks: this.tasks(rows),
      attempts: attempts
        .filter(({ slot }) => this.shown.has(slot))
        .map(({ slot, index, attempt, worker, ...ended }) => {
          const workerId = `worker-${this.key(worker)}`;
          return attemptRow(this.key(slot), index, attempt, { workerId, ...ended });
        }),
      workers: workers.map(({ slot, ...rest }) =>
        workerRow(this.key(slot), { generation, ...rest }),
      ),
      // Those of jobs that do not exist are left out by the store.
      recoveries: recoveries.map(({ slot, id, ...rest }) => recoveryRow(id, this.key(slot), rest)),
      checkpoints: rows.checkpoints.map((checkpoint) => this.checkpoint(checkpoint)),
      droppedStates: rows.droppedStates.map((back) => this.nextCheckpointId - back),
      blobReferences: rows.references.map(({ slot, blob }) => ({
        jobKey: this.key(slot),
        sha256: blobs[blob]!.sha256,
      })),
      idempotencyKeys: keys.map(({ slot, name }) => idempotencyRow(name, this.key(slot))),
      work: work.map(({ slot, worker, ...rest }) =>
        workRow(this.key(slot), `worker-${this.key(worker)}`, rest),
      ),
      schedulerChanges: rows.schedulerChanges,
      deletedJobs: deleted.map((slot) => this.key(slot)),
    };
    for (const slot of deleted) {
      this.deleted.add(slot);
      this.shown.delete(slot);
    }
    return written;
  }

  private tasks({ tasks, given }: ArbitraryRows): readonly TaskRow[] {
    const rows = tasks.map(({ slot, index, status, result, account, ...rest }) =>
      taskRow(this.key(slot), index, {
        status,
        resultJson: status === 'completed' ? result : null,
        account: status === 'completed' ? account : null,
        ...rest,
      }),
    );
    const shown = new Set(Array.from(this.shown, (slot) => this.key(slot)));
    const all = [...rows, ...given.flatMap((each) => this.given(each))];
    // A batch has one row of a task. Of those that may have several, the first stays.
    const named = new Set(rows.map(({ jobKey, index }) => `${jobKey} ${index}`));
    return all.filter((row, place) => {
      const name = `${row.jobKey} ${row.index}`;
      const isFirst = place < rows.length || !named.has(name);
      named.add(name);
      return isFirst && shown.has(row.jobKey);
    });
  }

  private given({ slot, from, count, workers }: ArbitraryGiven): readonly TaskRow[] {
    return Array.from({ length: count }, (_, i) =>
      taskRow(this.key(slot), from + i, {
        workerId: `worker-${this.key(1 + (i % workers))}`,
        token: `given-${this.sequence}-${i}`,
        runBeforeMs: 0,
      }),
    );
  }

  private checkpoint({ slot, state, ...rest }: ArbitraryCheckpoint): NewCheckpoint {
    const id = this.nextCheckpointId++;
    const stored =
      state?.encoding === 'blob'
        ? ({ encoding: 'blob', blobSha256: blobs[state.blob]!.sha256 } as const)
        : state;
    return newCheckpoint(id, this.key(slot), rest, stored);
  }
}

/** Of a slot. Nothing is nobody's: `zoe` has no jobs. */
function ownerOf(slot: number): string {
  return ['zoe', 'admin', 'ann', 'bob'][slot]!;
}

const period = { from: startAt + 1_000, to: startAt + 7_000, bucketMs: 2_000 };

/** Every question, to jobs of this generation, of the one before, and staged ones. */
export async function ask(store: Store, writer: Writer): Promise<unknown> {
  const answers: unknown[] = [];
  const slots = [1, 2, 3];
  const keys = slots.flatMap((slot) => [writer.key(slot), writer.key(slot) - 10]);
  for (const key of [...keys, writer.stagedKey, writer.stagedKey - 1]) {
    answers.push(await store.findJob(`job-${key}`));
    answers.push(await store.findProgram(key));
    answers.push(await store.listTasks(key, 1, 4));
    answers.push(await store.listTasks(key, 8, 9));
    answers.push(await store.listAccepted(key, 1, 3));
    answers.push(await store.listResults(key, 0, 3, 600));
    for (const status of ['pending', 'assigned', 'failed', 'cancelled'] as const) {
      answers.push(await store.listTasksByStatus(key, status, 0, 5));
    }
    answers.push(await store.countCells(key, { from: 0, to: 13, width: 2 }));
    answers.push(await store.findTask(key, 2));
    answers.push(await store.findTask(key, 9));
    answers.push(await store.listAttempts(key, 1));
    answers.push(await store.listJobAttempts(key, null, 3));
    answers.push(await store.listFailures(`worker-${key}`, 3));
    answers.push(await store.readInputs(key, [0, 1]).catch(() => 'missing'));
    answers.push(await store.listRecoveries(5, 2, { jobKey: key }));
    answers.push(await store.listCheckpoints(key, 2, 3));
    answers.push(await store.sumCheckpoints({ jobKey: key, since: startAt + 3_000 }));
    answers.push(await store.sumWork({ jobKey: key, since: startAt + 15_000 }));
    answers.push(await store.sumWork({ jobKey: key, until: startAt + 15_000 }));
    answers.push(await store.sumRecoveries({ jobKey: key, since: startAt + 3_000 }));
    answers.push(await store.sumRecoveries({ jobKey: key, until: startAt + 3_000 }));
    answers.push(await store.sumThroughput({ jobKey: key, ...period }));
  }
  for (const slot of [0, 1, 2, 3]) answers.push(await askOf(store, writer, ownerOf(slot)));
  const lists = ['own', 'others', 'all'] as const;
  answers.push((await visit(store, { expiring: { limit: 2, lists } })).expiring);
  answers.push(await store.listJobs({}, null, 3));
  answers.push(await store.listJobs({ clientId: 'b' }, writer.key(3), 2));
  answers.push(await store.listJobs({ clientId: 'a', statuses: ['running', 'failed'] }, null, 9));
  answers.push(await store.listJobs({ statuses: ['cancelled'] }, null, 9));
  answers.push(await store.listRecoveries(null, 3));
  answers.push(await store.listSchedulerChanges(3));
  answers.push(await store.sumRecoveries({}));
  const visitors = await visit(
    store,
    {
      jobs: new Set(slots.map((slot) => `job-${writer.key(slot)}`)),
      tasks: new Map(keys.map((key) => [`job-${key}`, new Set([3, 0, 8, 8192])])),
      workers: new Set(slots.map((slot) => `worker-${writer.key(slot)}`)),
      idempotencyKeys: new Set(['a', 'b']),
      blobs: new Set(blobs.map(({ sha256 }) => sha256)),
    },
    { held: [`job-${writer.key(1)}`], at: startAt },
  );
  const place = ({ row }: StoredTask) => row.jobKey * 10_000 + row.index;
  answers.push({ ...visitors, tasks: visitors.tasks.toSorted((a, b) => place(a) - place(b)) });
  answers.push(await store.sumCheckpoints({}));
  for (let id = 1; id < writer.nextCheckpointId; id++) {
    answers.push(await store.readCheckpointState(id));
  }
  for (const { sha256 } of blobs) {
    answers.push(await store.findBlob(sha256));
    answers.push((await store.readBlob(sha256))?.length);
  }
  answers.push(await store.sumWork({}));
  for (const hours of [0.002, 1, 20, 30]) {
    const until = startAt + hours * hourMs;
    answers.push(await store.sumWork({ since: until }));
    answers.push(await store.sumWork({ since: until - 1.3 * hourMs, until }));
  }
  answers.push(await store.sumThroughput(period));
  for (const since of [null, startAt + 2]) {
    answers.push((await Array.fromAsync(store.listEndedJobs(since))).flat());
    answers.push((await Array.fromAsync(store.listDepartedWorkers(since))).flat());
  }
  const registered = (await Array.fromAsync(store.listRegisteredWorkers())).flat();
  answers.push(registered);
  for (const { id } of registered) answers.push(await store.isRegistered(id));
  return answers;
}

/** What one owner may ask. */
async function askOf(store: Store, writer: Writer, owner: string): Promise<unknown> {
  const answers: unknown[] = [];
  for (const slot of [1, 2, 3]) {
    const key = writer.key(slot);
    answers.push(await store.findJobOwner(`job-${key}`));
    answers.push(await store.findJobOwner(`job-${key - 10}`));
    answers.push(await store.listFailures(`worker-${key}`, 3, owner));
    answers.push(await store.listMeantJobs(`job of ${slot}`, 3, owner));
    answers.push(await store.listMeantJobs(`job-${key}`, 3, owner));
    answers.push(await store.sumWork({ jobKey: key, owner }));
  }
  answers.push(await store.listMeantJobs('job-', 3, owner));
  answers.push(await store.listJobs({ owner }, null, 2));
  answers.push(await store.listJobs({ owner, clientId: 'b' }, writer.key(3), 2));
  answers.push(await store.listJobs({ owner, statuses: ['cancelled', 'completed'] }, null, 9));
  answers.push(await store.listRecoveries(null, 3, { owner }));
  answers.push(await store.sumRecoveries({ owner }));
  answers.push(await store.sumCheckpoints({ owner, since: startAt + 3_000 }));
  answers.push(
    await store.sumWork({ owner }),
    await store.sumWork({ owner, since: startAt + hourMs }),
    await store.sumWork({ owner, until: startAt + hourMs }),
  );
  answers.push(await store.sumThroughput({ owner, ...period }));
  answers.push((await Array.fromAsync(store.listEndedJobs(startAt + 2, owner))).flat());
  for (const { sha256 } of blobs) answers.push(await store.isBlobOf(sha256, owner));
  return answers;
}
