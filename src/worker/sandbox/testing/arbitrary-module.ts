// Modules for property tests: statements that keep their values, strings, templates, regular
// expressions, divisions and comments, full of danger words (see danger-words.ts).

import fc from 'fast-check';

const word = fc.constantFrom('import(', 'import (', 'import/*', '<!--', '-->', '<!-->', '--->');
const plain = fc.constantFrom(
  'a',
  ' ',
  'export default ',
  '//',
  "'",
  '"',
  'import',
  '(',
  ')',
  '\\\\',
);

function joined(parts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.array(parts, { maxLength: 6 }).map((all) => all.join(''));
}

/** The inside of a string: quotes and single backslashes are always escaped. */
const stringText = joined(
  fc.oneof(word, plain, fc.constantFrom('\\i', '\\n', '\\<', '\\-', '\\u0069', '\\x3c', '\\\n')),
);
const string = fc.oneof(
  stringText.map((text) => `"${text.replaceAll('"', '\\"')}"`),
  stringText.map((text) => `'${text.replaceAll("'", "\\'")}'`),
);

const templateText = joined(
  fc.oneof(
    word,
    plain,
    fc.constantFrom('\n', '\r\n', '\\`', '\\${', '$', '{', '}', '\\u0069', '\u2028'),
  ),
);
/** Texts with bad escapes, which are legal only in tagged templates. */
const rawText = joined(fc.oneof(templateText, fc.constantFrom('\\u{', '\\xg', '\\u')));

const regexp = fc
  .tuple(
    joined(
      fc.constantFrom(
        'import(?:a)',
        'import (b)?',
        '<!--',
        '-->',
        'a',
        '[/]',
        '[`"\']',
        '\\/',
        '\\\\',
        '.',
        '(?:',
        ')?',
      ),
    ),
    fc.constantFrom('', 'g', 'i', 'gimsy'),
  )
  .map(([text, flags]) => `/${balanced(text)}/${flags}`);

/** Groups that do not close, or close without having been opened, are taken away. */
function balanced(text: string): string {
  const parts = text.split(/(\(\?:(?!a\))|\)\?(?<!b\)\?))/);
  return `(?:)${parts.filter((part) => part !== '(?:' && part !== ')?').join('')}`;
}

const comment = fc.oneof(
  joined(fc.oneof(word, plain)).map((text) => `/*${text.replaceAll('*/', '')}*/`),
  joined(fc.oneof(word, plain)).map((text) => `//${text}\n`),
);
const gap = fc.oneof({ weight: 3, arbitrary: fc.constant(' ') }, comment, fc.constant('\n'));
/** For places where a line may not end. */
const blank = fc.constantFrom(' ', '  ', '\t');

const { expression } = fc.letrec<{ expression: string; template: string; tagged: string }>(
  (tie) => ({
    expression: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      string,
      fc.constantFrom(
        '1',
        'n--',
        '(n -->m)',
        '(n<! --m)',
        'o.import(2)',
        'o . import (n)',
        'o?.import(m)',
      ),
      regexp.map((text) => `${text}.source`),
      regexp.map((text) => `(${text}).test("import(a)<!---->")`),
      tie('template'),
      tie('tagged'),
      fc
        .tuple(tie('expression'), gap, gap, tie('expression'))
        .map(([a, b, c, d]) => `[${a}${b},${c}${d}]`),
      fc
        .tuple(tie('expression'), blank, gap, tie('expression'))
        .map(([a, b, c, d]) => `(${a})${b}/ ${c}(${d}) / 2`),
      fc.tuple(tie('expression'), gap).map(([a, b]) => `(() => { ${b}return ${a} })()`),
      fc
        .tuple(tie('expression'), gap)
        .map(([a, b]) => `({ import(a) {${b}return a } }).import(${a})`),
      fc.tuple(tie('expression'), string).map(([a, b]) => `String({ ${b}: ${a} }[${b}])`),
    ),
    template: fc
      .tuple(templateText, tie('expression'), templateText)
      .map(([a, b, c]) => `\`${a}\${${b}}${c}\``),
    tagged: fc
      .tuple(
        fc.constantFrom('t', 'o.t', 'o["t"]', 'new o.c', 'String.raw', 't ``'),
        gap,
        rawText,
        gap,
        tie('expression'),
        rawText,
      )
      .map(([tag, a, b, c, d, e]) => `${tag}${a}\`${b}\${${c}${d}}${e}\``),
  }),
);

const statement = fc.oneof(
  expression.map((text) => `out.push(${text})`),
  expression.map((text) => `if (n) out.push(${text})`),
  fc.tuple(gap, regexp).map(([a, b]) => `{ m++ }${a}${b}.exec("import(a)")`),
  fc.tuple(gap, regexp).map(([a, b]) => `if (m)${a}${b}.test("-->")`),
  fc
    .tuple(gap, expression)
    .map(([a, b]) => `label:${a}for (const v of [${b}]) { out.push(v); break label }`),
  expression.map((text) => `export const x@ = ${text}; out.push(x@)`),
  fc.tuple(blank, gap).map(([a, b]) => `while (n${a}-- >${b}1) out.push(n)`),
);
const separator = fc.oneof(
  fc.constantFrom(';', ';\n', '\n;'),
  comment.map((text) => `;${text}`),
);

const ending = fc.constantFrom(
  'export default () => out',
  'export default function () { return out }\n;[1].length',
  'export default function run() { return out }',
  'const run = () => out; export { run as default, n as "import(" }',
  'export default (() => out);',
);

const beginning =
  'const out = []; let n = 3, m = 2; const t = (s, ...v) => s.raw ? [[...s], s.raw, v] : t;' +
  'const o = { n: 7, import(a) { return [this.n, a] }, t(s, ...v) { return [this.n, s.raw, v] }, c: function (s, ...v) { return function () { this.a = [s.raw, v] } } };';

/** The default export of such a module returns what its statements computed. */
export const arbitraryModule: fc.Arbitrary<string> = fc
  .tuple(fc.array(fc.tuple(statement, separator), { maxLength: 8 }), gap, ending)
  .map(([statements, space, end]) => {
    const body = statements.map(([text, after], i) => text.replaceAll('x@', `x${i}`) + after);
    return `${beginning}\n${body.join('')}${space}${end}`;
  });
