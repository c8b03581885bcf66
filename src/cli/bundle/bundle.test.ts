import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { programMap } from '../../client/program-map.ts';
import { withoutMap } from '../../protocol/program.ts';
import { CommandFailure } from '../command-failure.ts';
import { toScriptForm } from '../../worker/sandbox/module-form.ts';
import { type BundledProgram, bundleProgram } from './bundle.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-bundle-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** The bundle, or the lines of the refusal. */
async function bundled(files: Record<string, string>, entry: string): Promise<string | string[]> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  try {
    return (await bundleProgram(entry, folder)).source;
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    expect(error.exit).toBe('usage');
    return [error.message, ...error.advice];
  }
}

function lineOf(source: string, text: string): number {
  return source.split(text)[0]!.split('\n').length;
}

describe('a program that can travel', () => {
  test('comes as one module without types, imports and comments', async () => {
    const files = {
      'square.ts': [
        "import type { Stats } from 'node:fs';",
        '// import(x) in a comment would stop the sandbox',
        'export const square = (n: number): number => n * n;',
        'export const size = (stats: Stats) => stats.size;',
      ].join('\n'),
      'program.ts': [
        "import { square } from './square.ts';",
        'interface Input { readonly n: number }',
        'export default function* run(input: Input, task: { readonly index: number }) {',
        '  yield { progress: 0.5 };',
        '  return square(input.n) + task.index;',
        '}',
      ].join('\n'),
    };
    const source = (await bundled(files, 'program.ts')) as string;
    expect(withoutMap(source)).not.toMatch(/import|interface|: number|sourceMappingURL/);
    // The map has names and places of the sources, and none of their text.
    const at = `at square (program:${lineOf(source, 'n * n')}:1)`;
    expect(programMap(source).mapped(at)).toMatch(/^at square \(square\.ts:3:\d+\)$/);
    const map = Buffer.from(source.split('base64,')[1]!, 'base64').toString();
    expect(Object.keys(JSON.parse(map) as object)).toEqual([
      'version',
      'sources',
      'names',
      'mappings',
    ]);
    const module = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as {
      default: (input: unknown, task: unknown) => Generator<unknown, number>;
    };
    const steps = module.default({ n: 4 }, { index: 1 });
    expect(steps.next()).toEqual({ done: false, value: { progress: 0.5 } });
    expect(steps.next()).toEqual({ done: true, value: 17 });
  });

  test.each([
    ['an arrow function', 'export default (n) => n;'],
    ['a function under another name', 'const f = async () => 1; export { f as default };'],
    ['a function that is computed', 'const make = () => () => 1; export default make();'],
    ['CommonJS', 'module.exports = (n) => n + 1;'],
    ['a dynamic import of a file', "export default async () => (await import('./part.js')).one;"],
    [
      'a class with `this` inside',
      'class A { b() { return this; } } export default () => new A();',
    ],
    ['a name that it asks for', "export default () => typeof process === 'object' && process.pid;"],
    ['unused code of Node', "import { readFileSync } from 'node:fs'; export default () => 1;"],
    ['NODE_ENV', "export default () => process.env.NODE_ENV === 'production';"],
  ])('may be %s', async (_what, program) => {
    const files = { 'part.js': 'export const one = 1;', 'program.js': program };
    expect(await bundled(files, 'program.js')).toBeTypeOf('string');
  });
});

const forced = 'If its tasks do not come to that, submit it with --no-check.';

