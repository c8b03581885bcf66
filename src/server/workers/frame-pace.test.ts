import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FramePace } from './frame-pace.ts';

const long = 100_000;

let slow = 0;
let pace: FramePace;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  slow = 0;
  pace = new FramePace(() => slow++);
});
afterEach(() => {
  vi.useRealTimers();
});

test('a long frame of which nothing comes for a minute is not waited for, and said once', () => {
  pace.update(long, true);
  vi.advanceTimersByTime(60_000);
  expect(slow).toBe(0);
  vi.advanceTimersByTime(60_000);
  expect(slow).toBe(1);
});

test('what comes between the pieces of a frame and is none of it makes it no faster', () => {
  pace.update(long, true);
  for (let second = 0; second < 70; second++) {
    pace.update(long + 6, true);
    pace.update(long, true);
    vi.advanceTimersByTime(1000);
  }
  expect(slow).toBeGreaterThan(0);
});

test('a byte now and then is too slow, and a phone with a bad connection is not', () => {
  const arriving = (bytesPerSecond: number) => {
    for (let second = 0; second < 1200; second++) {
      pace.update(long + second * bytesPerSecond, true);
      vi.advanceTimersByTime(1000);
    }
    pace.update(0, true);
    return slow > 0;
  };
  expect(arriving(1000)).toBe(false);
  expect(arriving(1)).toBe(true);
});

test('nobody is slow while nothing is read, nor with a short frame', () => {
  pace.update(long, true);
  vi.advanceTimersByTime(30_000);
  pace.update(long, false);
  vi.advanceTimersByTime(600_000);
  pace.update(1000, true);
  vi.advanceTimersByTime(600_000);
  expect(slow).toBe(0);
});

test('each frame has its own minute', () => {
  for (let i = 0; i < 10; i++) {
    pace.update(long, true);
    vi.advanceTimersByTime(50_000);
    pace.update(0, true);
  }
  expect(slow).toBe(0);
});
