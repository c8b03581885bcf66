import { expect, test } from 'vitest';
import { fileNameOf } from './save.ts';

test.each([
  ['docking-batch 7', 'docking-batch-7'],
  ['../../x', 'x'],
  ['a/b:c*?"<>|', 'a-b-c-'],
  ['CON', 'CON-'],
  ['nul.txt', 'nul-.txt'],
  ['console', 'console'],
  ['Größe 大', 'Größe-大'],
  ['\u202e\ud800', 'muster'],
  ['n'.repeat(200), 'n'.repeat(60)],
])('the file of %j is named %s', (name, file) => {
  expect(fileNameOf(name)).toBe(file);
});
