import { expect, test } from 'vitest';
import type { FromChild } from './messages.ts';
import { OutcomeBuffer } from './outcome-buffer.ts';

function outboxOf(send: (message: FromChild) => void): OutcomeBuffer {
  return new OutcomeBuffer(send, () => 0, { cpuMicros: () => 0 });
}

test('sends outcomes before a message that is sent now', () => {
  const sent: string[] = [];
  const outcomes = outboxOf((message) => sent.push(message[0]));
  outcomes.add(1, 0, '1', 1);
  outcomes.sendNow(['output', 2, 'text']);
  expect(sent).toEqual(['done', 'output']);
  expect(outcomes.isWhole).toBe(true);
});

test('remembers that outcomes were cut short', () => {
  let isDeep = true;
  const outcomes = outboxOf(() => {
    if (isDeep) throw new RangeError('Maximum call stack size exceeded');
  });
  outcomes.add(1, 0, '1', 1);
  expect(() => outcomes.flush()).toThrow(RangeError);
  isDeep = false;
  outcomes.sendNow(['output', 2, 'text']);
  expect(outcomes.isWhole).toBe(false);
});
