import { describe, expect, test } from 'vitest';
import { ProgramInvalid, toScriptForm } from './module-form.ts';

/** What the module exports by default, evaluated by the engine like any other script. */
function defaultOf(source: string): unknown {
  const { body, defaultName } = toScriptForm(source);
  // oxlint-disable-next-line typescript/no-implied-eval -- the tests' own sources
  return new Function(`'use strict';${body}\n;return ${defaultName};`)();
}

/** The same, evaluated as what it is. */
async function moduleValueOf(source: string): Promise<unknown> {
  const module = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  return (module as { default: () => unknown }).default();
}

function valueOf(source: string): unknown {
  return (defaultOf(source) as () => unknown)();
}

describe('default exports of every form', () => {
  const forms: Readonly<Record<string, string>> = {
    'a named function': 'export default function run() { return 7 }',
    'a function without a name': 'export default function () { return 7 }',
    'a function that is hoisted': 'run.a = 7; export default function run() { return run.a }',
    'an arrow function': 'export default () => 7',
    'an arrow function with a parameter list': 'export default (a, b) => 7;',
    'a variable': 'const run = () => 7;\nexport default run',
    'an expression in brackets': 'export default (function () { return 7 })',
    'a call': 'const make = () => () => 7; export default make()',
    'a clause': 'function run() { return 7 }\nexport { run as default }',
    'a clause among others':
      'const a = 1, run = () => 7; export { a, run as default, a as "b c" };',
    'a comment between the words': 'export /* the */ default // task\n function run() { return 7 }',
    'one followed by a call on the next line':
      'let n = 0\nexport default function () { return n }\n(() => { n = 7 })()',
    'one beside named exports':
      'export const a = 1, b = 2; export let c; export function d() {} export class E {}\n' +
      'export async function f() {} export default () => a + b + 4',
    'a word like async': 'const async = () => 7; export default async',
    'an import map of properties':
      'const o = { import: 3, export: 4 }; export default () => o.import + o.export',
  };
  test.each(Object.entries(forms))('takes %s', (_name, source) => {
    expect(valueOf(source)).toBe(7);
  });

  test('takes asynchronous functions and generators', async () => {
    await expect(valueOf('export default async function () { return 7 }')).resolves.toBe(7);
    await expect(valueOf('export default async () => 7')).resolves.toBe(7);
    const generator = valueOf('export default function* () { yield 1; return 7 }') as Generator;
    expect([...generator]).toEqual([1]);
  });
});

describe('source in which words of the module grammar are only text', () => {
  const texts: Readonly<Record<string, string>> = {
    'a string': `export default () => 'export default import("x") <!-- -->'`,
    'a string with escapes': String.raw`export default () => "\"export default \import(x) <!-- -->"`,
    'a template': 'export default () => `export default ${`import(${1})`} <!-- -->`',
    'a regular expression':
      'export default () => /[/"`]export default import(x)<!---->/.test("`export default importx<!---->")',
    'a regular expression after a block':
      'export default () => { if (true) {} /"/.test("x"); return /[`]/.source }',
    'a regular expression after a condition':
      'export default () => { if (true) /"/.test("x"); return "a" }',
    'a division': `export default () => { const a = 4, g = 2; return [a / 2 / g, '/'.length / 1, (a) / 2 / g] }`,
    'a division after a property named like an operator': `export default () => { const o = { return: 4 }; return o.return / 2 / 1 }`,
    comments:
      '/* export default import(x) <!-- */ // export default import\n(() => 1)()\nexport default () => 5',
    'operators that look like comments of another time':
      'export default () => { let n = 3, c = 0; while (n --> 0) c++; return c }',
    'names with escapes': String.raw`export default () => { const \u0061b = 1; return ab }`,
    'a label before a block': 'export default () => { a: { break a } /x/.test("x"); return 1 }',
  };
  test.each(Object.entries(texts))('leaves the meaning of %s', async (_name, source) => {
    expect(valueOf(source)).toEqual(await moduleValueOf(source));
  });

  test('contains nothing afterwards that the evaluator refuses', () => {
    for (const source of Object.values(texts)) {
      expect(toScriptForm(source).body).not.toMatch(/\bimport\s*[(/]|<!--|-->/);
    }
  });
});

describe('modules that cannot be programs', () => {
  const invalid: readonly (readonly [string, RegExp])[] = [
    ['const a = 1', /no default export/],
    ['import fs from "node:fs"; export default () => 1', /bundle the program .*line 1/],
    ['import "x"; export default () => 1', /bundle/],
    ['import * as x from "x"; export default () => 1', /bundle/],
    ['\nexport default () => import("x")', /import\(…\) is not available.*line 2/],
    ['export default import("x")', /import\(…\) is not available/],
    ['export default () => import.meta.url', /import\.meta/],
    ['export { a as default } from "x"', /other modules/],
    ['export * from "x"', /other modules/],
    ['export default () => eval("1")', /direct eval/],
    ['export default 1; export default 2', /two default exports/],
  ];
  test.each(invalid)('refuses %s', (source, message) => {
    expect(() => toScriptForm(source)).toThrow(ProgramInvalid);
    expect(() => toScriptForm(source)).toThrow(message);
  });

  test.each([
    ['export default () => "', /Unterminated string/],
    ['export default () => `${1', /end of input/],
    ['export default () => { ', /end of input/],
    ['export default () => 1 }', /Unexpected token '}'/],
    ['export default () => /a', /Unterminated regular expression/],
    ['/* export default', /Unterminated comment/],
  ])('says what is wrong with %s', (source, message) => {
    expect(() => toScriptForm(source)).toThrow(message);
  });
});

test('keeps the numbers of the lines', () => {
  const source =
    'export\n/* a\n b */ default\nfunction\nrun() { return 1 }\nexport {\n run\n}\n// end';
  expect(toScriptForm(source).body.split('\n')).toHaveLength(source.split('\n').length);
});

test('scans a source of deep brackets without recursion', () => {
  const depth = 200_000;
  const source = `export default () => ${'('.repeat(depth)}1${')'.repeat(depth)}`;
  expect(toScriptForm(source).body).toContain(source.slice('export default'.length));
});
