import { describe, expect, test } from 'vitest';
import { readProgram } from './wasm-program.ts';

function read(fields: object, memoryMb = 64) {
  return readProgram({
    jobId: 'job',
    programJson: JSON.stringify({ kind: 'wasm', module: { $blob: 'm' }, ...fields }),
    bytesOf: () => new Uint8Array(0),
    shared: null,
    memoryMb,
  });
}

test('what is not said has its default', () => {
  expect(read({})).toEqual({
    module: 'm',
    input: 'json',
    output: 'json',
    args: [],
    env: [],
    files: [],
    memoryMb: 64,
  });
});

test('a task has no more memory than the worker has for it', () => {
  expect(read({ memory_mb: 16 }).memoryMb).toBe(16);
  expect(read({ memory_mb: 1_000 }).memoryMb).toBe(64);
});

describe('is refused with a sentence', () => {
  const blob = { $blob: 'f' };
  test.each([
    [{ module: 'm' }, /^module must be an object/],
    [{ module: { $bytes: 'm' } }, /^module must be \{"\$blob"/],
    [{ input: 'lines' }, /^input is json, text, bytes/],
    [{ output: 7 }, /^output is /],
    [{ args: 'x' }, /^args must be a list/],
    [{ args: ['a\0b'] }, /U\+0000/],
    [{ env: { 'A=B': '' } }, /variable named "A=B"/],
    [{ env: { A: 1 } }, /^env\.A must be a text/],
    [{ files: { 'data/x': blob } }, /no absolute path/],
    [{ files: { '/a/../b': blob } }, /no absolute path/],
    [{ files: { '/': blob } }, /no absolute path/],
    [{ files: { '/a//b': blob } }, /no absolute path/],
    [{ files: { '/muster/state': blob } }, /lies in \/muster/],
    [{ files: { '/tmp': blob } }, /is a folder/],
    [{ files: { '/a': blob, '/a/b': blob } }, /cannot be a file and hold \/a\/b/],
  ])('%j', (fields, sentence) => {
    expect(() => read(fields)).toThrow(sentence);
  });
});
