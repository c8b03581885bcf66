// Sums that are kept of past work: they change no answer, and spare the rows.

import fc from 'fast-check';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { batch, jobRow, startAt, workRow } from '../conformance/rows.ts';
import { workBucketMs, type WriteBatch } from '../rows.ts';
import { secondMs, spansMs } from '../sums.ts';
import type { Store } from '../store.ts';
import { openSqliteStore } from './open.ts';
import { makeDirectory } from './testing/directory.ts';

const [dayMs, hourMs] = spansMs;
const dayBegin = Math.floor(startAt / dayMs) * dayMs;

const work = fc.record({
  job: fc.integer({ min: 1, max: 6 }),
  worker: fc.integer({ min: 1, max: 3 }),
  hour: fc.nat(100),
  bucket: fc.nat(359),
  completed: fc.nat(9),
  completedMs: fc.double({ min: 0, max: 1e5, noNaN: true }),
  energyJoules: fc.double({ min: 0, max: 1e3, noNaN: true }),
});

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('work' as const),
      rows: fc.array(work, { maxLength: 9 }),
    }),
  },
  /** Some sums, and a batch amid the last of them. */
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('sum' as const),
      count: fc.nat(30),
      hour: fc.nat(130),
      amid: fc.oneof(work, fc.integer({ min: 1, max: 6 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('delete' as const),
      job: fc.integer({ min: 1, max: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('clear' as const) }) },
  /** Of what was removed, some rows lie there still: more in one store than in the other. */
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('sweep' as const),
      kept: fc.nat(20),
      plain: fc.nat(20),
    }),
  },
);

/** Two stores with the same rows; only one of them keeps sums. */
class Pair {
  readonly kept = openSqliteStore(':memory:');
  readonly plain = openSqliteStore(':memory:');
  sequence = 0;
  generation = 1;
  readonly seen = new Set<number>();

  async commit(rows: Partial<WriteBatch>): Promise<void> {
    const sequence = ++this.sequence;
    for (const store of [this.kept, this.plain]) {
      await store.commit(batch({ sequence, ...rows }), startAt);
    }
  }

  key(job: number): number {
    return this.generation * 10 + job;
  }

  async work(rows: readonly (typeof work extends fc.Arbitrary<infer W> ? W : never)[]) {
    const fresh = rows.map(({ job }) => this.key(job)).filter((key) => !this.seen.has(key));
    for (const key of fresh) this.seen.add(key);
    await this.commit({
      jobs: [...new Set(fresh)].map((key) => jobRow(key, { generation: this.generation })),
      work: rows.map(({ job, worker, hour, bucket, ...rest }) =>
        workRow(this.key(job), `worker-${worker}`, {
          ...rest,
          bucketAt: dayBegin + hour * hourMs + bucket * workBucketMs,
        }),
      ),
    });
  }

  async delete(job: number): Promise<void> {
    if (this.seen.has(this.key(job))) await this.commit({ deletedJobs: [this.key(job)] });
  }

  async clear(): Promise<void> {
    await this.commit({ generation: ++this.generation });
  }

  async sum(hour: number, count: number, amid: () => Promise<void>): Promise<void> {
    const now = dayBegin + hour * hourMs;
    for (let i = 1; i < count && (await this.kept.keepSums(now)); i++);
    await Promise.all([this.kept.keepSums(now), amid()]);
  }

  /** The same questions to both. */
  async answers(): Promise<readonly (readonly unknown[])[]> {
    const at = (hour: number): number => dayBegin + hour * hourMs;
    const filters = [
      {},
      ...[0, 0.003, 7, 24, 24.5, 47, 99].map((hour) => ({ since: at(hour) })),
      ...[0.003, 24, 24.5].map((hour) => ({ until: at(hour) })),
      { since: at(7), until: at(48.5) },
    ];
    const ask = (store: Store) => Promise.all(filters.map((filter) => store.sumWork(filter)));
    return Promise.all([ask(this.kept), ask(this.plain)]);
  }
}

