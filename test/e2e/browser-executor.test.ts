// The executor of a browser, with real frames in a real browser.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { CagePage } from '../support/cage-harness.ts';
import { valueOf } from '../support/task-harness.ts';

let cage: CagePage;

beforeAll(async () => {
  cage = await CagePage.open();
});
afterAll(async () => {
  await cage.close();
});

test('runs a task and returns its result', async () => {
  const harness = await cage.harness();
  expect(valueOf(await harness.run('export default (n) => n * 2', 21))).toBe(42);
  await harness.close();
});
