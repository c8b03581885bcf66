import { expect, test } from 'vitest';
import type { Work } from './batch.ts';
import { Inbox } from './inbox.ts';

const work = (size: number, bytes: number) => ({ size, bytes }) as Work;
const megabyte = 1024 * 1024;

test('a batch ends with the work that brings it to its number of commands', () => {
  const inbox = new Inbox();
  const works = Array.from({ length: 5 }, () => work(100, 10));
  for (const each of works) inbox.add(each, 0);
  expect(inbox.take(300)).toEqual(works.slice(0, 3));
  expect(inbox.take(300)).toEqual(works.slice(3));
  expect(inbox.isEmpty).toBe(true);
});

test('a batch ends with the work that brings it to a megabyte, and holds one work at least', () => {
  const inbox = new Inbox();
  const works = [3 * megabyte, 600_000, 600_000, 600_000].map((bytes) => work(1, bytes));
  for (const each of works) inbox.add(each, 0);
  expect(inbox.take(300)).toEqual(works.slice(0, 1));
  expect(inbox.take(300)).toEqual(works.slice(1, 3));
  expect(inbox.take(300)).toEqual(works.slice(3));
  expect(inbox.isEmpty).toBe(true);
});

test('what was taken no longer crowds the inbox', () => {
  const inbox = new Inbox({ commands: 1_000, bytes: 2 * megabyte });
  for (let i = 0; i < 3; i++) inbox.add(work(1, megabyte), i);
  expect(inbox.isCrowded).toBe(true);
  inbox.take(300);
  inbox.take(300);
  expect(inbox.ease()).toBe(2);
  expect(inbox.isCrowded).toBe(false);
});
