// Valid modules, ordinary and odd. Each must do in the sandbox what it does when Node loads it; what is
// odd in it is its name.

const raw = String.raw;

export const moduleTexts: Readonly<Record<string, string>> = {
  // Default exports.
  'a named function': 'export default function run() { return 7 }',
  'a function without a name': 'export default function () { return 7 }',
  'a hoisted function': 'run.a = 7; export default function run() { return run.a }',
  'an asynchronous function': 'export default async function () { return 7 }',
  'a named asynchronous function': 'export default async function run() { return 7 }',
  'a generator': 'export default function* () { yield 1 }',
  'a generator that is called': 'function* g() { yield 1; yield 2 } export default () => [...g()]',
  'an asynchronous generator without a name': 'export default async function* () { yield 1 }',
  'a star apart from its word': 'export default async function /* c */ * /* d */ () { yield 1 }',
  'an arrow function': 'export default () => 7',
  'an arrow function with a parameter list': 'export default (a, b) => [a, b];',
  'an asynchronous arrow function': 'export default async () => 7',
  'an asynchronous arrow function of one parameter': 'export default async a => a',
  'a function called async': 'const async = () => 7; export default async',
  'a call of a function called async': 'const async = (a) => () => a; export default async (7)',
  'an expression in brackets': 'export default (function () { return 7 })',
  'a call': 'const make = () => () => 7; export default make()',
  'an expression in brackets and a semicolon': 'export default ((() => 7)) // end\n;[1].length',
  'a bound function': 'export default (() => 7).bind(null)',
  'a conditional': 'export default true ? () => 7 : () => 8',
  'a sequence in brackets': 'export default (1, () => 7)',
  'a template that makes a function': 'const t = (s) => () => s[0]; export default t`seven`',
  'an assignment': 'let f; export default f = () => typeof f',
  'a variable that changes': 'let f = () => 7; export { f as default }; f = () => 8',
  'a function that changes': 'export default function run() { return 7 }\nrun = () => 8',
  'a clause': 'function run() { return 7 }\nexport { run as default }',
  'a clause before its names': 'export { run as default }; const run = () => 7',
  'a clause with many names':
    'const a = 1, run = () => 7; export { a, run as default, a as "b c" };',
  'a clause with a comma at its end': 'const x = () => 7, y = 1; export { x as default, y, }',
  'a clause over several lines': 'const x = () => 7\nexport {\n  x as\n  default\n}\n;[1].length',
  'a clause that names default in quotes': 'const x = () => 7; export { x as "default" }',
  'a clause that is empty': 'export {}; export default () => 7; export {}',
  'a name with an escape in a clause': raw`const ab = () => 7; export { \u0061b as default }`,
  'names of properties in a clause':
    'const a = 1; export { a as if, a as import, a as from }; export default () => a',
  'a comment between the words': 'export /* the */ default // task\n function run() { return 7 }',
  'a call on the next line':
    'let n = 0\nexport default function () { return n }\n(() => { n = 7 })()',
  'a call after an arrow function': 'let n = 0\nexport default () => n\n;(() => { n = 7 })()',
  'a bracket after a body':
    'let n = 0\nexport default () => { return n }\n[1].map(() => { n = 7 })',
  'no semicolon before': 'let n = 7\nexport default () => n',
  'a class with a static method':
    'class A { static run() { return this.name } }\nexport default () => A.run()',
  'the name of an arrow function': 'let own; export default own = () => own.name',
  'a name of its own': 'const f = () => f.name; export default f',
  'other exports':
    'export const a = 1, b = 2; export let c; export var d = 3; export function e() {} export class E {}\nexport async function f() {} export function* g() {} export async function* h() {}\nexport default () => [a, b, c, d, typeof e, typeof E, typeof f, typeof g, typeof h]',
  'patterns in exports':
    'export const { a, ...b } = { a: 1, c: 2 }, [d, , ...e] = [1, 2, 3, 4]; export default () => [a, b, d, e]',
  'exports of nested patterns':
    'export let { a: { b = 5 } = {}, ["c" + 1]: c } = { c1: 2 }; export default () => [b, c]',
  'an export after a block': '{ let a } export default () => 7',
  'an export of an undefined variable': 'export let a; export default () => a',
  // Names that are used by the one who rewrites.
  'the names that are added':
    'const $muster0_default = 1, $muster1_ = 2; export default () => $muster0_default + $muster1_',
  'an added name with an escape': raw`const \u0024muster0_ = 7; export default () => /import(a)/.source + $muster0_`,
  'an added name as a property':
    'const o = { $muster0_: 1 }; export default () => o.$muster0_ + /<!--/.source',
  'a task called task': 'const task = 7; export default () => task',
  'a variable called undefined': 'const undefined = 7; export default () => undefined',
  // The grammar of modules.
  'a first line for the shell': '#!/usr/bin/env node\nexport default () => 7',
  'a first line for the shell with an import': '#! import("x") -->\nexport default () => 7',
  'waiting at the top': 'const a = await Promise.resolve(7); export default () => a',
  'waiting in an export': 'export const a = await 7; export default () => a',
  'waiting for what is exported': 'export default await Promise.resolve(() => 7)',
  'a loop that waits at the top':
    'let n = 0; for await (const a of [1, 2]) n += a; export default () => n',
  'this at the top': 'const self = this; export default () => typeof self',
  'this of an arrow function at the top': 'export default () => this === undefined',
  'a directive': '"use strict"; export default () => 7',
  'line ends of Windows': 'const a = 1\r\nexport default () =>\r\n  a + 1\r\n',
  'other line ends': 'const a = 1\u2028export default () => a\u2029+ 1',
  'a mark of the byte order': '\uFEFFexport default () => 7',
  'nothing at its end': 'export default () => 7 // end',
  'an end within a comment': 'export default () => 7 /* end */',
  using:
    'const log = []; export default () => { { using a = { [Symbol.dispose]() { log.push(1) } }; log.push(0) } return log }',
  'waiting using':
    'const log = []; export default async () => { { await using a = { async [Symbol.asyncDispose]() { log.push(1) } } } return log }',
  'using at the top':
    'const log = []; { using a = { [Symbol.dispose]() { log.push(1) } } } export default () => log',
  'a variable called using': 'let using = 7\nusing\nexport default () => using',
  'a variable called of': 'let n = 0; for (const of of [1, 2]) n += of; export default () => n',
  'variables called like words':
    'let async = 1, of = 2, get = 3, set = 4, from = 5, as = 6, type = 7; export default () => async + of + get + set + from + as + type',
  'a label before a block': 'export default () => { a: { break a } /x/.test("x"); return 1 }',
  'a loop with labels':
    'export default () => { let n = 0; a: for (;;) { for (;;) { if (n++ > 2) break a; continue a } } return n }',
  'private names':
    'class A { #a = 7; static has(o) { return #a in o } get a() { return this.#a } } export default () => [A.has(new A()), new A().a]',
  'static blocks': 'class A { static a; static { this.a = 7 } } export default () => A.a',
  accessors:
    'const o = { get a() { return 7 }, set a(b) {}, get: 1, set: 2, async: 3, static: 4 }; export default () => [o.a, o.get, o.set, o.async, o.static]',
  numbers: 'export default () => [1_000, 0x1F, 0b11, 0o17, 1e3, .5, 5., 0.1e-2, String(12n)]',
  operators:
    'export default () => { let a = null; a ??= 2; a ||= 3; a &&= 4; a **= 2; return [a, a?.b, a?.[0], null ?? 5, -(2 ** 2)] }',
  'patterns of arrow functions':
    'export default () => (({ a = 1, ...b }, [c, ...d] = [2, 3]) => [a, b, c, d])({ e: 4 })',
  'new.target':
    'function F() { return new.target === F ? { a: 7 } : 8 } export default () => [new F().a, F()]',
  super:
    'class A { m() { return 7 } } class B extends A { m() { return super.m() } } export default () => new B().m()',
  'a class that extends a call':
    'const mix = () => class { m() { return 7 } }; class B extends mix() {} export default () => new B().m()',
  'commas in many places': 'const f = (a, b,) => [a, b,]; export default () => f(1, 2,)',
  'spread in many places': 'export default () => [...[1], { ...{ a: 2 } }, Math.max(...[3, 4])]',
  'optional catch': 'export default () => { try { throw 1 } catch { return 7 } }',
  'an object after an arrow': 'export default () => ({ a: { b: 7 } })',
  'a string with line separators': 'export default () => "a\u2028b"',
  'a string that goes on': 'export default () => "a\\\nb\\\r\nc"',
  'escapes in names': raw`export default () => { const \u0061b = 1, \u{63}d = 2; return ab + cd }`,
  'a name outside of the first plane': 'const 𠮷 = 7; export default () => 𠮷',
  'names in other scripts': 'const größe = 7, 大きさ = 8; export default () => größe + 大きさ',
  // Words named import and export as properties.
  'properties named import':
    'const o = { import: 3, export: 4 }; export default () => o.import + o.export',
  'a method named import': 'const o = { import(a) { return a } }; export default () => o.import(7)',
  'a method of a class named import':
    'class A { import(a) { return a } static import (a) { return a + 1 } } export default () => [new A().import(7), A.import (7)]',
  'a field named import':
    'class A { import = 7; static export = 8 } export default () => new A().import + A.export',
  'a private method named import':
    'class A { #import(a) { return a } run() { return this.#import(7) } } export default () => new A().run()',
  'an accessor named import':
    'const o = { get import() { return (a) => a } }; export default () => o.import(7)',
  'generators named import':
    'const o = { *import() { yield 7 }, async import2() {} }; export default () => [...o.import()]',
  'an asynchronous method named import':
    'const o = { async import() { return 7 } }; export default () => o.import()',
  'blanks around import':
    'const o = { import(a) { return a } }; export default () => o\n.\nimport\n(7)',
  'comments around import':
    'const o = { import(a) { return a } }; export default () => o./* a */import/* b */(7)',
  'an optional import':
    'const o = { import(a) { return a } }; export default () => o?.import(7) + o?.import?.(7)',
  'import in a pattern': 'const { import: a } = { import: 7 }; export default () => a',
  'a name that ends in import':
    'const $import = (a) => a, ximport = (a) => a, éimport = (a) => a; export default () => $import(7) + ximport (8) + éimport/**/(9)',
  'a name that begins with import': 'const imports = (a) => a; export default () => imports(7)',
  'import in a computed name':
    'const o = { ["import"](a) { return a } }; export default () => o["import"](7)',
  'properties named like operators':
    'const o = { return: 4, typeof: 2, in: 8, of: 1 }; export default () => [o.return / 2 / 1, o.typeof /2/ 1, o.in / 2]',
  'eval as a property': 'const o = { eval(a) { return a } }; export default () => o.eval(7)',
  'eval as a value': 'export default () => (0, eval)("3 + 4") + eval?.("1")',
  // Texts.
  'a string': `export default () => 'export default import("x") <!-- -->'`,
  'a string with escapes': raw`export default () => "\"export default \import(x) \<!-- --\>"`,
  'a string with backslashes before': raw`export default () => ["\\import(", "\\\import(", "\\\\import(", '\<!--', '\\-->']`,
  'marks that overlap': 'export default () => ["<!-->", "<!--->", "--->", "<<!---->>"]',
  'a string as a name':
    'const o = { "import(": 1, "-->"() { return 2 } }; export default () => [o["import("], o["-->"]()]',
  'a template': 'export default () => `export default ${`import(${1})`} <!-- -->`',
  'a template with backslashes': 'export default () => `\\import( \\\\import( \\` \\${ ${1} \\-->`',
  'a template over lines': 'export default () => `import\n(\n<!--\r\n-->`',
  'a template in a template': 'export default () => `${`${`${"import("}`}`}}`',
  'a template with an object': 'export default () => `${{ a: 1 }.a}${(() => { return "}" })()}`',
  'a raw text': 'export default () => String.raw`import(x) <!-- ${1} --> \\import(`',
  'a raw text with a bad escape':
    'export default () => ((s) => [s[0] === undefined, s.raw])`\\u{ import( \\x`',
  'a tag with values':
    'const t = (s, ...v) => [[...s], s.raw, v]; export default () => t`a${1}import(${2, 3}-->\n${"<!--"}`',
  'a tag that is a method':
    'const o = { n: 7, t(s) { return [this.n, s.raw[0]] } }; export default () => [o.t`import(`, o["t"]`-->`]',
  'a tag after a tag':
    'const t = (s) => (r) => [s[0], r.raw[0]]; export default () => t`import(``<!--`',
  'a tag that is constructed':
    'const t = (s) => function (a) { this.a = [s.raw[0], a] }; export default () => [new t`import(`(7).a, new t`-->`().a, new (t`<!--`)(8).a]',
  'a method as a tag that is constructed':
    'const o = { n: 1, t(s) { const n = this.n; return { F: function (a) { this.a = [n, s[0], a] } } } }; export default () => new o.t`import(`.F(7).a',
  'the object of a tag':
    'const t = (s) => s, f = () => t`import(`; export default () => [f() === f(), Object.isFrozen(f()), Object.isFrozen(f().raw), JSON.stringify(Object.getOwnPropertyDescriptor(f(), "raw")), Array.isArray(f())]',
  'two places of one tag': 'const t = (s) => s; export default () => t`import(` === t`import(`',
  'a tag called eval': 'export default () => eval`import(`[0]',
  'a tag called async': 'const async = (s) => s.raw[0]; export default () => async`import(`',
  'a tag of super':
    'class A { t(s) { return [this.n, s[0]] } } class B extends A { n = 7; r() { return super.t`import(` } } export default () => new B().r()',
  'a tag on the next line': 'const t = (s) => s[0]\nexport default () => t\n`import(`',
  'tags that end in import':
    'const $import = (s) => s[0], o = { import: $import }; export default () => [$import`import(`, o.import`-->`, o.import /* a */ `<!--`]',
  'a comment that ends in import before a tag':
    'const t = (s) => function () { this.a = s[0] }; export default () => [typeof t // import\n`import(`, new // import\nt`-->`().a, new t`a`().a]',
  'constructions inside of each other':
    'const t = (s) => function (a) { return { F: function () { this.a = [s[0], a] } } }; export default () => new (new t`import(`(7).F)().a.concat(new (new t`-->`(new t`<!--`(8).F).F)().a[0])',
  'a tag in a class heritage':
    'const t = (s) => class { a = s[0] }; class B extends t`import(` {} export default () => new B().a',
  'a tag that yields':
    'const t = (s, a) => s[0] + a; function* g() { return t`import(${yield 1}` } export default () => { const i = g(); i.next(); return i.next(7).value }',
  'comments in a tag':
    'const t = (s, a) => s[0] + a; export default () => t`import(${ /* import( */ 7 // }`\n}`',
  // Regular expressions and divisions.
  'the source of an expression':
    'export default () => [/import(x)/g.source, /<!--/.flags, /-->/u.source, /import\\/*/.source]',
  'an expression with a class':
    'export default () => /[/"`]export default import(x)<!---->/.test("`export default importx<!---->")',
  'an expression with a slash': raw`export default () => [/\/import(a)\//.source, /[/]import(a)/.source, /\/import(a)\//.test("/importa/")]`,
  'an expression with flags': 'export default () => "importa IMPORTA".replace(/import(a)/gi, "$1")',
  'an expression with groups':
    'export default () => /import(?<name>.)/v.exec("importx").groups.name',
  'an expression that is new each time':
    'const f = () => /import(a)/g; export default () => { const a = f(); a.lastIndex = 3; return [f().lastIndex, f() === f(), f() instanceof RegExp] }',
  'an expression after a word':
    'export default () => { const a = typeof/import(a)/; switch (1) { default: return[a,/<!--/.source]} }',
  'an expression that is constructed':
    'export default () => new /import(a)/.constructor("b").source',
  'an expression times two': 'export default () => String(/import/*2)',
  'an expression after a declaration': 'let x\n/import(a)/.test("importa")\nexport default () => x',
  'an expression after a body':
    'const f = () => {}\n/import(a)/.test("importa")\nexport default () => 7',
  'an expression after a block':
    'export default () => { if (true) {} /"/.test("x"); return /[`]/.source }',
  'an expression after a condition': 'export default () => { if (true) /"/.test("x"); return "a" }',
  'an expression after a loop':
    'export default () => { let n = 0; do n++; while (n < 3) /"/.test("x"); return n }',
  'an expression after a function': 'function f() {} /"/g.test("x"); export default () => 7',
  'an expression after a class': 'class A {} /"/g.test("x"); export default () => 7',
  'an expression after yield':
    'function* g() { yield /"/g.source; yield\n/x/ } export default () => { try { return g().next().value } catch { return 8 } }',
  'an expression after an arrow': 'const f = () => /"/.source; export default () => f()',
  'an expression after a brace of a template': 'export default () => `${/"}/.source}`',
  'an expression that begins with an equals sign':
    'export default () => [/=/.source, /=import(a)/.source]',
  'a division': `export default () => { const a = 4, g = 2; return [a / 2 / g, '/'.length / 1, (a) / 2 / g, [a] / 2 / g] }`,
  'a division of a function': 'const g = 2; export default () => String(function () {} / g)',
  'a division of a class': 'const g = 2; export default () => String(class {} / g)',
  'a division of an object':
    'const g = 2; export default () => { const a = { valueOf() { return 8 } } / 2 / g; return a }',
  'a division of a template': 'const g = 2; export default () => [`8` / 2 / g, `${8}` / g]',
  'a division of a call': 'const f = () => 8, g = 2; export default () => f() / 2 / g',
  'a division after an increment':
    'export default () => { let a = 8, g = 2; return [a++ / 2 / g, a-- /g/ 1] }',
  'a division by a variable called yield':
    'const o = { yield: 8 }, g = 2; export default () => o.yield / 2 / g',
  'a division on the next line': 'let a = 8, g = 2\nlet b = a\n/2/g\nexport default () => b',
  'a division that assigns': 'export default () => { let a = 8; a /= 2; a /= a / 2; return a }',
  'a division of an awaited value':
    'export default async () => { const g = 2; return await 8 / 2 / g }',
  'a division after a condition':
    'export default () => { const a = 8, g = 2; if (a) (a) / 2 / g; return (a > 1) / 2 / g }',
  // Marks that begin comments in scripts.
  'an arrow of another time':
    'export default () => { let n = 3, c = 0; while (n --> 0) c++; return c }',
  'an arrow and an equals sign':
    'export default () => { let n = 3; return [n-->=3, n-->>1, n-->>>1, n] }',
  comments:
    '/* export default import(x) <!-- */ // export default import\n(() => 1)()\n// --> <!-- import(\nexport default () => 5',
  'a comment that ends in import': 'let n = 0 // import\n;(n) /* -- */ > 1\nexport default () => n',
  'comments in comments': '/* // */ /* /* */ // */ <!--\nexport default () => 7',
  'a comment at the very start': '// import(\nexport default () => 7',
  'a map of the source': 'export default () => 7\n//# sourceMappingURL=import(x)',
};
