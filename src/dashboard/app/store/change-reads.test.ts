import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ChangeReads } from './change-reads.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A list whose answer takes so long. */
function list({ answerMs = 50, pauseMs = 0 } = {}) {
  let reads = 0;
  let onItsWay: Promise<void> | null = null;
  const load = (): Promise<void> => {
    onItsWay ??= (async () => {
      reads++;
      changes.begin();
      await new Promise((resolve) => setTimeout(resolve, answerMs));
    })().finally(() => {
      onItsWay = null;
    });
    return onItsWay;
  };
  const changes = new ChangeReads({
    read: load,
    onItsWay: () => onItsWay,
    pauseMs: () => pauseMs,
  });
  return { changes, load, reads: () => reads };
}

async function changing(changes: ChangeReads, everyMs: number, forMs: number): Promise<void> {
  for (let ms = 0; ms < forMs; ms += everyMs) {
    changes.note();
    await vi.advanceTimersByTimeAsync(everyMs);
  }
}

test('several changes at once are one read', async () => {
  const { changes, reads } = list();
  await changing(changes, 10, 200);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(reads()).toBe(1);
});

test('a change while an answer is on its way is read afterwards', async () => {
  const { changes, load, reads } = list({ answerMs: 2_000 });
  void load();
  await vi.advanceTimersByTimeAsync(100);
  changes.note();
  await vi.advanceTimersByTimeAsync(1_800);
  expect(reads()).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(reads()).toBe(2);
});

test('changes without an end do not make it read more and more, whoever else reads it', async () => {
  const { changes, load, reads } = list();
  const beside = setInterval(() => void load(), 5_000);
  await changing(changes, 20, 120_000);
  clearInterval(beside);
  expect(reads()).toBeLessThanOrEqual(120_000 / 300 + 120_000 / 5_000);
});

test('what is long is read less often, and a first change all the same soon', async () => {
  const { changes, reads } = list({ pauseMs: 1_500 });
  changes.note();
  await vi.advanceTimersByTimeAsync(310);
  expect(reads()).toBe(1);
  await changing(changes, 20, 15_000);
  expect(reads()).toBeLessThanOrEqual(11);
  expect(reads()).toBeGreaterThanOrEqual(9);
});
