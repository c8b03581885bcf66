import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ProgressLine } from './progress-line.ts';
import { createTerminal } from './terminal.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

function drawn(total: number) {
  let text = '';
  const sink = {
    isTTY: true,
    columns: 200,
    write(more: string) {
      if (more.startsWith('\r[')) text = more.slice(1);
      return true;
    },
    once: () => undefined,
  };
  const line = new ProgressLine(createTerminal(sink, sink, {}), total);
  line.draw(true);
  const after = (ms: number, act: () => void) => {
    vi.advanceTimersByTime(ms);
    act();
    return text;
  };
  return { line, after };
}

test('tells how far running tasks are, and the time that is left, before the first has ended', () => {
  const { line, after } = drawn(3);
  expect(after(1000, () => line.reach(0.1))).toBe(
    '[##......................]  10 %  0 of 3 tasks  9.0 s left',
  );
  expect(after(4000, () => line.reach(0.5))).toBe(
    '[############............]  50 %  0 of 3 tasks  5.0 s left',
  );
});

test('tells what has ended, and its rate', () => {
  const { line, after } = drawn(4);
  expect(after(2000, () => line.advance({ index: 0, status: 'completed' }))).toBe(
    '[######..................]  25 %  1 of 4 tasks  0.5/s  6.0 s left',
  );
});

test('of a job that is held there is no rate, and the hold is no part of the time that is left', () => {
  const { line, after } = drawn(4);
  after(2000, () => line.advance({ index: 0, status: 'completed' }));
  expect(after(1000, () => line.reach(0.25, true))).toMatch(/25 % {2}1 of 4 tasks {2}held$/);
  expect(after(20_000, () => line.reach(0.25, true))).toMatch(/1 of 4 tasks {2}held$/);
  expect(after(2000, () => line.reach(0.5))).toMatch(/50 % {2}1 of 4 tasks {2}4\.0 s left$/);
});

test('does not count what was cancelled, and counts what was retried once', () => {
  const { line, after } = drawn(4);
  line.advance({ index: 0, status: 'failed' });
  line.advance({ index: 1, status: 'cancelled' });
  const before = after(100, () => line.advance({ index: 2, status: 'cancelled' }));
  expect(before).toContain('25 %  1 of 4 tasks');
  expect(before).toContain('1 failed');
  line.advance({ index: 0, status: 'completed' });
  line.advance({ index: 1, status: 'completed' });
  expect(after(100, () => line.draw())).toMatch(/50 % {2}2 of 4 tasks(?!.*failed)/);
});