test('what is kept as sums is what the rows give, to the last bit, on any history', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const pair = new Pair();
      for (const each of steps) {
        if (each.type === 'work') await pair.work(each.rows);
        else if (each.type === 'delete') await pair.delete(each.job);
        else if (each.type === 'clear') await pair.clear();
        else if (each.type === 'sweep') {
          await pair.kept.sweep(each.kept);
          await pair.plain.sweep(each.plain);
        } else {
          const { amid, hour, count } = each;
          await pair.sum(hour, count, () =>
            typeof amid === 'number' ? pair.delete(amid) : pair.work([amid]),
          );
        }
        const [kept, plain] = await pair.answers();
        expect(kept).toEqual(plain);
      }
      for (const store of [pair.kept, pair.plain]) await store.close();
    }),
    { numRuns: 80 },
  );
}, 60_000);

/** A file with an hour of work in each of so many hours from `dayBegin` on, all of it summed. */
async function summedFile(hours: number, workers = 1): Promise<{ path: string; store: Store }> {
  const path = join(await makeDirectory(), 'muster.db');
  const store = openSqliteStore(path);
  const rows = Array.from({ length: hours * workers }, (_, i) =>
    workRow(1, `worker-${i % workers}`, { bucketAt: dayBegin + Math.floor(i / workers) * hourMs }),
  );
  await store.commit(batch({ jobs: [jobRow(1), jobRow(2)], work: rows }), startAt);
  while (await store.keepSums(dayBegin + hours * hourMs));
  return { path, store };
}

const completedBy = async (store: Store, since?: number, until?: number) =>
  (
    await store.sumWork({
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
    })
  ).reduce((sum, { completed }) => sum + completed, 0);

test('questions about what is over read no rows', async () => {
  const { path, store } = await summedFile(30);
  await store.close();
  const db = new DatabaseSync(path);
  db.exec('delete from work');
  db.close();
  const reopened = openSqliteStore(path);
  expect(await completedBy(reopened)).toBe(30);
  expect(await completedBy(reopened, dayBegin + 5 * hourMs)).toBe(25);
  expect(await completedBy(reopened, dayBegin + 5 * hourMs, dayBegin + 28 * hourMs)).toBe(23);
  // Within an hour its rows are read.
  expect(await completedBy(reopened, dayBegin + 5 * hourMs + 10 * secondMs)).toBe(24);
  await reopened.close();
});

test('what many workers did in an hour is kept in parts', async () => {
  const { path, store } = await summedFile(2, 1_201);
  await store.close();
  const db = new DatabaseSync(path);
  expect(db.prepare('select count(*) n from work_sums').get()?.n).toBe(6);
  db.close();
  const reopened = openSqliteStore(path);
  expect(await reopened.sumWork({})).toHaveLength(1_201);
  expect(await completedBy(reopened)).toBe(2_402);
  await reopened.close();
});

test('a sum that cannot be read is not taken: the rows count', async () => {
  const { path, store } = await summedFile(26);
  await store.close();
  const db = new DatabaseSync(path);
  db.exec("update work_sums set works = 'damaged'");
  db.close();
  const reopened = openSqliteStore(path);
  expect(await completedBy(reopened)).toBe(26);
  await reopened.close();
});

test('a job that is removed takes only the sums of its own time along', async () => {
  const { path, store } = await summedFile(60);
  const late = workRow(2, 'worker-1', { bucketAt: dayBegin + 50 * hourMs });
  await store.commit(batch({ sequence: 2, work: [late] }), startAt);
  while (await store.keepSums(dayBegin + 72 * hourMs));
  await store.commit(batch({ sequence: 3, deletedJobs: [2] }), startAt);
  expect(await completedBy(store)).toBe(60);
  await store.close();
  const db = new DatabaseSync(path);
  const sums = db.prepare('select span_ms, count(*) n from work_sums group by 1 order by 1').all();
  expect(sums.map(({ span_ms, n }) => [span_ms, n])).toEqual([
    [hourMs, 59],
    [dayMs, 2],
  ]);
  db.close();
});
