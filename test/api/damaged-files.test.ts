// Files that the disk has damaged while they were closed: nothing is served that was never stored.

import { expect, test } from 'vitest';
import { tryDamages } from '../support/damaged-files.ts';

test.each([
  { name: 'long texts', files: 16, tasks: 300, texts: 'long', seed: 8 },
  { name: 'short texts', files: 16, tasks: 300, texts: 'short', seed: 6 },
  // Of such a file a start looks at one table only.
  { name: 'more than 32 MB', files: 4, tasks: 2_800, texts: 'very long', seed: 7 },
] as const)('no damaged value is served as if it were true: $name', async (options) => {
  const trials = await tryDamages(options);
  expect(trials.filter(({ outcome }) => outcome === 'wrong value')).toEqual([]);
  const told = trials.filter(({ outcome }) => outcome === 'told');
  expect(told.length).toBeGreaterThan(1);
});
