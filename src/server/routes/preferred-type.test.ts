import { expect, test } from 'vitest';
import { preferredType } from './preferred-type.ts';

const types = { json: 'application/json', ndjson: 'application/x-ndjson', csv: 'text/csv' };

test.each([
  [undefined, 'json'],
  ['', 'json'],
  ['*/*', 'json'],
  ['text/html, */*;q=0.8', 'json'],
  ['application/json', 'json'],
  ['text/csv', 'csv'],
  ['Text/CSV; charset=utf-8', 'csv'],
  ['application/x-ndjson, application/json', 'ndjson'],
  ['application/x-ndjson;q=0.4, application/json;q=0.5', 'json'],
  ['application/json;q=0.4, text/csv;q=0.5', 'csv'],
  ['text/csv;q=0', 'json'],
  ['text/csv;q=none', 'json'],
])('of Accept: %s it takes %s', (accept, name) => {
  expect(preferredType(accept, types)).toBe(name);
});
