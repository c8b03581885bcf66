// The order of the local queue: by priority, and of equal ones by arrival, whatever leaves and comes back.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Jobs } from './jobs.ts';
import type { LocalAttempt } from './local-attempt.ts';
import { newAttempt } from './local-attempt.ts';
import { defaultTuning } from './port.ts';
import { AttemptQueue } from './queue.ts';
import { program, task } from './testing/scripted-machine.ts';

const jobs = new Jobs({ device: { name: 'w', type: 'pc', platform: 'linux' } }, defaultTuning);
const job = jobs.learn('job', program, () => {})!;

function attempt(index: number, priority?: number): LocalAttempt {
  return newAttempt(task(index, priority === undefined ? {} : { priority }), job, 0);
}

function indices(queue: AttemptQueue): number[] {
  return Array.from(queue, ({ index }) => index);
}

test('what is more important stands first, and of equal ones what came first', () => {
  const queue = new AttemptQueue();
  [undefined, 5, 0, 5, -1, 9, undefined].forEach((priority, index) =>
    queue.append(attempt(index, priority)),
  );
  expect(indices(queue)).toEqual([5, 1, 3, 0, 2, 6, 4]);
});

test('what comes back stands before its equals, behind what is more important', () => {
  const queue = new AttemptQueue();
  for (const [index, priority] of [5, 0, -1].entries()) queue.append(attempt(index, priority));
  for (const [index, priority] of [0, 5, -1, 7].entries()) {
    queue.prepend(attempt(index + 10, priority));
  }
  expect(indices(queue)).toEqual([13, 11, 0, 10, 1, 12, 2]);
});

test('the order holds, and no attempt counts less passed work than one before it', () => {
  const step = fc.record({
    do: fc.constantFrom('append', 'prepend', 'remove', 'pass'),
    priority: fc.integer({ min: -2, max: 2 }),
    at: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new AttemptQueue();
      const model: LocalAttempt[] = [];
      steps.forEach((each, index) => {
        if (each.do === 'pass') queue.passedMs += 1;
        else if (each.do === 'remove') {
          const [gone] = model.splice(each.at % Math.max(1, model.length), 1);
          if (gone !== undefined) queue.remove(gone);
        } else {
          const one = attempt(index, each.priority);
          queue[each.do](one);
          if (each.do === 'append') model.push(one);
          else model.unshift(one);
          model.sort((a, b) => b.priority - a.priority);
        }
        expect(indices(queue)).toEqual(model.map((one) => one.index));
        expect(queue.size).toBe(model.length);
        const passed = Array.from(queue, ({ passedFromMs }) => passedFromMs);
        expect(passed).toEqual(passed.toSorted((a, b) => a - b));
      });
    }),
  );
});
