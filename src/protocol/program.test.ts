import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  blobsNamedBy,
  canonicalText,
  kindForm,
  kindOf,
  mapLinkStart,
  type Program,
  withoutMap,
} from './program.ts';

const [a, b] = ['a', 'b'].map((digit) => ({ $blob: digit.repeat(64) })) as [
  { $blob: string },
  { $blob: string },
];

describe('the text of a program', () => {
  test('is that of before for JavaScript, so that its hash stays', () => {
    const text = canonicalText({ source: 'export default (x) => x', kind: 'javascript' });
    expect(text).toBe('{"kind":"javascript","source":"export default (x) => x"}');
    expect(hash('sha256', text)).toBe(
      '73d4e24e08d096378274dd62e632944aeb3023a269284f05777571fe19f250aa',
    );
  });

  test('is the same in whatever order the fields came, at every depth', () => {
    const one: Program = { kind: 'wasm', module: a, env: { B: '1', A: '2' }, args: ['z', 'a'] };
    const other: Program = { args: ['z', 'a'], env: { A: '2', B: '1' }, module: a, kind: 'wasm' };
    expect(canonicalText(one)).toBe(canonicalText(other));
    expect(JSON.parse(canonicalText(one))).toEqual(one);
    expect(canonicalText({ ...one, args: ['a', 'z'] })).not.toBe(canonicalText(one));
  });
});

test('a program names its blobs, with their places', () => {
  const files = { '/a': a, '/b c': b };
  expect(blobsNamedBy({ kind: 'wasm', module: b, files })).toEqual([
    { sha256: b.$blob, place: 'module' },
    { sha256: a.$blob, place: 'files["/a"]' },
    { sha256: b.$blob, place: 'files["/b c"]' },
  ]);
  const packages = [{ name: 'x-1-py3-none-any.whl', content: a }];
  expect(blobsNamedBy({ kind: 'python', source: '', packages })).toEqual([
    { sha256: a.$blob, place: 'packages[0].content' },
  ]);
  expect(blobsNamedBy({ kind: 'command', command: 'x' })).toEqual([]);
  expect(blobsNamedBy({ kind: 'javascript', source: '' })).toEqual([]);
});

test('a command is a kind of its own, and every kind has the form of one', () => {
  expect(kindOf({ kind: 'command', command: 'ffmpeg-7.1' })).toBe('command:ffmpeg-7.1');
  expect(kindOf({ kind: 'python', source: '' })).toBe('python');
  for (const kind of ['python', 'command:ffmpeg-7.1', 'none']) expect(kind).toMatch(kindForm);
  for (const kind of ['Python', 'command:', 'command:/bin/sh', 'command:a b', ''])
    expect(kind).not.toMatch(kindForm);
});

test.each([
  ['its last line', `x;\n${mapLinkStart}e30=\n`, 'x;\n'],
  ['its last line without an end', `x;\ny;\n${mapLinkStart}e30=`, 'x;\ny;\n'],
  ['none', 'x;\n', 'x;\n'],
  ['a text inside', `x;\n${mapLinkStart}e30=\ny;`, `x;\n${mapLinkStart}e30=\ny;`],
])('a program without its source map: %s', (_what, source, expected) => {
  expect(withoutMap(source)).toBe(expected);
});
