// What is kept as sums of past work is what the rows give, to the last bit, on any history.

import fc from 'fast-check';
import { expect } from 'vitest';
import { workBucketMs, type WriteBatch } from '../rows.ts';
import type { Store } from '../store.ts';
import { spansMs } from '../sums.ts';
import { batch, jobRow, startAt, workRow } from './rows.ts';

const [dayMs, hourMs] = spansMs;
/** When the day of `startAt` begins. */
export const dayBegin = Math.floor(startAt / dayMs) * dayMs;

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
  readonly kept: Store;
  readonly plain: Store;
  sequence = 0;
  generation = 1;
  readonly seen = new Set<number>();

  constructor(kept: Store, plain: Store) {
    this.kept = kept;
    this.plain = plain;
  }

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

/**
 * Asks two stores the same after every step of histories that are made up. The first of the two keeps sums. New, empty
 * stores for each history.
 */
export async function expectSumsAlike(
  makeStores: () => Promise<readonly [kept: Store, plain: Store]>,
  numRuns: number,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const pair = new Pair(...(await makeStores()));
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
    { numRuns },
  );
}