describe('a program that cannot travel is refused with the place in its own source', () => {
  test.each([
    [
      'a package that is not there',
      "import x from 'no-such-package';\nexport default () => x;",
      'program.js:1:15: cannot find "no-such-package"; is the package installed beside the program?',
    ],
    [
      'a name from nowhere',
      'export default (n) => {\n  return n + offset;\n};',
      'program.js:2:14: "offset" does not exist where tasks run: define or import it in the program, send it along (--with FILE), or pass it as a part of the input',
    ],
    [
      'a global of Node',
      'export default () =>\n  process.argv;',
      'program.js:2:3: "process" does not exist where tasks run: it belongs to Node, and tasks run in a sandbox without it',
    ],
    [
      'the network',
      'export default (url) => fetch(url);',
      'program.js:1:25: "fetch" does not exist where tasks run: tasks have no network: put what they need into their inputs',
    ],
    [
      'a module of Node',
      "import { one } from './part.js';\nimport { readFileSync } from 'node:fs';\nexport default () => readFileSync(one);",
      'program.js:2:30: "node:fs" is a part of Node, and tasks run in a sandbox without it',
    ],
    [
      'a module of Node by require',
      "const fs = require('fs');\nmodule.exports = (n) => fs.statSync(n);",
      'program.js:1:20: "fs" is a part of Node, and tasks run in a sandbox without it',
    ],
    [
      'a table of data, though it could be read as JavaScript',
      "import rows from './rows.csv';\nexport default (n) => rows[n];",
      'program.js:1:18: "./rows.csv" is no module: its rows are inputs with --csv FILE, whole files with --files \'data/*.csv\'',
    ],
    [
      'an import of something unknown',
      'export default (n) => import(`./${n}.js`);',
      'program.js:1:23: `import(…)` is known only at run time here: import the module by its name instead',
    ],
    [
      '`this` of the task function',
      'export default function () {\n  return () => this;\n}',
      'program.js:2:16: `this` is undefined in a task function: it gets `input` and `task`',
    ],
    [
      'import.meta',
      'export default () => import.meta.url;',
      'program.js:1:22: `import.meta` does not travel: pass what you need as a part of the input',
    ],
    [
      'a direct eval',
      "export default () => eval('1');",
      'program.js:1:22: direct `eval(…)` is not available to tasks; `(0, eval)(text)` is',
    ],
    [
      'a decorator',
      'const note = (of) => of;\nclass A {\n  @note one() {}\n}\nexport default () => new A();',
      'program.js:3:3: decorators (`@…`) are not available to tasks: call the function yourself',
    ],
    [
      'an accessor field',
      'class A {\n  accessor one = 1;\n}\nexport default () => new A().one;',
      'program.js:2:3: `accessor` fields are not available to tasks: write a getter and a setter',
    ],
    [
      'no default export',
      'export const run = () => 1;',
      'the program has no default export: write `export default function (input, task) { … }`',
    ],
    [
      'a default export that is no function',
      'export default { run: () => 1 };',
      'program.js:1:16: the default export is an object, not a function: write `export default function (input, task) { … }`',
    ],
    [
      'a class',
      'export default class Task {}',
      'program.js:1:1: the default export is a class, not a function: write `export default function (input, task) { … }`',
    ],
  ])('%s', async (_what, program, sentence) => {
    const files = {
      'part.js': 'export const one = 1;',
      'rows.csv': '1,2\n',
      'program.js': program,
    };
    const lines = await bundled(files, 'program.js');
    expect(lines.slice(0, 2)).toEqual([
      '"program.js" cannot run on other devices:',
      `  ${sentence}`,
    ]);
    const isFinal = /cannot find|is no module/.test(sentence);
    expect(lines.slice(2)).toEqual(isFinal ? [] : [forced]);
  });

  test('each name once, everything at once, types do not count', async () => {
    const program = 'export default (n: Missing) => one + one + two(n);';
    const lines = (await bundled({ 'program.ts': program }, 'program.ts')) as string[];
    const names = lines.map((line) => /"\w+"/.exec(line)?.[0]);
    expect(names).toEqual([undefined, '"one"', '"two"', undefined]);
  });
});

/** Files of a package `other` beside the program. */
function withPackage(source: string): Record<string, string> {
  mkdirSync(join(folder, 'node_modules/other'), { recursive: true });
  return { 'node_modules/other/index.js': source };
}

