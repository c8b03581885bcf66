import { expect, test } from 'vitest';
import { mapLinkStart, withoutMap } from './program.ts';

test.each([
  ['its last line', `x;\n${mapLinkStart}e30=\n`, 'x;\n'],
  ['its last line without an end', `x;\ny;\n${mapLinkStart}e30=`, 'x;\ny;\n'],
  ['none', 'x;\n', 'x;\n'],
  ['a text inside', `x;\n${mapLinkStart}e30=\ny;`, `x;\n${mapLinkStart}e30=\ny;`],
])('a program without its source map: %s', (_what, source, expected) => {
  expect(withoutMap(source)).toBe(expected);
});
