import { describe, expect, test } from 'vitest';
import type { JobHead, JobSummary } from '../client/index.ts';
import { endedJobs, matcher } from './wanted-jobs.ts';

function job(id: string, completed_at: string | null, name: string | null = null): JobSummary {
  const created_at = '2026-03-01T00:00:00.000Z';
  return {
    id,
    name,
    status: 'completed',
    task_count: 1,
    created_at,
    completed_at,
    client_id: 'me',
    held_since: null,
  };
}

describe('jobs that have ended', () => {
  test('are those that ended before the moment, with such a name; of all pages', async () => {
    const all = [
      job('open', null, 'pi-1'),
      job('young', '2026-03-09T00:00:00.000Z', 'pi-2'),
      ...Array.from({ length: 1500 }, (_, i) => job(`j${i}`, '2026-03-02T00:00:00.000Z', 'pi-3')),
      job('other', '2026-03-02T00:00:00.000Z', 'e-1'),
      job('unnamed', '2026-03-02T00:00:00.000Z'),
    ];
    const asked: unknown[] = [];
    const jobs = async (filter: { limit?: number; after?: string } = {}) => {
      asked.push(filter);
      const from = all.findIndex(({ id }) => id === filter.after) + 1;
      return all.slice(from, from + filter.limit!) as JobHead[];
    };
    const before = Date.parse('2026-03-05T00:00:00Z');
    const found = await endedJobs({ jobs }, { before, client: 'me', name: 'pi*' });
    expect(found).toHaveLength(1500);
    expect(asked).toEqual([
      { limit: 1000, clientId: 'me' },
      { limit: 1000, clientId: 'me', after: 'j997' },
    ]);
    expect(await endedJobs({ jobs }, { status: 'completed' })).toHaveLength(1503);
  });
});

describe('a name', () => {
  test.each([
    ['pi*', 'pi', true],
    ['pi*', 'pi-3', true],
    ['pi*', 'a-pi', false],
    ['*pi', 'a-pi', true],
    ['p?', 'pi', true],
    ['p?', 'p', false],
    ['*a*b', 'xaxbxab', true],
    ['*a*b', 'xaxbxa', false],
    ['', '', true],
    ['*', '', true],
    ['a.c', 'abc', false],
    ['🦊?', '🦊🦊', true],
  ])('like %s: %s is %s', (pattern, name, isLike) => {
    expect(matcher(pattern)(name)).toBe(isLike);
  });
});
