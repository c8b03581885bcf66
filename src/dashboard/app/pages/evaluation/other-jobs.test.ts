import { expect, test } from 'vitest';
import { otherJobsSentence } from './other-jobs.ts';

const of = (...ids: readonly string[]) => ids.map((job_id) => ({ job_id }));
const told = (one: readonly string[], other: readonly string[]) =>
  otherJobsSentence(of(...one), of(...other), (id) => id.toUpperCase());

test('the same jobs are told by nothing, whichever had more of the work', () => {
  expect(told(['a', 'a', 'b'], ['b', 'a'])).toBe(null);
  expect(told([], [])).toBe(null);
});

test('jobs of one time alone are named, of either side', () => {
  expect(told(['a', 'b'], ['a', 'c'])).toMatch(/^Not the same jobs ran in both: B and C in one/);
  expect(told(['a', 'b', 'c', 'd', 'e'], [])).toContain('A, B, C and 2 more in one alone');
});
