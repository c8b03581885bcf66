import { readFileSync } from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { historyText, keepHistory } from './edn.ts';
import { History } from './history.ts';

async function history(): Promise<History<{ readonly type: string; readonly answer: unknown }>> {
  const kept = new History<{ readonly type: string; readonly answer: unknown }>();
  let answerSlow = () => {};
  const slow = kept.record('a "b"', async () => {
    await new Promise<void>((resolve) => (answerSlow = resolve));
    return {
      type: 'answered',
      operation: { type: 'read', answer: { is_there: true, '7': 'x\b' } },
    };
  });
  await kept.record('c', async () => ({
    type: 'unknown',
    operation: { type: 'cancel', answer: null },
  }));
  await kept.record('c', async () => ({ type: 'none' }));
  await kept.record('c', async () => ({
    type: 'answered',
    operation: { type: 'read', answer: [1, 'two'] },
  }));
  answerSlow();
  await slow;
  return kept;
}

test('writes a line for each begin and end of a call, and a process for each who asks', async () => {
  const { calls, unknown } = await history();
  const text = historyText(calls).replaceAll(/:time \d+/g, ':time 0');
  expect(unknown).toBe(1);
  expect(text.split('\n')).toEqual([
    '{:index 0, :time 0, :type :invoke, :process 0, :f :read, :value ["a \\"b\\"" nil]}',
    '{:index 1, :time 0, :type :invoke, :process 1, :f :cancel, :value ["c" nil]}',
    '{:index 2, :time 0, :type :invoke, :process 2, :f :read, :value ["c" nil]}',
    '{:index 3, :time 0, :type :ok, :process 2, :f :read, :value ["c" {:answer [1 "two"]}]}',
    '{:index 4, :time 0, :type :ok, :process 0, :f :read, :value ["a \\"b\\"" {:answer {"7" "x\\u0008", :is-there true}}]}',
    '{:index 5, :time 0, :type :info, :process 1, :f :cancel, :value ["c" {:answer nil}]}',
    '',
  ]);
});

test('keeps it in a file where somebody has asked for it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-history-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { calls } = await history();
  expect(keepHistory(calls, 'nowhere', '')).toBeUndefined();
  const file = keepHistory(calls, 'chaos', join(folder, 'deeper'));
  expect(readFileSync(file!, 'utf8')).toBe(historyText(calls));
});
