import { expect, test } from 'vitest';
import { defaultLimits } from '../protocol/limits.ts';
import { KnownHeads } from './known-heads.ts';
import { createSubmissionReader } from './submission.ts';

const reader = createSubmissionReader(defaultLimits, null);
const head = (more: object = {}) =>
  Buffer.from(
    JSON.stringify({ program: { kind: 'javascript', source: 'export default 1' }, ...more }),
  );

test('the same head is read once', async () => {
  const first = await reader.readHead(head());
  expect(await reader.readHead(head())).toBe(first);
  expect(await reader.readHead(head({ name: 'another' }))).toMatchObject({ name: 'another' });
  expect(await reader.readHead(head())).toBe(first);
});

test('a head with priorities of its tasks is read each time: they belong to one job', async () => {
  const first = await reader.readHead(head({ task_priorities: [1] }));
  const second = await reader.readHead(head({ task_priorities: [1] }));
  expect(second.taskPriorities).toEqual(first.taskPriorities);
  expect(second.taskPriorities).not.toBe(first.taskPriorities);
});

test('a head that is refused is refused again', async () => {
  for (let i = 0; i < 2; i++) {
    await expect(reader.readHead(head({ max_attempts: 0 }))).rejects.toThrow(/^max_attempts /);
  }
});

test('heads that differ in bytes that are no text are not taken for the same', () => {
  const known = new KnownHeads();
  expect(known.keyOf(Buffer.from([0xff]))).not.toBe(known.keyOf(Buffer.from([0xfe])));
});

test('a long head is not kept, and of short ones those that were used last', async () => {
  const known = new KnownHeads();
  expect(known.keyOf(Buffer.alloc(4_097))).toBeUndefined();
  const submission = await reader.readHead(head());
  for (let i = 0; i < 32; i++) known.keep(`head ${i}`, submission);
  expect(known.find('head 0')).toBe(submission);
  known.keep('one more', submission);
  expect(known.find('head 0')).toBe(submission);
  expect(known.find('head 1')).toBeUndefined();
});
