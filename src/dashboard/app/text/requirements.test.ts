import { expect, test } from 'vitest';
import { requirementsInWords } from './requirements.ts';

test.for([
  [{ labels: { gpu: 'yes', site: 'lab' } }, 'gpu=yes and site=lab'],
  [{ min_ram_mb: 4_096, labels: { gpu: 'yes' } }, 'min ram mb 4096 and gpu=yes'],
  [{ platforms: ['linux', 'darwin'] }, 'platforms linux or darwin'],
  [{ labels: {} }, null],
  [null, null],
  [undefined, null],
] as const)('%j is told as %s', ([requirements, text]) => {
  expect(requirementsInWords(requirements)).toBe(text);
});
