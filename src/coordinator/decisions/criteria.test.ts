import { expect, test } from 'vitest';
import { criterionIds } from '../../core/snapshot.ts';
import { criterionIds as namesOnTheWire } from '../../protocol/criteria.ts';

test('criteria have the same names on the wire as in the core, in the same order', () => {
  expect(namesOnTheWire).toEqual(criterionIds);
});
