import { expect, test } from 'vitest';
import type { JobPayload } from '../../store/rows.ts';
import { RecentPayloads } from './recent-payloads.ts';

const program = {
  sha256: 'a'.repeat(64),
  json: '{"kind":"javascript","source":"export default 1"}',
};
const submitted = (jobKey: number, inputs: readonly string[]): JobPayload => ({
  jobKey,
  program,
  inputs,
});

test('keeps what small jobs came with, until the database is cleared', () => {
  const recent = new RecentPayloads();
  recent.keep([submitted(1, ['1']), submitted(2, [])]);
  expect(recent.find(1)?.inputs).toEqual(['1']);
  expect(recent.find(2)?.program).toBe(program);
  recent.clear();
  expect(recent.find(1)).toBeUndefined();
});

test('keeps nothing of jobs with many inputs, or long ones', () => {
  const recent = new RecentPayloads();
  const many = Array.from({ length: 17 }, () => '1');
  recent.keep([submitted(1, many), submitted(2, ['1'.repeat(4_096)])]);
  expect([recent.find(1), recent.find(2)]).toEqual([undefined, undefined]);
});

test('of more than a thousand jobs the oldest is forgotten', () => {
  const recent = new RecentPayloads();
  for (let key = 0; key <= 1_000; key++) recent.keep([submitted(key, ['1'])]);
  expect(recent.find(0)).toBeUndefined();
  expect(recent.find(1)).toBeDefined();
  expect(recent.find(1_000)).toBeDefined();
});
