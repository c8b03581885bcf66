import { expect, test } from 'vitest';
import { scriptOf, scriptStart, toScriptForm } from './module-form.ts';
import { ScriptPlaces } from './script-places.ts';

/** Where the script has the word, as a place of the module. */
function placeOf(source: string, word: string): unknown {
  const form = toScriptForm(source);
  const names = ['Math', 'console'];
  const before = scriptOf(form, names).split(word)[0]!.split('\n');
  const places = new ScriptPlaces(form, scriptStart(form.hiddenName, names).length);
  return places.toOriginal({ line: before.length, column: before.at(-1)!.length + 1 });
}

test.each([
  ['the first line of a plain module', 'const a = here; export default () => a'],
  ['the default export without a name', 'export default (n) => here(n)'],
  ['the default export with a name', 'export default function f() { return here }'],
  [
    'a line after others',
    'const a = 1;\n\nexport const b = 2; const c = here;\nexport default () => 1',
  ],
  ['behind a text that is written differently', "const a = '<!--' + here;\nexport default () => a"],
  ['after lines of Windows', 'const a = 1;\r\nexport default () => here'],
  ['after a line for the shell', '#!/usr/bin/env node\nexport default () => here'],
])('a place of the script is found in the module: %s', (_what, source) => {
  const before = source.split('here')[0]!.split('\n');
  const expected = { line: before.length, column: before.at(-1)!.length + 1 };
  expect(placeOf(source, 'here')).toEqual(expected);
});
