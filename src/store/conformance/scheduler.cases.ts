import { expect, test } from 'vitest';
import type { SchedulerConfig } from '../../core/snapshot.ts';
import { mostSchedulerChanges } from '../rows.ts';
import { batch, startAt } from './rows.ts';
import type { StoreBench } from './store-bench.ts';

/** A second after the one before. */
function configuration(number: number, rest: Partial<SchedulerConfig> = {}): SchedulerConfig {
  const updatedAt = startAt + number * 1_000;
  return { algorithm: 'edas', weighting: 'manual', weights: { cpu: number }, updatedAt, ...rest };
}

export function schedulerCases(bench: StoreBench): void {
  async function write(sequence: number, ...schedulerChanges: SchedulerConfig[]) {
    const config = schedulerChanges.at(-1) ?? null;
    await bench.store.commit(batch({ sequence, config, schedulerChanges }), startAt);
  }

  test('lists configurations of the scheduler newest first, as they were set', async () => {
    const first = configuration(1, { by: 'the laptop of Ann', algorithm: 'wrr' });
    const second = configuration(2, { by: null, weighting: 'entropy' });
    await write(1, first, second);
    await write(2, configuration(3));
    const store = await bench.reopen();
    expect(await store.listSchedulerChanges(9)).toEqual([configuration(3), second, first]);
    expect(await store.listSchedulerChanges(2)).toEqual([configuration(3), second]);
    const loaded = await store.load();
    expect(loaded.config).toEqual(configuration(3));
    expect(loaded.hasSchedulerChanges).toBe(true);
  });

  test('notes configurations of a batch that was committed before only once', async () => {
    await write(1, configuration(1));
    await write(1, configuration(1));
    expect(await bench.store.listSchedulerChanges(9)).toHaveLength(1);
  });

  test('keeps the newest thousand configurations', async () => {
    const many = (count: number, from: number) =>
      Array.from({ length: count }, (_, number) => configuration(from + number));
    await write(1, ...many(mostSchedulerChanges - 1, 0));
    await write(2, ...many(2, mostSchedulerChanges - 1));
    const kept = await bench.store.listSchedulerChanges(2 * mostSchedulerChanges);
    expect(kept).toEqual(many(mostSchedulerChanges, 1).toReversed());
    await write(3, ...many(mostSchedulerChanges + 5, 0));
    expect(await bench.store.listSchedulerChanges(2 * mostSchedulerChanges)).toEqual(
      many(mostSchedulerChanges, 5).toReversed(),
    );
  });

  test('clearing the database leaves how the scheduler was configured', async () => {
    await write(1, configuration(1));
    await bench.store.commit(batch({ sequence: 2, generation: 2 }), startAt);
    while (await bench.store.sweep(100));
    expect(await bench.store.listSchedulerChanges(9)).toEqual([configuration(1)]);
  });
}
