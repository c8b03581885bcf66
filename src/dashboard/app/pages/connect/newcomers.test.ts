import { expect, test } from 'vitest';
import { aWorker, before, nowMs } from '../workers/testing.ts';
import { claimsOf, newcomersOf, sinceOf } from './newcomers.ts';

test('the newest stands first, who waits longest before them', () => {
  const workers = [
    aWorker({ id: 'old', registered_at: before(600) }),
    aWorker({ id: 'new', registered_at: before(10) }),
    aWorker({ id: 'asks', status: 'waiting', registered_at: before(5) }),
    aWorker({ id: 'asked', status: 'waiting', registered_at: before(50) }),
  ];
  const { waiting, joined } = newcomersOf(workers, null, nowMs);
  expect(waiting.map(({ id }) => id)).toEqual(['asked', 'asks']);
  expect(joined.map(({ id }) => id)).toEqual(['new', 'old']);
});

test('who came long ago is told only if it was by this link', () => {
  const joined_by = { token_id: 'link', label: null };
  const workers = [
    aWorker({ id: 'by', registered_at: before(9_000), joined_by }),
    aWorker({ id: 'other', registered_at: before(9_000) }),
  ];
  expect(newcomersOf(workers, 'link', nowMs).joined.map(({ id }) => id)).toEqual(['by']);
  expect(newcomersOf(workers, null, nowMs).joined).toEqual([]);
});

test('claims are what was told, and no more', () => {
  const telemetry = { cpu_cores: 8, ram_total_mb: 8_192, battery_level_percent: 83 };
  expect(claimsOf(aWorker({ type: 'browser', platform: 'android', telemetry }))).toBe(
    'browser, android, 8 cores, 8.19\u202fGB, 83\u202f% charged',
  );
  expect(claimsOf(aWorker({ slots: 1 }))).toBe('PC, linux, 1 slot');
  expect(claimsOf(aWorker({ type: 'android_node', platform: 'android' }))).toBe('Android, 4 slots');
});

test('what it did since is told in a word', () => {
  expect(sinceOf(aWorker({ total_completed: 96 }))).toBe('96 tasks done');
  expect(sinceOf(aWorker({ active_tasks: 1 }))).toBe('at its first task');
  expect(sinceOf(aWorker({ rests_because: 'charging' }))).toBe('rests: only while charging');
  expect(sinceOf(aWorker({ status: 'offline', total_completed: 3 }))).toBe('away again');
  expect(sinceOf(aWorker())).toBe('ready');
  expect(sinceOf(aWorker({ total_failed: 2 }))).toBe('2 of 2 attempts failed');
  const draining = { since: null, deadline: null };
  expect(sinceOf(aWorker({ draining, total_completed: 1, total_failed: 9 }))).toBe(
    '9 of 10 attempts failed',
  );
  expect(sinceOf(aWorker({ draining }))).toBe('is given nothing');
});
