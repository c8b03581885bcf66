import { expect, test } from 'vitest';
import { CapturedOutput } from './captured-output.ts';

function captured(limit: number, ...texts: readonly string[]): string {
  const output = new CapturedOutput(limit);
  for (const text of texts) output.add(text);
  return output.text();
}

test('what fits is kept as it is', () => {
  expect(captured(8, 'ab', 'cd', 'efgh')).toBe('abcdefgh');
});

test('of more, the beginning and the end are kept, and what is missing is counted', () => {
  expect(captured(8, 'abcdefghi')).toBe('abcd\n… 1 characters are left out here …\nfghi');
  expect(captured(8, 'abc\n', ...Array<string>(1000).fill('x'), 'end\n')).toBe(
    'abc\n… 1000 characters are left out here …\nend\n',
  );
});

test('it begins anew when it was taken', () => {
  const output = new CapturedOutput(4);
  output.add('abcdefgh');
  expect(output.take()).toContain('4 characters');
  expect(output.isEmpty).toBe(true);
  output.add('i');
  expect(output.text()).toBe('i');
});
