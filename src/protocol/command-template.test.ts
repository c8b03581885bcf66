import { expect, test } from 'vitest';
import { templateParts } from './command-template.ts';

test('a template is read into its parts', () => {
  expect(templateParts('-o{index}/{input.frame[2].of-day}{{x}')).toEqual([
    { type: 'text', text: '-o' },
    { type: 'word', word: 'index' },
    { type: 'text', text: '/' },
    { type: 'input', path: ['frame', 2, 'of-day'], isSpread: false },
    { type: 'text', text: '{x}' },
  ]);
  expect(templateParts('{file:scene.blend}')).toEqual([{ type: 'file', name: 'scene.blend' }]);
  expect(templateParts('{input...}')).toEqual([{ type: 'input', path: [], isSpread: true }]);
  expect(templateParts('')).toEqual([]);
});

test.each([
  ['{', 'close every brace'],
  ['a{index', 'close every brace'],
  ['{shell}', '"{shell}" is none'],
  ['{input.}', '"{input.}" is none'],
  ['{input[-1]}', '"{input[-1]}" is none'],
  ['{input[01]}', '"{input[01]}" is none'],
  ['{inputs}', '"{inputs}" is none'],
  ['{file:}', '"{file:}" is none'],
  ['-x {input.list...}', 'be nothing but {input.list...}'],
])('%s is no template', (template, why) => {
  expect(templateParts(template)).toContain(why);
});
