import { describe, expect, test } from 'vitest';
import { indexOf, indicesPerJob, jobKeyOf, parseTaskId, taskId, taskKey } from './task-key.ts';

describe('a task key', () => {
  test('keeps job and index apart up to the largest of both', () => {
    for (const [job, index] of [
      [1, 0],
      [1, indicesPerJob - 1],
      [2 ** 29 - 1, indicesPerJob - 1],
    ] as const) {
      const key = taskKey(job, index);
      expect(Number.isSafeInteger(key)).toBe(true);
      expect([jobKeyOf(key), indexOf(key)]).toEqual([job, index]);
    }
    expect(taskKey(1, indicesPerJob - 1) + 1).toBe(taskKey(2, 0));
  });
});

describe('a task id', () => {
  test('is the id of the job and the index', () => {
    expect(taskId('j', 7)).toBe('j.7');
    expect(parseTaskId('j.7')).toEqual({ jobId: 'j', index: 7 });
    expect(parseTaskId('a.b.16777215')).toEqual({ jobId: 'a.b', index: 16_777_215 });
  });

  test.each([
    '',
    '.',
    'j',
    'j.',
    '.7',
    'j.-1',
    'j.07',
    'j.1e3',
    'j.7 ',
    'j.16777216',
    'j.123456789',
  ])('cannot be %j', (text) => {
    expect(parseTaskId(text)).toBeUndefined();
  });
});
