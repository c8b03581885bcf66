import { expect, test } from 'vitest';
import type { ClusterLook } from '../store/membership.ts';
import { othersOf } from './cluster-resource.ts';

test('other members are those that are alive, with the fewest workers first and without their pins', () => {
  const at = 100_000;
  const row = (id: string, workers: number, seenAt = at) => ({
    id,
    url: `https://${id}.example#k=pin-of-${id}`,
    version: '1',
    mayLead: true,
    workers,
    seenAt,
  });
  const coordinators = [row('a', 0), row('b', 9), row('c', 2), row('d', 0, at - 5_000)];
  const look = { at, coordinators } as unknown as ClusterLook;
  expect(othersOf(look, 'a')).toEqual(['https://c.example', 'https://b.example']);
  expect(othersOf({ ...look, coordinators: [row('a', 0)] }, 'a')).toEqual([]);
});