async function bundledWith(other: string, program: string): Promise<BundledProgram | string[]> {
  const files = { ...withPackage(other), 'program.js': program };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return bundleProgram('program.js', folder).catch((error: unknown) => {
    if (error instanceof CommandFailure) return [error.message, ...error.advice];
    throw error;
  });
}

describe('a package', () => {
  const use = "import { f } from 'other';\nexport default () => f();";

  test.each([
    ['a condition', 'export const f = () => 1; if (f.x) document.write();'],
    ['a function that nobody calls', 'export const f = () => window.alert();'],
    ['a try', 'let a; try { a = navigator.language; } catch {} export const f = () => a;'],
    ['a mere look', 'const root = window; export const f = () => root;'],
    ['the right of a logical operator', 'export const f = () => 1; f.x && document.write();'],
    [
      'what follows a return',
      '(() => { if (Math.x) return; location.reload(); })(); export const f = () => 1;',
    ],
    [
      'a wrapper for every system',
      '!function (e, t) { (e || window).t = t(); }(globalThis, () => 1); exports.f = () => window.a;',
    ],
    [
      'a module of Node in a function',
      "import fs from 'fs'; export const f = () => fs.statSync('a');",
    ],
    [
      'a module of Node that is required',
      "const fs = require('fs'); exports.f = () => fs.statSync('a');",
    ],
    ['a direct eval', "export const f = () => eval('1');"],
    ['an import of something unknown', 'export const f = (x) => import(x + 1);'],
    ['import.meta', 'export const f = () => import.meta.url;'],
  ])('runs with doubts about %s', async (_what, other) => {
    const { source, doubts } = (await bundledWith(other, use)) as BundledProgram;
    expect(doubts).toHaveLength(1);
    expect(doubts[0]).toMatch(
      /^other knows "[\w.]+", which tasks do not have: what needs them fails there$/,
    );
    // What is left is a module that the sandbox takes.
    expect(() => toScriptForm(source)).not.toThrow();
  });

  test.each([
    ['at once', 'document.write(); export const f = () => 1;'],
    [
      'in a function that it calls',
      'start(); function start() { new Worker(1); } export const f = () => 1;',
    ],
    [
      'in a function that is called in place',
      '(function (a) { a; window.x(); })(1); export const f = () => 1;',
    ],
    ['in a module that is required', 'localStorage.getItem(1); exports.f = () => 1;'],
    ['in a class', 'export class f extends HTMLElement.x {}'],
  ])('is refused when it certainly fails %s', async (_what, other) => {
    const lines = (await bundledWith(other, use)) as string[];
    expect(lines[1]).toMatch(
      /^ {2}node_modules\/other\/index\.js:1:\d+: "\w+" does not exist where tasks run: /,
    );
    expect(lines[2]).toBe(forced);
  });

  test.each([
    [
      'crypto',
      "const { createHash } = require('node:crypto'); exports.f = () => createHash('sha256').update('a').digest('hex').slice(0, 8);",
      'ca978112',
    ],
    [
      'buffer',
      "import { Buffer } from 'buffer'; export const f = () => Buffer.from('aGk=', 'base64').toString();",
      'hi',
    ],
    ['the global Buffer', "export const f = () => Buffer.from('hi').toString('hex');", '6869'],
    [
      'events',
      "const E = require('events'); class A extends E {} exports.f = () => { let n = 0; const a = new A(); a.on('x', () => n++); a.emit('x'); return n; };",
      1,
    ],
    [
      'util',
      "const { inherits, format } = require('util'); exports.f = () => { function A() {} inherits(A, Array); return format('%s %d', new A() instanceof Array, '2'); };",
      'true 2',
    ],
    ['path', "import { join } from 'node:path'; export const f = () => join('a', '..', 'b');", 'b'],
    [
      'url',
      "import { URL } from 'url'; export const f = () => new URL('http://a').href;",
      'http://a/',
    ],
    [
      'process',
      'const level = process.env.LEVEL || process.cwd(); export const f = () => level;',
      '/',
    ],
  ])('gets a stand-in for %s', async (_what, other, result) => {
    const { source, doubts } = (await bundledWith(other, use)) as BundledProgram;
    expect(doubts).toEqual([]);
    const module = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as {
      default: () => unknown;
    };
    expect(module.default()).toBe(result);
  });

  test('that leaves a module out for browsers goes without it', async () => {
    const manifest = '{"name": "other", "browser": {"fs": false}}';
    writeFileSync(join(folder, 'node_modules/other/package.json'), manifest);
    const { doubts } = (await bundledWith(
      "const fs = require('fs'); exports.f = () => fs.a;",
      use,
    )) as BundledProgram;
    rmSync(join(folder, 'node_modules/other/package.json'));
    expect(doubts).toEqual([]);
  });

  test('that gets a stand-in for process gives none to the program', async () => {
    const program = `${use}\nconst home = process.env.HOME;\nexport { home };`;
    const lines = (await bundledWith(
      'const a = process.cwd(); export const f = () => a;',
      program,
    )) as string[];
    expect(lines[1]).toMatch(/^ {2}program\.js:3:14: "process" does not exist/);
  });
});

