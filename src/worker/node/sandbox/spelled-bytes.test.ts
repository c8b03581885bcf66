import { expect, test } from 'vitest';
import { longOrders, longSaying, textsInOrders, textsInSaying } from '../../sandbox/long-texts.ts';
import { doneBytes, doneResult, type FromChild, type ToChild } from '../../sandbox/messages.ts';
import { readSpelledBytes, spellBytes } from './spelled-bytes.ts';

const long = 'x'.repeat(3000);
/** As the channel of messages does it. */
const sent = <T>(message: T): T => JSON.parse(JSON.stringify(message)) as T;

test('bytes in orders come through a channel that carries JSON only', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i).subarray(5);
  const fields = [1, 'j.0', 0, 1, bytes, long, 0, 2, 'j.1', 1, 1, '"*"', null, 0];
  const told = sent(spellBytes(longOrders([['run', 'j', fields]])!)) as ToChild[];
  readSpelledBytes(textsInOrders(told));
  expect(told).toEqual([['run', 'j', fields]]);
  const { 4: value } = told[0]![2] as unknown[];
  expect((value as Uint8Array).buffer.byteLength).toBe(251);
});

test('so do those in what a child says, and damaged ones become some bytes', () => {
  const items = [1, doneBytes, Uint8Array.of(), 0, 0, 2, doneResult, long, 0, 0];
  const told = sent(spellBytes(longSaying(['done', items])!)) as FromChild;
  readSpelledBytes(textsInSaying(told));
  expect(told).toEqual(['done', items]);
  const damaged = ['done', [1, doneBytes, '*?YQ', 0, 0]];
  readSpelledBytes(textsInSaying(damaged));
  expect((damaged[1] as unknown[])[2]).toBeInstanceOf(Uint8Array);
});
