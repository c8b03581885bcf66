// Applications as a bundler builds them: whatever it renames, a function gets what it was written with, or is refused.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type OutputOptions, rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProgramError } from '../errors.ts';

const PACK = pathToFileURL(join(import.meta.dirname, 'pack.ts')).href;

/** What `f` makes of the input 1 where it lands, or why it does not go there. */
const APPLICATION = `
import { pack } from ${JSON.stringify(PACK)};

const landed = async (fn, along) => {
  const module = await import(/* @vite-ignore */ 'data:text/javascript,' + encodeURIComponent(pack(fn, along)));
  return module.default(1, {});
};

export function byNames(first, second) {
  return landed((input) => [first, second, input], { first, second, e: second, t: first });
}
export function inLongFunctions(first, second) {
  const compute = (input) => {
    const total = input + first;
    const rest = second - total;
    return [total, rest];
  };
  return landed(compute, { first, second, e: second, t: first, n: 5, r: 6 });
}
export function inHelpers(alpha, beta) {
  const helper = (value, other) => value * alpha + other * beta;
  return landed((input, task, { helper }) => helper(input, 2), { helper, alpha, beta, e: beta, t: alpha });
}
export function besideTheThird(width) {
  return landed((input, task, { width: w2, e: e2 }) => [w2, e2, width], { width, e: 7 });
}
export function inTemplates(v) {
  const k = v * 2;
  return landed((n) => \`a  b \${n} \${v} \${k}\`, { v, k, e: 9, t: 8 });
}
export function unused(i) {
  return landed((n) => n + i, { i, e: 5 });
}
export function exchanged(n, e) {
  return landed((input) => [n, e, input], { n, e });
}
export function exchangedInHelpers(n, e) {
  const pair = (value) => [n, e, value];
  return landed((input) => pair(input), { pair, n, e });
}
export function askedForFirst(rate) {
  return landed((input) => (typeof rate === 'number' ? input * rate : input), { rate });
}
export function kept(first, second) {
  const handler = function handler(n) { return [first, second, n]; };
  return landed(handler, { first, second, e: second, t: first });
}
export function missing(first) {
  return landed((input) => input + first);
}
export function missingBesideOthers(first, second) {
  return landed((input) => [input, first, second], { first });
}
export function alone(k) {
  return landed((n) => n * k, { k });
}
export function taken(first, second) {
  return landed((input, task, { first, second, e = 4, z = 3 } = {}) => [first, second, e, z, input], { first, second, e: second });
}
export function takenWhole(n, e) {
  return landed((input, task, all) => [all.n, all.e, input], { n, e });
}
`;

type Application = Readonly<Record<string, (...values: number[]) => Promise<unknown>>>;

const EXPECTED: Readonly<Record<string, unknown>> = {
  byNames: [1.2, 1000, 1],
  inLongFunctions: [2.2, 997.8],
  inHelpers: 2001.2,
  besideTheThird: [1.2, 7, 1.2],
  inTemplates: 'a  b 1 1.2 2.4',
  unused: 2.2,
  exchanged: [1.2, 1000, 1],
  exchangedInHelpers: [1.2, 1000, 1],
  askedForFirst: 1.2,
  kept: [1.2, 1000, 1],
  missing: 'to be refused',
  missingBesideOthers: 'to be refused',
  alone: 1.2,
  taken: [1.2, 1000, 1000, 3, 1],
  takenWhole: [1.2, 1000, 1],
};

const readable = { codegen: { removeWhitespace: false } };
const MINIFY: readonly [string, NonNullable<OutputOptions['minify']>][] = [
  ['not minified', false],
  ['dead code left out', 'dce-only'],
  ['without blanks', { mangle: false, compress: false, codegen: { removeWhitespace: true } }],
  ['minified', true],
  ['mangled', { mangle: true, compress: false, ...readable }],
  ['mangled and compressed', { mangle: true, compress: true, ...readable }],
  ['mangled without blanks', { mangle: true, compress: false }],
  ['mangled at the top', { mangle: { toplevel: true }, compress: true, ...readable }],
  [
    'mangled but for functions',
    { mangle: { toplevel: true, keepNames: true }, compress: true, ...readable },
  ],
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-minifiers-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

type Outcome = { readonly value: unknown } | { readonly refusal: string };

/** What becomes of each function of the application. */
async function outcomes(
  minify: NonNullable<OutputOptions['minify']>,
  isSdkInside: boolean,
): Promise<ReadonlyMap<string, Outcome>> {
  const bundler = await rolldown({
    input: 'application',
    platform: 'node',
    logLevel: 'silent',
    external: isSdkInside ? [] : [PACK],
    plugins: [
      {
        name: 'application',
        resolveId: (id) =>
          id === 'application'
            ? id
            : id === PACK && isSdkInside
              ? join(import.meta.dirname, 'pack.ts')
              : null,
        load: (id) => (id === 'application' ? APPLICATION : null),
      },
    ],
  });
  const { output } = await bundler.generate({ format: 'esm', minify, codeSplitting: false });
  await bundler.close();
  const file = join(mkdtempSync(join(folder, 'built-')), 'application.mjs');
  writeFileSync(file, output[0].code);
  const application = (await import(pathToFileURL(file).href)) as Application;
  const found = Object.keys(EXPECTED).map(async (name): Promise<[string, Outcome]> => {
    try {
      return [name, { value: await application[name]!(1.2, 1000) }];
    } catch (error) {
      const { problems, message } = error as ProgramError;
      if (problems === undefined) throw error;
      return [name, { refusal: message }];
    }
  });
  return new Map(await Promise.all(found));
}

describe.each([
  ['inside', true],
  ['outside of it', false],
])('an application with the SDK %s', (_where, isSdkInside) => {
  test.each(MINIFY)('never gets another value: %s', async (_how, minify) => {
    const found = await outcomes(minify, isSdkInside);
    const values = [...found].flatMap(([name, each]) =>
      'value' in each ? [[name, each.value]] : [],
    );
    expect(values).toEqual(values.map(([name]) => [name, EXPECTED[name as string]]));
    // The form that works wherever it is built.
    const names = values.map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining(['taken', 'takenWhole']));
    // Nobody is told to send along what a minifier has named.
    const refusals = [...found.values()].flatMap((each) =>
      'refusal' in each ? [each.refusal] : [],
    );
    expect(refusals.join('\n')).not.toMatch(/send it along with \{ with: \{ \w{1,3} \}/);
  });
});

test('names that were written go on working without a minifier', async () => {
  const found = await outcomes(false, false);
  const refused = [...found].filter(([, each]) => 'refusal' in each).map(([name]) => name);
  // The first four have keys that nobody uses, beside short ones that are used.
  expect(refused).toEqual(['inTemplates', 'unused', 'missing', 'missingBesideOthers']);
});
