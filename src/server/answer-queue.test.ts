import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { AnswerQueue, type Waiting } from './answer-queue.ts';

/**
 * An answer that ends its pieces when the test says so. A capital as its name: it makes a first
 * piece.
 */
function stage(mostBytes: number, names: string) {
  const queue = new AnswerQueue(mostBytes);
  const begun: string[] = [];
  const one = new Map(
    names.split('').map((name): [string, Waiting] => [name, { begin: () => begun.push(name) }]),
  );
  const enter = (name: string) => queue.enter(one.get(name)!, name < 'a');
  for (const name of one.keys()) enter(name);
  return { queue, begun, enter, leave: (name: string) => queue.leave(one.get(name)!) };
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await nextTurn();
}

test('begins one piece a turn of the event loop, in the order in which they came', async () => {
  const { begun } = stage(1e9, 'abc');
  const seen: string[] = [];
  for (let i = 0; i < 4; i++) {
    await nextTurn();
    seen.push(begun.join(''));
  }
  expect(seen).toEqual(['a', 'ab', 'abc', 'abc']);
});

test('makes eight pieces at a time', async () => {
  const { queue, begun } = stage(1e9, 'abcdefghij');
  await turns(20);
  expect(begun.join('')).toBe('abcdefgh');
  queue.end();
  await turns(20);
  expect(begun.join('')).toBe('abcdefghi');
});

test('begins none while unread pieces fill the memory, and goes on when some were read', async () => {
  const { queue, begun } = stage(1000, 'abc');
  queue.hold(1000);
  expect(queue.isFull).toBe(true);
  await turns(5);
  expect(begun).toEqual([]);
  queue.hold(-1);
  expect(queue.isFull).toBe(false);
  await turns(5);
  // A piece that is being made counts, too.
  expect(begun).toEqual(['a']);
  queue.end();
  await turns(5);
  expect(begun).toEqual(['a', 'b']);
});

test('begins the first piece of an answer even then', async () => {
  const { queue, begun } = stage(1000, 'aBcD');
  queue.hold(1000);
  await turns(9);
  expect(begun).toEqual(['B', 'D']);
  queue.end();
  queue.end();
  queue.hold(-1000);
  await turns(9);
  expect(begun).toEqual(['B', 'D', 'a']);
});

test('lets an answer that is back at once have eight pieces in a row', async () => {
  const { queue, begun, enter } = stage(1e9, 'ab');
  for (let i = 0; i < 10; i++) {
    await nextTurn();
    queue.end();
    enter(begun.at(-1)!);
  }
  expect(begun.join('')).toBe('aaaaaaaabb');
});

test('lets a new answer come before the next piece of another', async () => {
  const { queue, begun, enter } = stage(1e9, 'aB');
  for (let i = 0; i < 3; i++) {
    await nextTurn();
    queue.end();
    if (begun.at(-1) === 'a') enter('a');
  }
  expect(begun.join('')).toBe('aBa');
});

test('forgets an answer that has left the queue', async () => {
  const { begun, leave } = stage(1e9, 'abc');
  leave('b');
  await turns(5);
  expect(begun.join('')).toBe('ac');
});

test('lets eight connections pass before the next piece, and no more', async () => {
  const { queue, begun } = stage(1e9, 'ab');
  const seen: string[] = [];
  for (let i = 0; i < 18; i++) {
    queue.letPass();
    await nextTurn();
    seen.push(begun.join(''));
  }
  expect(seen.slice(7, 10)).toEqual(['', 'a', 'a']);
  expect(seen.slice(16)).toEqual(['a', 'ab']);
});
