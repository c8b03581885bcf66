import { expect, test } from 'vitest';
import { formatOf } from './input-format.ts';

test.each([
  ['inputs.NDJSON', 'anything', 'ndjson'],
  [null, '', 'json'],
  ['a.jsonl', '', 'ndjson'],
  ['list.json', '', 'json'],
  ['table.tsv', '', 'csv'],
  ['poem.txt', '[1]', 'lines'],
])('a file %s is told by its ending', (name, text, format) => {
  expect(formatOf(name, text)).toBe(format);
});

test.each([
  ['an array on a line', '[1, 2, 3]', 'json'],
  ['an array over lines', '[\n  1,\n  2\n]', 'json'],
  ['an array that is not closed yet', '[1, 2', 'json'],
  ['arrays on lines', '[1, 2]\n[3, 4]', 'ndjson'],
  ['objects on lines, behind a mark', '\ufeff{"a": 1}\n{"a": 2}', 'ndjson'],
  ['one number', '5', 'ndjson'],
  ['an object over lines, which is no list', '{\n  "a": 1\n}', 'json'],
  ['a table', 'id,name\n1,Ada', 'csv'],
  ['a table with semicolons', 'id;name\r\n1;Ada', 'csv'],
  ['a sentence with a comma', 'Shall I compare thee,\nto a day?', 'lines'],
  ['words', 'alpha\nbeta', 'lines'],
])('%s is told by its text', (_what, text, format) => {
  expect(formatOf(null, text)).toBe(format);
});
