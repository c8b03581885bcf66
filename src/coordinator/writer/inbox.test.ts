// Which works the next batch takes: what may pass comes before frames of long jobs, and keeps nothing from its turn.

import { describe, expect, test } from 'vitest';
import type { Work } from './batch.ts';
import { BatchSize } from './batch-size.ts';
import { Inbox } from './inbox.ts';

const usual = new BatchSize(300, 1_000);

interface Named extends Work {
  readonly name: string;
}

function work(name: string, size: number, mayPass: boolean): Named {
  return { name, size, mayPass, isAwaited: false, run: () => {}, abandon: () => {} };
}

function filled(...names: readonly string[]): Inbox {
  const inbox = new Inbox();
  names.forEach((name, at) => inbox.add(worked(name), at));
  return inbox;
}

/** `f…` are frames of ten results, `s…` are short. */
function worked(name: string): Named {
  return name.startsWith('f') ? work(name, 10, false) : work(name, 1, true);
}

function take(inbox: Inbox, size: number): string {
  return inbox
    .take(size)
    .map((each) => (each as Named).name)
    .join(' ');
}

describe('a batch', () => {
  test('is of what may pass alone, and the next one takes from the others', () => {
    const inbox = filled('f1', 'f2', 's1', 'f3', 's2');
    expect(take(inbox, 20)).toBe('s1 s2');
    inbox.add(worked('s3'), 9);
    expect(take(inbox, 20)).toBe('s3 f1 f2');
    expect(take(inbox, 20)).toBe('f3');
    expect(inbox.isEmpty).toBe(true);
  });

  test('takes everything in the order of arrival every second time when very much may pass', () => {
    const inbox = filled('s1', 's2', 'f1', 's3', 's4', 's5', 's6', 's7');
    expect(take(inbox, 2)).toBe('s1 s2');
    expect(take(inbox, 4)).toBe('f1');
    expect(take(inbox, 4)).toBe('s3 s4 s5 s6');
    expect(take(inbox, 4)).toBe('s7');
  });

  test('is of about the size that was asked for', () => {
    const inbox = filled('f1', 'f2', 'f3');
    expect(take(inbox, 11)).toBe('f1 f2');
    expect(take(inbox, 11)).toBe('f3');
  });
});

describe('batches are smaller', () => {
  test('while short works come beside long ones', () => {
    const inbox = filled('f1', 'f2', 's1', 'f3');
    expect(inbox.sizeOf(usual)).toBe(300);
    inbox.take(30);
    expect(inbox.sizeOf(usual)).toBe(100);
    expect(inbox.sizeOf(new BatchSize(1, 1))).toBe(1);
  });

  test('and as large as before when none has come for fifty batches', () => {
    const inbox = filled('f1', 'f2', 's1', 'f3');
    inbox.take(30);
    for (let batches = 1; batches < 50; batches++) inbox.take(30);
    expect(inbox.sizeOf(usual)).toBe(100);
    inbox.take(30);
    expect(inbox.sizeOf(usual)).toBe(300);
  });

  test('ten times after somebody had to wait to read', () => {
    const inbox = filled('f1', 'f2');
    inbox.hurry();
    for (let batches = 0; batches < 10; batches++) {
      expect(inbox.sizeOf(usual)).toBe(100);
      inbox.take(5);
    }
    expect(inbox.sizeOf(usual)).toBe(300);
  });

  test('not for short works alone, nor for long ones alone', () => {
    const short = filled('s1', 's2', 's3');
    short.take(2);
    expect(short.sizeOf(usual)).toBe(300);
    const long = filled('f1', 'f2', 'f3');
    long.take(20);
    expect(long.sizeOf(usual)).toBe(300);
  });
});

test('what may not pass never comes before what arrived before it', () => {
  const inbox = filled('s1', 's2', 's3', 's4', 'f1', 's5');
  const taken: string[] = [];
  while (!inbox.isEmpty) taken.push(...take(inbox, 2).split(' '));
  expect(taken.indexOf('f1')).toBeGreaterThan(taken.indexOf('s4'));
  expect(taken).toHaveLength(6);
});

test('what arrived before the oldest work that is left has been heard', () => {
  const inbox = filled('f1', 's1', 'f2');
  inbox.take(5);
  expect(inbox.heardUntil).toBe(0);
  inbox.shift(1000);
  expect(inbox.heardUntil).toBe(1000);
  inbox.take(5);
  expect(inbox.heardUntil).toBe(1002);
  inbox.take(5);
  expect(inbox.heardUntil).toBeUndefined();
});

test('little that waits is not passed: it is one batch, in the order of arrival', () => {
  expect(take(filled('f1', 's1', 'f2', 's2'), 80)).toBe('f1 s1 f2 s2');
});

test('nothing is left when everything was taken', () => {
  const inbox = filled('f1', 's1', 'f2', 's2');
  expect(inbox.takeAll().map((each) => (each as Named).name)).toEqual(['f1', 's1', 'f2', 's2']);
  expect(inbox.isEmpty).toBe(true);
});

const sized = (size: number, bytes: number) => ({ size, bytes }) as Work;
const megabyte = 1024 * 1024;

test('a batch ends with the work that brings it to its number of commands', () => {
  const inbox = new Inbox();
  const works = Array.from({ length: 5 }, () => sized(100, 10));
  for (const each of works) inbox.add(each, 0);
  expect(inbox.take(300)).toEqual(works.slice(0, 3));
  expect(inbox.take(300)).toEqual(works.slice(3));
  expect(inbox.isEmpty).toBe(true);
});

test('a batch ends with the work that brings it to a megabyte, and holds one work at least', () => {
  const inbox = new Inbox();
  const works = [3 * megabyte, 600_000, 600_000, 600_000].map((bytes) => sized(1, bytes));
  for (const each of works) inbox.add(each, 0);
  expect(inbox.take(300)).toEqual(works.slice(0, 1));
  expect(inbox.take(300)).toEqual(works.slice(1, 3));
  expect(inbox.take(300)).toEqual(works.slice(3));
  expect(inbox.isEmpty).toBe(true);
});

test('what was taken no longer crowds the inbox', () => {
  const inbox = new Inbox({ commands: 1_000, bytes: 2 * megabyte });
  for (let i = 0; i < 3; i++) inbox.add(sized(1, megabyte), i);
  expect(inbox.isCrowded).toBe(true);
  inbox.take(300);
  inbox.take(300);
  expect(inbox.ease()).toBe(2);
  expect(inbox.isCrowded).toBe(false);
});
