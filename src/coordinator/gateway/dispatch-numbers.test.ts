import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DispatchNumbers } from './dispatch-numbers.ts';

test('nothing has arrived before the first dispatch is whole', () => {
  const numbers = new DispatchNumbers();
  expect(numbers.receivedBy(0)).toBe(0);
  // The first two of three frames.
  expect(numbers.receivedBy(2)).toBe(0);
  numbers.sent(1, 3);
  expect(numbers.receivedBy(2)).toBe(0);
  expect(numbers.receivedBy(3)).toBe(1);
});

test('a dispatch of which nothing was sent has arrived with the one before', () => {
  const numbers = new DispatchNumbers();
  numbers.sent(1, 2);
  numbers.sent(2, 2);
  expect(numbers.receivedBy(1)).toBe(0);
  expect(numbers.receivedBy(2)).toBe(2);
});

test('what a worker says late makes nothing less', () => {
  const numbers = new DispatchNumbers();
  numbers.sent(1, 1);
  numbers.sent(2, 2);
  expect([numbers.receivedBy(2), numbers.receivedBy(1), numbers.receivedBy(2)]).toEqual([2, 2, 2]);
});

test('it is the newest dispatch whose frames were all received, whatever was cut how', () => {
  const steps = fc.array(fc.record({ frames: fc.nat(3), heard: fc.nat(20) }), { maxLength: 20 });
  fc.assert(
    fc.property(steps, (each) => {
      const numbers = new DispatchNumbers();
      const lastFrames: number[] = [];
      let heard = 0;
      each.forEach((step, i) => {
        const last = (lastFrames.at(-1) ?? 0) + step.frames;
        lastFrames.push(last);
        numbers.sent(i + 1, last);
        heard = Math.max(heard, Math.min(step.heard, last));
        const whole = lastFrames.filter((frame) => frame <= heard).length;
        expect(numbers.receivedBy(heard)).toBe(whole);
      });
    }),
  );
});
