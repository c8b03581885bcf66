import { describe, expect, test } from 'vitest';
import { amountOf, amountOfLimit, shareUsed, wordsOf } from './quota-bounds.ts';
import { retentionSentence } from './retention.ts';

describe('a bound', () => {
  test('is told in its unit', () => {
    expect(wordsOf('submissions_per_minute')).toBe('Submissions per minute');
    expect(amountOf('stored_bytes', 5e9)).toBe('5\u202fGB');
    expect(amountOf('submissions_per_minute', 60_000)).toBe('60\u202f000 a minute');
    expect(amountOf('open_jobs', 12)).toBe('12');
    expect(amountOfLimit('body_bytes', 8_388_608)).toBe('8\u202fMiB');
    expect(amountOfLimit('body_bytes', 5_000_000)).toBe('5\u202fMB');
    expect(amountOfLimit('workers', 200_000)).toBe('200\u202f000');
  });

  test.each([
    [5, 10, 0.5],
    [20, 10, 1],
    [0, 0, 1],
    [null, 10, null],
    [5, null, null],
  ])('of which %s are used, of %s, is used to %s', (used, bound, share) => {
    expect(shareUsed(used, bound)).toBe(share);
  });
});

describe('how long jobs are kept', () => {
  const end = '2026-05-04T10:00:00.000Z';
  const options = {};
  const own = {
    completed_at: end,
    expires_at: '2026-05-04T11:00:00.000Z',
    options: { retain_seconds: 3600 },
  };

  test('is told by one that has ended and has no time of its own', () => {
    const month = { completed_at: end, expires_at: '2026-06-03T10:00:00.000Z', options };
    expect(retentionSentence([own, month])).toBe(
      'Jobs are kept for 30\u202fd after their end, then they are removed with their results.',
    );
    expect(retentionSentence([{ completed_at: end, expires_at: null, options }])).toBe(
      'Jobs are kept for good after their end.',
    );
  });

  test('cannot be told without one', () => {
    const open = { completed_at: null, expires_at: null, options };
    expect(retentionSentence([own, open])).toBe('No job that has ended tells how long it is kept.');
  });
});