describe('a program of which the check has doubts', () => {
  test('is told where, when it catches what is thrown', async () => {
    writeFileSync(
      join(folder, 'program.js'),
      'export default () => { try { return fetch(1); } catch { return 2; } };',
    );
    const { doubts } = await bundleProgram('program.js', folder);
    expect(doubts).toEqual([
      'program.js:1:37: "fetch" does not exist where tasks run: tasks have no network: put what they need into their inputs',
    ]);
  });

  test.each([
    ['names', 'export default () => fetch(offset, process.argv);'],
    ['a direct eval', "export default () => eval('1');"],
    ['an import', 'export default (n) => import(`./${n}.js`);'],
    ['a module of Node', "import { statSync } from 'fs';\nexport default () => statSync('a');"],
  ])('is bundled all the same without the check: %s', async (_what, program) => {
    writeFileSync(join(folder, 'program.js'), program);
    const { source, doubts } = await bundleProgram('program.js', folder, { isChecked: false });
    expect(doubts).toEqual([]);
    expect(() => toScriptForm(source)).not.toThrow();
  });

  test('is refused without the check when no bundle can be made of it', async () => {
    writeFileSync(join(folder, 'program.js'), "import 'no-such-package'; export default () => 1;");
    const bundling = bundleProgram('program.js', folder, { isChecked: false });
    await expect(bundling).rejects.toThrow('cannot run on other devices');
  });
});

describe('a program that cannot be bundled is refused', () => {
  test.each([
    ['a syntax error', 'export default function ( {', /^program\.js:1:\d+: /],
    [
      'a missing file',
      "import './gone.js';\nexport default 1;",
      'program.js:1:8: cannot find "./gone.js"',
    ],
    [
      'an export that is not there',
      "import { three } from './part.js';\nexport default () => three;",
      /^program\.js:1:10: "three" is not exported by "part\.js"/,
    ],
  ])('%s', async (_what, program, sentence) => {
    const files = { 'part.js': 'export const one = 1;', 'program.js': program };
    const [line] = (await bundled(files, 'program.js')) as string[];
    expect(line).toMatch(sentence);
  });

  test('a file that is not there, or is not a program', async () => {
    expect(await bundled({}, 'gone.ts')).toEqual(['There is no file "gone.ts".']);
    expect(await bundled({ 'a.py': '' }, 'a.py')).toEqual([
      '"a.py" is not a program: it must end in .js or .ts.',
    ]);
    expect(await bundled({}, '.')).toEqual(['"." is not a file.']);
  });
});
