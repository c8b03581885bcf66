import { parse } from 'acorn';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ProgramInvalid, scriptOf, toScriptForm } from './module-form.ts';
import { arbitraryModule } from './testing/arbitrary-module.ts';
import { moduleTexts } from './testing/module-texts.ts';
import { byNode, byScriptForm, refusedByLook } from './testing/two-loaders.ts';

describe('a valid module gives what it gives when Node loads it', () => {
  test.each(Object.entries(moduleTexts))('%s', async (_name, source) => {
    const expected = await byNode(source);
    expect(expected).toHaveProperty('value');
    expect(withoutObjects(await byScriptForm(source))).toEqual(withoutObjects(expected));
    expect(scriptOf(toScriptForm(source), [])).not.toMatch(refusedByLook);
  });
});

test('any module of a grammar gives what it gives when Node loads it', async () => {
  let taken = 0;
  const property = fc.asyncProperty(arbitraryModule, async (source) => {
    const outcome = await byNode(source);
    expect(await byScriptForm(source)).toEqual(outcome);
    if (!('value' in outcome)) return;
    expect(scriptOf(toScriptForm(source), [])).not.toMatch(refusedByLook);
    taken++;
  });
  await fc.assert(property, { seed: 9, numRuns: 400 });
  // Otherwise the two might agree only because both refuse everything.
  expect(taken).toBeGreaterThan(350);
});

/** Generators are new objects each time; that there is one is enough. */
function withoutObjects(outcome: object): object {
  const { value } = outcome as { value?: unknown };
  const isPlain = typeof value !== 'object' || value === null || Array.isArray(value);
  return isPlain || Object.getPrototypeOf(value) === Object.prototype
    ? outcome
    : { value: Object.prototype.toString.call(value) };
}

test('names a default export as a module does', async () => {
  const forms = ['() => 1', 'function () {}', 'async function* () {}', '(class {})', 'class {}'];
  for (const form of [...forms, 'class extends Object {}', 'function run() {}', 'class A {}']) {
    const { default: expected } = await import(`data:text/javascript,export default ${form}`);
    const { body, defaultName } = toScriptForm(`export default ${form}`);
    // oxlint-disable-next-line typescript/no-implied-eval -- the tests' own sources
    const made = new Function(`'use strict';${body}\n;return ${defaultName};`)() as object;
    expect(made, form).toHaveProperty('name', expected.name);
  }
});

describe('modules that cannot be programs', () => {
  const invalid: readonly (readonly [string, RegExp])[] = [
    ['const a = 1', /no default export/],
    ['import fs from "node:fs"; export default () => 1', /bundle the program .*\(line 1\)/],
    ['import "x"; export default () => 1', /bundle/],
    ['import * as x from "x"; export default () => 1', /bundle/],
    ['import defer * as x from "x"; export default () => 1', /bundle/],
    ['import source x from "x"; export default () => 1', /bundle/],
    ['import x from "x" with { type: "json" }; export default () => 1', /bundle/],
    ['export default () => { import x from "x" }', /top level \(line 1\)/],
    ['\nexport default () => import("x")', /import\(…\) is not available.*\(line 2\)/],
    ['export default import("x")', /import\(…\) is not available/],
    ['import("x"); export default 1', /import\(…\) is not available/],
    ['export default () => import/* a */("x")', /import\(…\) is not available/],
    [String.raw`export default () => \u0069mport("x")`, /Escape sequence in keyword import/],
    ['export default () => new import("x")', /import\(…\) is not available/],
    ['export default () => import.meta.url', /import\.meta is not available \(line 1\)/],
    ['export default () => import . meta', /import\.meta/],
    ['export default () => import.source("x")', /import\.source is not available/],
    ['export default () => import.defer("x")', /import\.defer is not available/],
    ['export default () => import.anything', /import\.anything is not available/],
    ['export { a as default } from "x"', /other modules.*\(line 1\)/],
    ['export * from "x"', /other modules/],
    ['export * as default from "x"', /other modules/],
    ['export default () => eval("1")', /direct eval .*\(line 1\)/],
    ['export default () => (eval)("1")', /direct eval/],
    ['export default 1; export default 2', /two default exports/],
    ['const a = 1; export default 1;\nexport { a as default }', /two default exports \(line 2\)/],
    ['export { "(() => 7)" as default }', /string literal cannot be used .*\(line 1\)/],
    ['export { (() => 7) as default }', /Unexpected token '\('/],
    ['export { a as default }', /Export 'a' is not defined/],
    ['export { if as default }', /Unexpected keyword 'if'/],
    ['let a\nlet a; export default 1', /'a' has already been declared \(line 2\)/],
    ['function a() {} function a() {} export default 1', /'a' has already been declared/],
    ['var a; function a() {} export default 1', /'a' has already been declared/],
    ['let a; { var a } export default 1', /'a' has already been declared/],
    ['export default () => /(/', /Invalid regular expression: Unterminated group \(line 1\)/],
    ['export default () => /a/gg', /Invalid regular expression/],
    ['export default () => with', /Unexpected token 'with'/],
    ['return 7; export default 1', /'return' outside of function/],
    ['export default () => "', /Unterminated string/],
    ['export default () => `${1', /Unexpected end of input/],
    ['export default () => { ', /Unexpected end of input/],
    ['export default () => 1 }', /Unexpected token '}'/],
    ['export default () => /a', /Unterminated regular expression/],
    ['/* export default', /Unterminated comment/],
    ['export default () => `\\u{ `', /Bad escape sequence/],
    ['export default () => "\\u{ "', /Bad character escape/],
    [`export default ${'x'.repeat(100)} y`, /Unexpected token 'y'/],
    [`export default 1 ${'y'.repeat(100)}`, /Unexpected token 'y{40}…'/],
  ];
  test.each(invalid)('refuses %s', (source, message) => {
    expect(() => toScriptForm(source)).toThrow(ProgramInvalid);
    expect(() => toScriptForm(source)).toThrow(message);
  });

  const depth = 200_000;
  const deep: readonly (readonly [string, string])[] = [
    ['round brackets', `${'('.repeat(depth)}1${')'.repeat(depth)}`],
    ['square brackets', '['.repeat(depth)],
    ['blocks', `() => ${'{'.repeat(depth)}`],
    ['functions', 'function(){return '.repeat(depth)],
    ['templates', '`${'.repeat(depth)],
    ['negations', `${'!'.repeat(depth)}1`],
    ['conditions', `() => {${'if (a) {} else '.repeat(depth)}`],
  ];
  test.each(deep)('refuses %s that are nested too deeply, and goes on', (_name, expression) => {
    expect(() => toScriptForm(`\nexport default ${expression}`)).toThrow(
      /nested too deeply.*\(line 2\)/,
    );
    expect(toScriptForm('export default 1').body).toContain('1');
  });

  test('takes a chain of a hundred thousand operators', () => {
    const chain = `${'1 + 2 * 3 - '.repeat(50_000)}1`;
    expect(toScriptForm(`export default ${chain}`).body).toContain(chain);
  });
});

