import { expect, test } from 'vitest';
import { expectAlike } from '../conformance/equality.ts';
import { openSqliteStore } from './open.ts';

test('memory and sqlite answer alike after any sequence of writes', async () => {
  const compared = expectAlike(async () => openSqliteStore(':memory:'), 60);
  await expect(compared).resolves.toBeUndefined();
}, 60_000);
