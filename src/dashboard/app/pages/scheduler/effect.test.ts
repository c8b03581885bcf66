import { expect, test } from 'vitest';
import type { SchedulerPreview } from '../../../../protocol/explanations.ts';
import { chancesOf, effectSentence } from './effect.ts';

const worker = (eligible: boolean, ...codes: readonly string[]) => ({
  eligible,
  reasons: codes.map((code) => ({ code, text: code })),
});
const preview = (workers: readonly object[], placements: readonly object[]) =>
  ({ workers, placements }) as unknown as SchedulerPreview;

test('who is busy may run a task, who lacks what it requires may not', () => {
  const workers = [
    worker(true),
    worker(false, 'no_free_slot'),
    worker(false, 'requirement'),
    worker(false, 'offline', 'no_free_slot'),
  ];
  expect(chancesOf(9, preview(workers, []))).toEqual({
    pending: 9,
    devices: 2,
    isSlotFree: false,
  });
  expect(chancesOf(9, preview(workers, [{}])).isSlotFree).toBe(true);
});

test('only tasks with a choice are affected, and full slots leave none', () => {
  const free = { pending: 12, devices: 3, isSlotFree: true };
  const full = { ...free, isSlotFree: false };
  const bound = { pending: 5, devices: 1, isSlotFree: false };
  expect(effectSentence([free], 1)).toBe(
    'It affects 12 waiting tasks of 1 open job, from the next decision on.',
  );
  const told = effectSentence([full, bound], 2);
  expect(told).toContain('It affects 12 waiting tasks of 1 open job,');
  expect(told).toContain('5 of 1 open job have no two devices');
  expect(told).toContain('Every slot that may run them is taken.');
  expect(effectSentence([free, full], 2)).not.toContain('taken');
  expect(effectSentence(null, 30)).not.toMatch(/affects|taken/);
});
