import { expect, test } from 'vitest';
import { cutName } from './cut-name.ts';

test('a name that is cut keeps its end, and no letter is cut in two', () => {
  expect(cutName('Chrome · reading room 1', 21)).toBe('Chrome · read\u2026room 1');
  expect(cutName('atlas', 21)).toBe('atlas');
  expect(cutName('🦜'.repeat(10), 6)).toBe(`${'🦜'.repeat(3)}\u2026${'🦜'.repeat(2)}`);
});
