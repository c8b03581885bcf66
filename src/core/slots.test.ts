import { expect, test } from 'vitest';
import { SlotNumbers } from './slots.ts';
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
  const numbers = new SlotNumbers();
  const all = Array.from({ length: 80 }, (_, slot) => slot);
  expect(all.map(() => numbers.take())).toEqual(all);
  for (const free of [0, 30, 31, 61, 62, 79]) {
    numbers.release(free);
    expect(numbers.take()).toBe(free);
  }
  for (const free of [70, 3, 31]) numbers.release(free);
  expect([1, 2, 3, 4].map(() => numbers.take())).toEqual([3, 31, 70, 80]);
});
