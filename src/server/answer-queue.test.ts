import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { AnswerLine, type Waiting } from './answer-line.ts';

/** Ends its pieces only when the test says so. What has a capital as its name is a first piece. */
function stage(mostBytes: number, names: string) {
  const line = new AnswerLine(mostBytes);
  const begun: string[] = [];
  const one = new Map(
    names.split('').map((name): [string, Waiting] => [name, { begin: () => begun.push(name) }]),
  );
  const enter = (name: string) => line.enter(one.get(name)!, name < 'a');
  for (const name of one.keys()) enter(name);
  return { line, begun, enter, leave: (name: string) => line.leave(one.get(name)!) };
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
  const { line, begun } = stage(1e9, 'abcdefghij');
  await turns(20);
  expect(begun.join('')).toBe('abcdefgh');
  line.end();
  await turns(20);
  expect(begun.join('')).toBe('abcdefghi');
});

test('begins none while what is not read fills the memory, and goes on when some of it was', async () => {
  const { line, begun } = stage(1000, 'abc');
  line.hold(1000);
  expect(line.isFull).toBe(true);
  await turns(5);
  expect(begun).toEqual([]);
  line.hold(-1);
  expect(line.isFull).toBe(false);
  await turns(5);
  // What is being made takes room, too.
  expect(begun).toEqual(['a']);
  line.end();
  await turns(5);
  expect(begun).toEqual(['a', 'b']);
});

test('begins the first piece of an answer even then', async () => {
  const { line, begun } = stage(1000, 'aBcD');
  line.hold(1000);
  await turns(9);
  expect(begun).toEqual(['B', 'D']);
  line.end();
  line.end();
  line.hold(-1000);
  await turns(9);
  expect(begun).toEqual(['B', 'D', 'a']);
});

test('lets who is back at once have eight pieces in a row', async () => {
  const { line, begun, enter } = stage(1e9, 'ab');
  for (let i = 0; i < 10; i++) {
    await nextTurn();
    line.end();
    enter(begun.at(-1)!);
  }
  expect(begun.join('')).toBe('aaaaaaaabb');
});

test('lets whoever is new come before the next piece of another', async () => {
  const { line, begun, enter } = stage(1e9, 'aB');
  for (let i = 0; i < 3; i++) {
    await nextTurn();
    line.end();
    if (begun.at(-1) === 'a') enter('a');
  }
  expect(begun.join('')).toBe('aBa');
});

test('forgets who has left the line', async () => {
  const { begun, leave } = stage(1e9, 'abc');
  leave('b');
  await turns(5);
  expect(begun.join('')).toBe('ac');
});

test('lets eight connections pass before the next piece, and no more', async () => {
  const { line, begun } = stage(1e9, 'ab');
  const seen: string[] = [];
  for (let i = 0; i < 18; i++) {
    line.letPass();
    await nextTurn();
    seen.push(begun.join(''));
  }
  expect(seen.slice(7, 10)).toEqual(['', 'a', 'a']);
  expect(seen.slice(16)).toEqual(['a', 'ab']);
});
