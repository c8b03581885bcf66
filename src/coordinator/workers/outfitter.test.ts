import { expect, test } from 'vitest';
import type { AttemptRecord } from '../../core/records.ts';
import { PortionSize, portions } from './outfitter.ts';

const attempts = (count: number) =>
  Array.from({ length: count }, () => ({ task: { checkpoints: [] } }) as unknown as AttemptRecord);

/** How many attempts are read at a time when each input has so many characters. */
function sizes(count: number, characters: number): number[] {
  const size = new PortionSize();
  return Array.from(portions(attempts(count), size), (portion) => {
    for (const _ of portion) size.note(characters);
    return portion.length;
  });
}

test('short inputs are read in two parts, long ones a megabyte at a time', () => {
  expect(sizes(300, 5)).toEqual([16, 284]);
  expect(sizes(300, 10_000)).toEqual([16, 104, 104, 76]);
  expect(sizes(40, 100_000)).toEqual([16, 10, 10, 4]);
});

test('an input that is longer than a portion is read alone', () => {
  expect(sizes(18, 2_000_000)).toEqual([16, 1, 1]);
});
