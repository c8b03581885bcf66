import { expect, test } from 'vitest';
import { createRealRuntime } from './real-runtime.ts';

test('ids are UUIDs of version 7 that rise, in the same millisecond too', () => {
  const { newId } = createRealRuntime();
  const before = Date.now();
  const ids = Array.from({ length: 2_000 }, () => newId());
  expect(ids).toEqual([...new Set(ids)].toSorted());
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  const madeAt = Number.parseInt(ids[0]!.replace('-', '').slice(0, 12), 16);
  expect(madeAt).toBeGreaterThanOrEqual(before);
});
