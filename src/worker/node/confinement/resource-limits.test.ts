import { expect, test } from 'vitest';
import { countsWithinNamespace } from './resource-limits.ts';

test.each([
  ['4.19.0-27-amd64', false],
  ['5.13.19', false],
  ['5.14.0-503.el9.x86_64', true],
  ['6.1.0-13-amd64', true],
  ['10.0.1', true],
])('Linux %s counts the threads of a user namespace by itself: %s', (version, isSo) => {
  expect(countsWithinNamespace(version)).toBe(isSo);
});
