import { expect, test } from 'vitest';
import type { FromChild } from './messages.ts';
import { Outbox } from './outbox.ts';

function outboxOf(send: (message: FromChild) => void): Outbox {
  return new Outbox(send, () => 0, { cpuMicros: () => 0 });
}

test('sends outcomes before a message that is sent now', () => {
  const sent: string[] = [];
  const outbox = outboxOf((message) => sent.push(message[0]));
  outbox.add(1, 0, '1', 1);
  outbox.sendNow(['output', 2, 'text']);
  expect(sent).toEqual(['done', 'output']);
  expect(outbox.isWhole).toBe(true);
});

test('remembers that outcomes were cut short', () => {
  let isDeep = true;
  const outbox = outboxOf(() => {
    if (isDeep) throw new RangeError('Maximum call stack size exceeded');
  });
  outbox.add(1, 0, '1', 1);
  expect(() => outbox.flush()).toThrow(RangeError);
  isDeep = false;
  outbox.sendNow(['output', 2, 'text']);
  expect(outbox.isWhole).toBe(false);
});
