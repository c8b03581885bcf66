import { expect, test } from 'vitest';
import { DiskFloor } from './disk-floor.ts';

const megabyte = 1e6;

/** `[free on the disk, free inside of the database]` in MB. */
async function looksAt(spaces: readonly (readonly [number, number])[], floorMb = 100) {
  const lines: string[] = [];
  let next = 0;
  const floor = new DiskFloor({
    floorBytes: floorMb * megabyte,
    log: { warn: (line: string) => void lines.push(line) } as never,
    measure: async () => {
      const [free, reusable] = spaces[next++]!;
      return { freeBytes: free * megabyte, reusableBytes: () => reusable * megabyte };
    },
  });
  const states = [];
  for (let i = 0; i < spaces.length; i++) {
    await floor.look();
    states.push(floor.isFull);
  }
  return { states, lines, floor };
}

test('a disk is full below the floor, and has room again when a tenth more is free', async () => {
  const { states, lines } = await looksAt([
    [100, 0],
    [99, 0],
    [105, 0],
    [111, 0],
    [99, 0],
  ]);
  expect(states).toEqual([false, true, true, false, true]);
  expect(lines).toEqual([
    expect.stringMatching(
      /^Only 99 MB are left for the database of the coordinator, and 100 MB must stay/,
    ),
    'There is room for the database again (111 MB): everything is taken.',
    expect.stringMatching(/^Only 99 MB/),
  ]);
});

test('what is free inside of the database is room, as far as its log has room', async () => {
  const { states } = await looksAt([
    [60, 0],
    [60, 51],
    [20, 500],
  ]);
  expect(states).toEqual([true, false, true]);
});

test('a disk that cannot be asked changes nothing', async () => {
  const { states, floor } = await looksAt([[50, 0]]);
  expect(states).toEqual([true]);
  await floor.look();
  expect([floor.isFull, floor.freeBytes]).toEqual([true, 50 * megabyte]);
});

test('before there is a database the room on the disk counts', async () => {
  const floor = new DiskFloor({
    floorBytes: 100 * megabyte,
    log: { warn: () => undefined },
    measure: async () => ({
      freeBytes: 150 * megabyte,
      reusableBytes: () => {
        throw new Error('there is no file yet');
      },
    }),
  });
  await floor.look();
  expect([floor.isFull, floor.freeBytes]).toEqual([false, 150 * megabyte]);
});

test('without a floor nobody looks', async () => {
  const { floor } = await looksAt([], 0);
  await floor.start();
  expect(floor.isFull).toBe(false);
});
