import { expect, test } from 'vitest';
import { codePath } from './code-path.ts';

test('each run of dark modules is a box of its row', () => {
  expect(codePath(['0110', '1001'])).toBe('M1 0h2v1h-2zM0 1h1v1h-1zM3 1h1v1h-1z');
});

test('what is light is not drawn', () => {
  expect(codePath(['000'])).toBe('');
});
