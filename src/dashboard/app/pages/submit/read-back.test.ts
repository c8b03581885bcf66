import { expect, test } from 'vitest';
import { linesOfInputs } from './read-back.ts';

test('each input is a line, with all of its digits', () => {
  const text =
    '[{"index":0,"input":12345678901234567890},{"index":1,"input":{"a":1.50,"b":"x\\ny"}}]';
  expect(linesOfInputs(text)).toEqual(['12345678901234567890\n', '{"a":1.50,"b":"x\\ny"}\n']);
});

test('null is an input, and one that is damaged is none', () => {
  const text = '[{"input":null},{"input_problem":"The input cannot be read."},{"input":false}]';
  expect(linesOfInputs(text)).toEqual(['null\n', null, 'false\n']);
});
