import { expect, test } from 'vitest';
import { diskOutlook, outlookOf } from './check-growth.ts';

const MB = 1024 * 1024;

test.each([
  [100, 20, 1000, '100 MB and took 20 MB a day of late: 50 days until the disk is full', false],
  [100, 20, 30, 'took 20 MB a day of late: 1 day until', true],
  [20_480, 0.05, 1000, '20 GB and took 0.1 MB a day of late: ten years and more until', false],
])('%d MB, %d MB a day, %d MB free: %s', (mb, perDay, free, words, isShort) => {
  const outlook = outlookOf({ bytes: mb * MB, bytesPerDay: perDay * MB }, free * MB);
  expect(outlook).toEqual({ sentence: expect.stringContaining(words), isShort, isFull: false });
});

test.each([null, 1, 20 * MB])(
  'on a full disk nothing is said of jobs to be deleted (%s)',
  (perDay) => {
    const outlook = outlookOf({ bytes: MB, bytesPerDay: perDay }, MB);
    expect(outlook).toMatchObject({ isShort: true, isFull: true });
  },
);

test('a database without a history says nothing of the days to come', () => {
  const { sentence, isShort } = outlookOf({ bytes: MB, bytesPerDay: null }, 1000 * MB);
  expect(sentence).toBe('the database has 1.0 MB; it is too early to tell how fast it grows');
  expect(isShort).toBe(false);
  expect(diskOutlook('/nowhere/muster.db')).toBeUndefined();
});
