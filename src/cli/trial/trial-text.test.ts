import { expect, test } from 'vitest';
import { programMap } from '../../client/program-map.ts';
import { createColors } from '../text/colors.ts';
import { endLines } from './trial-text.ts';

function failureLines(errorType: string): readonly string[] {
  const outcome = {
    type: 'failure',
    key: 'k',
    errorType,
    errorMessage: 'it took too much',
    retryable: true,
    runMs: 5,
    cpuSeconds: 0,
  } as const;
  return endLines({ outcome, memoryMb: 3 }, programMap(''), createColors(false));
}

test('where the memory was too small, the flag for more is named, and nowhere else', () => {
  expect(failureLines('out_of_memory').at(-1)).toBe('  give it more:  --memory 2GB');
  expect(failureLines('RangeError').join()).not.toContain('--memory');
});
