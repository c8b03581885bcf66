import { expect, test } from 'vitest';
import { JobKeys } from './job-keys.ts';

/** What a store remembers of reserved keys, also when the coordinator that reserved them is gone. */
function mark() {
  let next = 1;
  const reserved: number[] = [];
  return {
    reserved,
    reserveJobKeys: async (count: number) => {
      reserved.push(count);
      next += count;
      return next - count;
    },
  };
}

async function takeMany(keys: JobKeys, count: number): Promise<number[]> {
  const taken = Array.from({ length: count }, () => Promise.resolve(keys.take()));
  return Promise.all(taken);
}

test('keys are reserved many at a time, and handed out at once while there are some', async () => {
  const store = mark();
  const keys = new JobKeys(store);
  await keys.reserveAhead();
  expect(keys.take()).toBe(1);
  expect(await takeMany(keys, 2500)).toEqual(Array.from({ length: 2500 }, (_, i) => i + 2));
  expect(store.reserved).toEqual([1000, 1000, 1000]);
});

test('the next keys are reserved before the last one is used', async () => {
  const keys = new JobKeys(mark());
  await keys.reserveAhead();
  for (let key = 1; key <= 5000; key++) {
    expect(keys.take()).toBe(key);
    await Promise.resolve();
  }
});

test('no key is handed out again after a crash', async () => {
  const store = mark();
  const before = await takeMany(new JobKeys(store), 3);
  const after = await takeMany(new JobKeys(store), 3);
  expect(new Set([...before, ...after]).size).toBe(6);
});

test('a call while the store refuses fails, and the next one gets a key', async () => {
  const store = mark();
  let isRefusing = true;
  const keys = new JobKeys({
    reserveJobKeys: (count) =>
      isRefusing ? Promise.reject(new Error('the disk is full')) : store.reserveJobKeys(count),
  });
  await keys.reserveAhead();
  const taken = [keys.take(), keys.take()].map((key) => Promise.resolve(key));
  const refused = await Promise.allSettled(taken);
  expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isRefusing = false;
  expect(await keys.take()).toBe(1);
});
