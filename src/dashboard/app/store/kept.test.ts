import { expect, test } from 'vitest';
import { kept, keptList } from './kept.ts';

const worker = () => ({
  id: 'a',
  labels: { gpu: 'yes' },
  series: { cpu: [1, null, 3] },
  rest: null,
});

test('what did not change is the object of before', () => {
  const before = worker();
  expect(kept(before, worker())).toBe(before);
});

test.each([
  ['a value', { ...worker(), id: 'b' }],
  ['a value deep within', { ...worker(), labels: { gpu: 'no' } }],
  ['a place of a list', { ...worker(), series: { cpu: [1, 2, 3] } }],
  ['the length of a list', { ...worker(), series: { cpu: [1, null] } }],
  ['null for an object', { ...worker(), labels: null }],
  ['a list for an object', { ...worker(), labels: [] }],
  ['one name more', { ...worker(), name: 'desk' }],
  ['another name', { id: 'a', labels: { gpu: 'yes' }, series: { cpu: [1, null, 3] }, name: null }],
])('what differs in %s is new', (_, now) => {
  expect(kept<object>(worker(), now)).toBe(now);
});

test('what was not there before is new', () => {
  const now = worker();
  expect(kept(undefined, now)).toBe(now);
});

test('a list of the same objects in the same order is that of before', () => {
  const [a, b] = [worker(), worker()];
  const before = [a, b];
  expect(keptList(before, [a, b])).toBe(before);
  for (const now of [[b, a], [a], [a, b, a], [a, worker()]]) {
    expect(keptList(before, now)).toBe(now);
  }
  const first = [a];
  expect(keptList(null, first)).toBe(first);
});
