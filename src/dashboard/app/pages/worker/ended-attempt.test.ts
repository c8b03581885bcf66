import { expect, test } from 'vitest';
import { glyphOf, lengthOf, outcomeOf, resumedFrom } from './ended-attempt.ts';

test('what was lost or timed out looks failed, what was taken back does not', () => {
  expect(glyphOf({ status: 'lost' })).toBe('failed');
  expect(glyphOf({ status: 'timed_out' })).toBe('failed');
  expect(glyphOf({ status: 'superseded' })).toBe('cancelled');
  expect(glyphOf({ status: 'completed' })).toBe('completed');
});

test('an outcome has its error, once', () => {
  expect(outcomeOf({ status: 'failed', error_type: 'TypeError' })).toBe('failed: TypeError');
  expect(outcomeOf({ status: 'lost', error_type: 'lost' })).toBe('lost');
  expect(outcomeOf({ status: 'timed_out', error_type: null })).toBe('timed out');
});

test('a length is told of what has begun and ended', () => {
  const started_at = '2026-03-02T14:00:00.000Z';
  expect(lengthOf({ started_at, ended_at: '2026-03-02T14:00:11.200Z' })).toBe('11.2\u202fs');
  expect(lengthOf({ started_at: null, ended_at: started_at })).toBe('not begun');
});

test('what went on tells from where', () => {
  expect(resumedFrom({ resumed_from_progress: 0.62, resumed_from_attempt: 1 })).toBe(
    'from 62.0\u202f%, of attempt 1',
  );
  expect(resumedFrom({ resumed_from_progress: null, resumed_from_attempt: null })).toBeNull();
});
