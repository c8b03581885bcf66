import { expect, test } from 'vitest';
import { createColors } from './colors.ts';
import { eventLine } from './event-line.ts';

const colors = createColors(false);

test.each([
  [{ weights: { cpu: 0.3, 'a b': null } }, 'weights={cpu=0.3, a b=null}'],
  [{ labels: [] }, 'labels=[]'],
  [{ list: ['x', { y: 'z z' }] }, 'list=[x, {y="z z"}]'],
  [{ message: 'row 3 is "empty"' }, String.raw`message="row 3 is \"empty\""`],
  [{ task_id: 'a.1', job_id: 'a', index: 1, worker_id: 'w' }, 'task=a.1  worker=w'],
])('%j is told as %s', (fields, text) => {
  expect(
    eventLine({ type: 'x', ...fields }, colors, 0)
      .trim()
      .replace(/^x +/, ''),
  ).toBe(text);
});

test('an event of another day has a date', () => {
  const event = { type: 'job_finished', at: '2026-03-01T12:00:00.000Z' };
  const nextWeek = Date.parse('2026-03-08T12:00:00.000Z');
  expect(eventLine(event, colors, nextWeek)).toMatch(/^2026-0[23]-\d\d \d\d:\d\d:00\.000 {2}job_f/);
  expect(eventLine(event, colors, Date.parse(event.at))).toMatch(/^\d\d:\d\d:00\.000 {2}job_f/);
});
