import { beforeEach, expect, test } from 'vitest';
import type { AuditEntry } from '../../store/rows.ts';
import { byItself, type Told } from '../port/audit.ts';
import { Gathered } from './gathered.ts';

let gathered: Gathered;
beforeEach(() => {
  gathered = new Gathered();
});

function refusal(more: Partial<Told> = {}): Told {
  const code = 'unauthorized';
  const from = { address: '192.0.2.1', object: '/api/jobs' };
  return { ...byItself, action: 'read', outcome: 'refused', code, ...from, ...more };
}

const counts = (entries: readonly AuditEntry[]) => entries.map(({ count }) => count);
const sum = (entries: readonly AuditEntry[]) => counts(entries).reduce((all, one) => all + one, 0);

test('100000 refusals of one asker are one entry, with the time of the first', () => {
  for (let i = 0; i < 100_000; i++) gathered.add(refusal(), 1_000 + i);
  const taken = gathered.take();
  expect(taken).toEqual([{ ...refusal(), at: 1_000, count: 100_000 }]);
  expect(gathered.take()).toEqual([]);
});

test('100000 refusals of as many addresses are a bounded number of entries', () => {
  for (let i = 0; i < 100_000; i++) gathered.add(refusal({ address: `address ${i}` }), i);
  const taken = gathered.take();
  expect(taken).toHaveLength(65);
  expect(sum(taken)).toBe(100_000);
  expect(taken.at(-1)).toMatchObject({ action: 'others', address: null, at: 64, count: 99_936 });
});

test('who has shown a token that is known is told however many strangers there are', () => {
  for (let i = 0; i < 1_000; i++) gathered.add(refusal({ address: `address ${i}` }), i);
  gathered.add(refusal({ tokenId: '4k2m9x0b', code: 'forbidden' }), 2_000);
  expect(gathered.take().filter(({ tokenId }) => tokenId !== null)).toHaveLength(1);
});

test('tells apart who asked, for what, and why not; not what it was about', () => {
  for (const more of [
    { address: '192.0.2.2' },
    { tokenId: '4k2m9x0b' },
    { action: 'job.cancel' } as const,
    { code: 'forbidden' },
    { object: '/api/stats' },
  ]) {
    gathered.add(refusal(), 0);
    gathered.add(refusal(more), 0);
  }
  const taken = gathered.take();
  expect(counts(taken)).toEqual([6, 1, 1, 1, 1]);
  expect(taken[0]!.object).toBeNull();
});
