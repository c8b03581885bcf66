import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { shownPath } from './output-file.ts';

test('a file is named from the folder that it lies in, and in full when it lies elsewhere', () => {
  const folder = resolve('checkout');
  expect(shownPath(join(folder, '.muster', 'chart.svg'), folder)).toBe(
    join('.muster', 'chart.svg'),
  );
  const elsewhere = resolve('experiments', 'chart.svg');
  expect(shownPath(elsewhere, folder)).toBe(elsewhere);
});
