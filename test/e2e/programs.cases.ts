// How programs are read, in a real child: modules of every form, modules of the worst kind, and code that
// a program makes while it runs. The same cases for every place in which children live.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { moduleTexts } from '../../src/worker/sandbox/testing/module-texts.ts';
import { byNode } from '../../src/worker/sandbox/testing/two-loaders.ts';
import type { SandboxPlace } from '../support/sandbox-place.ts';
import { type TaskHarness, valueOf } from '../support/task-harness.ts';

const MIB = 1024 * 1024;

/** Once for all places: Node runs a module once, and calls see what earlier ones left in it. */
const byNodeAll = Promise.all(
  Object.entries(moduleTexts).map(
    async ([name, source]) => [name, source, await byNode(source)] as const,
  ),
);

export function programsCases(place: SandboxPlace): void {
  describe(`in ${place.name}`, () => {
    let harness: TaskHarness;
    beforeAll(async () => {
      harness = await place.open({ memoryLimitMb: 512 });
    });
    afterAll(() => harness.close());

    test('modules give in a sandbox what they give when Node loads them', async () => {
      const compared: string[] = [];
      for (const [name, source, outcome] of await byNodeAll) {
        const value = 'value' in outcome ? outcome.value : undefined;
        if (!isJson(value)) continue;
        expect(valueOf(await harness.run(source)), name).toEqual(value);
        compared.push(name);
      }
      expect(compared.length).toBeGreaterThan(150);
    });

    describe('a program of the worst kind ends with a sentence, and its child goes on', () => {
      const refused: readonly (readonly [string, string, RegExp])[] = [
        ['brackets that nest', '('.repeat(200_000), /nested too deeply.*\(line 2\)/],
        [
          'brackets that nest and close',
          `${'['.repeat(MIB)}${']'.repeat(MIB)}`,
          /nested too deeply/,
        ],
        ['blocks that nest', `0;${'{'.repeat(2 * MIB)}`, /nested too deeply/],
        ['escapes that do not close', `\`${'\\u{'.repeat(40_000)}`, /Unterminated template|escape/],
        ['groups of one name', `/${'(?<a>)|'.repeat(250_000)}/`, /Invalid regular expression/],
        ['a string that does not end', `"${'a'.repeat(2 * MIB)}`, /Unterminated string/],
        ['nothing but zeros', '\0'.repeat(2 * MIB), /Unexpected character/],
      ];
      test.each(refused)('%s', async (_name, text, message) => {
        const end = await harness.run(`\nexport default ${text}`);
        expect(end).toMatchObject({
          type: 'failure',
          errorType: 'program_invalid',
          retryable: false,
        });
        expect(end).toHaveProperty('errorMessage', expect.stringMatching(message));
        expect(valueOf(await harness.run('export default () => 7'))).toBe(7);
      });

      const filled = (piece: string) => piece.repeat(Math.floor((2 * MIB - 1000) / piece.length));
      const taken: Readonly<Record<string, string>> = {
        'forty thousand strings': '"a";'.repeat(40_000),
        'two MiB of strings that look like imports': filled('"import(";'),
        'two MiB of comments that look like comments of HTML': filled('/*-->*/'),
        'two MiB of regular expressions': filled('/import(a)/;'),
        'two MiB of names': `var ${Array.from({ length: 200_000 }, (_, i) => `a${i}`).join()};`,
        'two MiB of one name in nested blocks': `${'{'.repeat(400)}${filled('a;')}${'}'.repeat(400)}`,
        'two MiB of one number': `[${filled('0,')}];`,
        'two MiB of properties': `(() => ({${filled('a,')}}));`,
        'two MiB of operators': `(() => ${filled('a+')}a);`,
        'two MiB of templates': filled('`${a}`;'),
        'two MiB of blanks': filled(' '),
      };
      test.each(Object.entries(taken))('%s', async (_name, text) => {
        const source = `var a = 0; export default () => 7;${text}`;
        expect(valueOf(await harness.run(source))).toBe(7);
      });
    });

    test('what only the engine refuses is refused as well, with its line where that is known', async () => {
      const repeated = await harness.run('export default () => 1;\n() => { let a; let a }');
      expect(repeated).toMatchObject({
        errorType: 'program_invalid',
        errorMessage: expect.stringMatching(
          place.tellsLines
            ? /'a' has already been declared \(line 2\)/
            : /'a' has already been declared/,
        ),
      });
      const unknown = await harness.run('export default () => 1;\nclass A { a() { this.#b } }');
      expect(unknown).toMatchObject({
        errorType: 'program_invalid',
        errorMessage: expect.stringMatching(
          place.tellsLines ? /'#b' must be declared .*\(line 2\)/ : /'#b' must be declared/,
        ),
      });
    });

    const makers: readonly string[] = [
      'Function("return " + code)()',
      'Function("a = " + code, "return a")()',
      'new Function("return () => " + code)()()',
      '(0, eval)(code)',
      'eval?.(code)',
      'globalThis.eval(code)',
      'Reflect.construct(Function, ["return " + code])()',
      'new Compartment().evaluate(code)',
      'new globalThis.Compartment().globalThis.eval(code)',
    ];
    // Never called: it must not be possible to make such a function at all.
    const imports = [
      '() => import.source("node:fs")',
      'async () => import . source ("node:fs")',
      '() => import/* */.source("node:fs")',
      '() => import.defer("node:fs")',
      '() => import.meta',
    ].map((code) => `(${code})`);
    test.each(makers)('code made by %s imports nothing', async (maker) => {
      const source = `export default async (code) => {
        try { return ["made", typeof (await ${maker})] } catch (error) { return error.name }
      }`;
      for (const code of imports) {
        const end = valueOf(await harness.run(source, code));
        expect(end, code).toBe(maker.includes('Compartment') ? 'TypeError' : 'SyntaxError');
      }
    });

    test.each(makers.filter((maker) => !maker.includes('Compartment')))(
      'while code made by %s runs when it is ordinary',
      async (maker) => {
        const source = `export default async (code) => await ${maker}`;
        expect(valueOf(await harness.run(source, '(() => 3 + 4)()'))).toBe(7);
      },
    );
  });
}

function isJson(value: unknown): boolean {
  if (value === undefined || typeof value === 'function') return false;
  try {
    expect(JSON.parse(JSON.stringify(value))).toEqual(value);
    return Object.prototype.toString.call(value) !== '[object Generator]';
  } catch {
    return false;
  }
}
