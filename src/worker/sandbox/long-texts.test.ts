import { describe, expect, test } from 'vitest';
import {
  longOrders,
  longSaying,
  sizeBehind,
  sizesInOrders,
  sizesInSaying,
  standInForBytes,
} from './long-texts.ts';
import { doneBytes, doneResult, type FromChild, type ToChild } from './messages.ts';

const long = 'x'.repeat(3000);

describe('the long texts of orders', () => {
  const task = (input: string, state: string | null) => [1, 'j.0', 0, 1, input, state, 0] as const;

  test('are inputs and states, in the order of the tasks', () => {
    const fields = [...task(`${long}a`, `${long}b`), ...task('1', null), ...task(`${long}c`, '2')];
    const divided = longOrders([['ping'], ['run', 'j', fields]])!;
    expect(divided.places.map(({ list, at }) => list[at])).toEqual(
      ['a', 'b', 'c'].map((c) => long + c),
    );
    for (const { list, at } of divided.places) list[at] = 3001;
    const told = ['run', 'j', [...task('', ''), ...task('1', null), ...task('', '2')]];
    for (const at of [4, 5, 18]) (told[2] as unknown[])[at] = 3001;
    expect(divided.message).toEqual([['ping'], told]);
    expect(sizesInOrders(divided.message as ToChild[]).map(({ at }) => at)).toEqual([4, 5, 18]);
    // The orders themselves are as they were: a slot may still hold them.
    expect(fields[4]).toBe(`${long}a`);
  });

  test('are bytes as well, however few, and the number for them is below zero', () => {
    const order: ToChild = ['run', 'j', [1, 'j.0', 0, 1, Uint8Array.of(1, 2), null, 0]];
    const [place] = longOrders([order])!.places;
    expect(place!.list[place!.at]).toEqual(Uint8Array.of(1, 2));
    expect([0, 2, 5e6].map(standInForBytes)).toEqual([-1, -3, -5_000_001]);
    expect([-1, -3, -5_000_001, 0, 7].map(sizeBehind)).toEqual([0, 2, 5e6, 0, 7]);
  });

  test('are none where inputs are short, whatever else is long', () => {
    const program: ToChild = ['program', 'j', null, long, null, 1, 'always'];
    expect(longOrders([program, ['run', 'j', task('1', null)]])).toBeNull();
    expect(sizesInOrders([program, ['run', 'j', task('1', null)]])).toEqual([]);
  });
});

describe('the long texts of what a child says', () => {
  test.each<[FromChild, number]>([
    [['done', [7, doneResult, '1', 0.5, 0, 8, doneResult, long, 0.5, 0]], 7],
    [['done', [7, doneResult, '1', 0.5, 0, 8, doneBytes, Uint8Array.of(1), 0.5, 0]], 7],
    [['checkpoint', 7, 1, 0.5, 10, long], 5],
  ])('are results and states', (message, at) => {
    const divided = longSaying(message)!;
    expect(divided.places.map(({ at: place }) => place)).toEqual([at]);
    divided.places[0]!.list[at] = 3000;
    expect(sizesInSaying(divided.message).map(({ at: place }) => place)).toEqual([at]);
    expect(longSaying(message)).not.toBeNull();
  });

  test.each<[FromChild]>([[['output', 1, long]], [['unsaved', 1, long]], [['pong']]])(
    'are in no other message',
    (message) => {
      expect(longSaying(message)).toBeNull();
      expect(sizesInSaying(message)).toEqual([]);
    },
  );

  test.each([
    [null],
    [3],
    ['done'],
    [[]],
    [['done']],
    [['done', 5]],
    [['done', [1, 2]]],
    [['checkpoint', 1]],
  ])('are not where %j has none', (message) => {
    expect(sizesInSaying(message)).toEqual([]);
  });
});
