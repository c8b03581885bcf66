import { describe, expect, test } from 'vitest';
import { MusterError } from '../../../../client/errors.ts';
import { lineInProgram, refusalOf } from './refusal.ts';

const refused = (detail: string, path = '') =>
  new MusterError({
    status: 422,
    code: 'validation_failed',
    detail,
    errors: [{ path, message: detail }],
  });

describe('what the coordinator refused is found', () => {
  test('at the line of the input, where the request counts the job as its first', async () => {
    const error = refused('Line 3 has 9 bytes, more than 8 (limit input_bytes).');
    const source = new Blob(['"a"\n\n\n"b"\n']);
    expect(await refusalOf(error, 'ndjson', source)).toEqual({
      place: 'inputs',
      sentence: 'Line 4 has 9 bytes, more than 8 (limit input_bytes).',
      line: 4,
    });
  });

  test('at the row of a table that is too large to be sent', async () => {
    const error = new RangeError('inputs[1] has 9 bytes, and an input may have 8.');
    const source = new Blob(['id\n"1\n1"\n2\n']);
    expect(await refusalOf(error, 'csv', source)).toMatchObject({ place: 'inputs', line: 4 });
  });

  test.each([
    ['program.source', 'program'],
    ['inputs.range.count', 'inputs'],
    ['priority', 'options'],
    ['requirements.labels.a', 'options'],
    ['', 'job'],
  ])('at "%s": in the %s', async (path, place) => {
    const refusal = await refusalOf(refused('It is wrong.', path), 'range', null);
    expect(refusal).toEqual({ place, sentence: 'It is wrong.', line: null });
  });
});

test.each([
  [{ message: 'no', stack: 'at deep (program:7:3)\nat default (program:2:14)' }, 7],
  [{ message: "Unexpected token 'n' (line 2)" }, 2],
  [{ message: 'no default export' }, null],
])('the line of the program is told by %o', (error, line) => {
  expect(lineInProgram(error)).toBe(line);
});