test('takes for operators what opens a comment in scripts', async () => {
  // The engine itself refuses `<!--` in modules, where the language has no such comments.
  const source = 'export default () => { let a = 3, b = 2; return [a<!--b, b, a<<!--b] }';
  expect(await byScriptForm(source)).toEqual({ value: [false, 1, 6] });
});

test('keeps the numbers of the lines', () => {
  const source =
    '#!shell\nexport\n/* a\n b */ default\nfunction\nrun() { return 1 }\nexport {\n run\n}\n' +
    't`import(\n\n${\n1}\r\n`;\n/import(a)/\r// -->\u2028"import(\\\n"\n// end';
  expect(lineCount(toScriptForm(source).body)).toBe(lineCount(source));
});

function lineCount(text: string): number {
  return text.split(/\r\n|[\n\r\u2028\u2029]/).length;
}

describe('a module of the worst kind is read in linear time', () => {
  const count = 10_000;
  const names = Array.from({ length: count }, (_, i) => `a${i}`).join();
  const texts: Readonly<Record<string, string>> = {
    'strings after a word that is text': `${'"a";'.repeat(count)} "import("`,
    'strings before a word that is text': `"import(" ${';"a"'.repeat(count)}`,
    'words that are text': '"import(<!---->";'.repeat(count),
    'escapes that are not closed': `f = (t) => { ${'t`\\u{`;'.repeat(count)} }`,
    'names of one scope': `f = () => { let ${names} }`,
    'names at the top': `0; let ${names}; export { ${names} }`,
    'names of blocks inside of each other': `0; ${'{'.repeat(400)}var ${names}${'}'.repeat(400)}`,
    'groups of one name': `/${'(?<a>)|'.repeat(1000)}/`,
  };
  afterEach(() => vi.restoreAllMocks());

  test.each(Object.entries(texts))('%s', (_name, text) => {
    const source = `let f; export default ${text}`;
    expect(lookedAt(() => toScriptForm(source))).toBeLessThan(20 * source.length);
  });

  test.each(['escapes that are not closed', 'names of one scope'])(
    'while the parser as it comes would look again and again: %s',
    (name) => {
      const source = `let f; export default ${texts[name]}`;
      const options = { sourceType: 'module', ecmaVersion: 'latest' } as const;
      expect(lookedAt(() => parse(source, options))).toBeGreaterThan(500 * source.length);
    },
  );
});

/** How many characters and list items the searches in it passed. */
function lookedAt(run: () => unknown): number {
  let passed = 0;
  const { exec } = RegExp.prototype;
  vi.spyOn(RegExp.prototype, 'exec').mockImplementation(function (this: RegExp, text) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const match = exec.call(this, text);
    passed += (match === null ? (this.sticky ? from : text.length) : match.index) - from;
    return match;
  });
  const find = String.prototype.indexOf;
  vi.spyOn(String.prototype, 'indexOf').mockImplementation(function (this: string, word, from) {
    const found = find.call(this, word, from);
    passed += (found < 0 ? this.length : found) - (from ?? 0);
    return found;
  });
  const findItem = Array.prototype.indexOf;
  vi.spyOn(Array.prototype, 'indexOf').mockImplementation(function (this: unknown[], item) {
    const found = findItem.call(this, item);
    passed += found < 0 ? this.length : found;
    return found;
  });
  run();
  vi.restoreAllMocks();
  return passed;
}
