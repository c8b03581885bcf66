import { expect, test } from 'vitest';
import type { AttemptRecord } from './records.ts';
import { freeSlot } from './slots.ts';
import { ScriptedCore } from './testing/scripted-core.ts';

test('what begins on a worker has the smallest number that is free', () => {
  const core = new ScriptedCore();
  core.submit('j', { taskCount: 4 });
  core.join('w', { slots: 3 });
  const [, second] = [0, 1, 2].map((index) => core.run('j', index, 'w'));
  core.complete(second!);
  core.run('j', 3, 'w');
  const { attempts } = core.state.workers.get('w')!;
  expect([...attempts].map(({ task, slot }) => [task.index, slot])).toEqual([
    [0, 0],
    [2, 2],
    [3, 1],
  ]);
});

test('there is a number for each of very many', () => {
  const taken = (slots: readonly (number | null)[]) =>
    freeSlot({ attempts: new Set(slots.map((slot) => ({ slot }) as AttemptRecord)) });
  const numbers = Array.from({ length: 80 }, (_, slot) => slot);
  expect(taken([])).toBe(0);
  expect(taken([null, 1])).toBe(0);
  expect(taken(numbers)).toBe(80);
  for (const free of [0, 30, 31, 32, 79]) {
    expect(taken(numbers.filter((slot) => slot !== free))).toBe(free);
  }
});
