// Values that all tasks of a job share, and bytes as inputs and results, from the SDK over a coordinator to the sandboxes
// of a worker and back.

import { expect, test } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { cliCoordinator } from '../support/cli-coordinator.ts';

const coordinator = cliCoordinator({});

test('tasks read the value that they share, and cannot change it', async () => {
  const muster = connect(coordinator.url);
  const rates = { de: 19, fr: 20, more: ['a'] };
  const taxed = muster.map(
    ['de', 'fr'],
    (land: string, task) => {
      const shared = task.shared as typeof rates;
      const changes: string[] = [];
      for (const change of [
        () => (shared.de = 1),
        () => shared.more.push('b'),
        () => delete (shared as Partial<typeof rates>).fr,
      ]) {
        try {
          change();
          changes.push('changed');
        } catch (error) {
          changes.push((error as Error).name);
        }
      }
      return [shared[land as 'de' | 'fr'], changes.join(' ')];
    },
    { shared: rates },
  );
  const refused = 'TypeError TypeError TypeError';
  expect(await taxed).toEqual([
    [19, refused],
    [20, refused],
  ]);
});

test('a long shared value goes as a blob, and bytes go as they are', async () => {
  const muster = connect(coordinator.url);
  const words = Array.from({ length: 40_000 }, (_, i) => `word ${i}`);
  const found = muster.map([7, 39_999], (at: number, task) => (task.shared as string[])[at], {
    shared: words,
  });
  expect(await found).toEqual(['word 7', 'word 39999']);

  const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => i % 251);
  const turned = muster.map([bytes, new Uint8Array()], (input: Uint8Array) => {
    if (!(input instanceof Uint8Array)) throw new TypeError('the input is no array of bytes');
    return input.map((byte) => 255 - byte);
  });
  const [first, second] = await turned;
  expect(first).toEqual(bytes.map((byte) => 255 - byte));
  expect(second).toEqual(new Uint8Array());
});
