// When the code of children is built.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { BuiltCode } from './built-code.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Code that nobody has built yet, and how often it was to be built. */
function unbuilt(): { code: BuiltCode; builds: () => number } {
  const folder = mkdtempSync(join(tmpdir(), 'muster-unbuilt-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const code = new BuiltCode(folder, process.execPath, []);
  const build = vi.spyOn(code, 'build').mockResolvedValue();
  return { code, builds: () => build.mock.calls.length };
}

/** Tasks come every half second. */
function work(code: BuiltCode, seconds: number): void {
  for (let i = 0; i < seconds * 2; i++) {
    code.worked();
    vi.advanceTimersByTime(500);
  }
}

test('an idle worker builds five seconds after its first child was ready', () => {
  const { code, builds } = unbuilt();
  code.buildSoon();
  vi.advanceTimersByTime(4_999);
  expect(builds()).toBe(0);
  vi.advanceTimersByTime(1);
  expect(builds()).toBe(1);
});

test('one with tasks builds when none was begun for two seconds', () => {
  const { code, builds } = unbuilt();
  code.buildSoon();
  work(code, 20);
  expect(builds()).toBe(0);
  vi.advanceTimersByTime(1_499);
  expect(builds()).toBe(0);
  vi.advanceTimersByTime(1);
  expect(builds()).toBe(1);
});

test('one that is never without tasks builds after a minute', () => {
  const { code, builds } = unbuilt();
  code.buildSoon();
  work(code, 59.5);
  expect(builds()).toBe(0);
  work(code, 1);
  expect(builds()).toBe(1);
});

test('a further child that is ready changes nothing while it waits or builds', async () => {
  const { code, builds } = unbuilt();
  code.buildSoon();
  vi.advanceTimersByTime(3_000);
  code.buildSoon();
  vi.advanceTimersByTime(2_000);
  code.buildSoon();
  vi.advanceTimersByTime(5_000);
  expect(builds()).toBe(1);
});
