import { describe, expect, test } from 'vitest';
import { checkDynamicCode } from './dynamic-code.ts';

describe('code that is made at run time', () => {
  test.each([
    '1 + 1',
    '(function anonymous(a,b\n) {\nreturn a + b\n})',
    'var a = 1; let b; function c() {} function c() {} class D {}',
    '() => { using a = null; return /[/]import(a)/.test("import(a)") }',
    '({ import: 1, import(a) { return a } }).import(2)',
    '"import(x)"; `import.meta` /* import("x") */',
    'for (const a of b);',
    'function* a() { yield /}/; yield\n/}/g; b?.yield / 1 / a }',
    '({ *a() { yield /}/ } })',
  ])('is returned as it is: %s', (source) => {
    expect(checkDynamicCode(source)).toBe(source);
  });

  test.each([
    ['return this', 'const $muster0_=this===undefined?globalThis:this;\nreturn $muster0_'],
    // Nothing may become a call of the line before it.
    ['a\nthis.b = 1', 'const $muster0_=this===undefined?globalThis:this;\na\n$muster0_.b = 1'],
    [
      'return () => this',
      'const $muster0_=this===undefined?globalThis:this;\nreturn () => $muster0_',
    ],
    [
      '$muster0_; return this',
      'const $muster1_=this===undefined?globalThis:this;\n$muster0_; return $muster1_',
    ],
    ['return { m() { return this } }', '\nreturn { m() { return this } }'],
    ['class A { b = this; static { this.c } }', '\nclass A { b = this; static { this.c } }'],
  ])('has the global object for `this` of a function by `Function`: %j', (body, expected) => {
    const made = (text: string) => `(function anonymous(a = this\n) {${text}\n})`;
    expect(checkDynamicCode(made(`\n${body}`))).toBe(made(expected));
  });

  test('keeps `this` of all other code', () => {
    for (const source of ['this', '(function () { return this })', '() => this']) {
      expect(checkDynamicCode(source)).toBe(source);
    }
  });

  test('is not hidden in what looks like a regular expression behind a property', () => {
    const source = 'function* a(b) { b?.yield\n/ 1; } import.later("x"); if (a) { 1 /a\n}';
    expect(() => checkDynamicCode(source)).toThrow('import.later is not available');
  });

  test.each([
    ['import("x")', 'import(…) is not available: bundle the program into one module (line 1)'],
    [
      '\nimport/**/("x")',
      'import(…) is not available: bundle the program into one module (line 2)',
    ],
    [
      'import.source("x")',
      'import.source is not available: bundle the program into one module (line 1)',
    ],
    [
      'import . defer("x")',
      'import.defer is not available: bundle the program into one module (line 1)',
    ],
    ['import.meta.url', 'import.meta is not available (line 1)'],
    [
      '() => import.later("x")',
      'import.later is not available: bundle the program into one module (line 1)',
    ],
    ['new import("x")', 'import(…) is not available: bundle the program into one module (line 1)'],
    ['import x from "x"', 'imports are not possible: bundle the program into one module (line 1)'],
    [
      'import defer * as x from "x"',
      'imports are not possible: bundle the program into one module (line 1)',
    ],
    ['{ import "x" }', 'imports are not possible: bundle the program into one module (line 1)'],
    ['export const a = 1', 'exports are not possible in code that is made at run time (line 1)'],
    ['export * from "x"', 'exports are not possible in code that is made at run time (line 1)'],
    [String.raw`\u0069mport("x")`, 'Escape sequence in keyword import (line 1)'],
    ['await 1', "Unexpected token '1' (line 1)"],
    ['with (a) b', "'with' in strict mode (line 1)"],
    ['return 1', "'return' outside of function (line 1)"],
    ['@later class A {}', "Unexpected character '@' (line 1)"],
    ['a |> b', "Unexpected token '>' (line 1)"],
    ['(', 'Unexpected end of input (line 1)'],
    ['('.repeat(200_000), 'the program is nested too deeply: divide what is written here (line 1)'],
  ])('is refused with a sentence: %s', (source, message) => {
    const check = () => checkDynamicCode(source);
    expect(check).toThrow(SyntaxError);
    expect(check).toThrow(message);
  });

  test('is refused with an error that says nothing else', () => {
    let error: unknown;
    try {
      checkDynamicCode('import.source("x")');
    } catch (thrown) {
      error = thrown;
    }
    expect(Object.getPrototypeOf(error)).toBe(SyntaxError.prototype);
    expect(Object.getOwnPropertyNames(error).toSorted()).toEqual(['message', 'stack']);
  });
});
