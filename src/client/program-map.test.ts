import { SourceMap } from 'node:module';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { mapLinkStart } from '../protocol/program.ts';
import { programMap } from './program-map.ts';

const files: Readonly<Record<string, string>> = {
  '/a/main.ts': [
    "import { deep } from './deep.ts';",
    '',
    'interface Input { readonly n: number }',
    'export default function run({ n }: Input): number {',
    '  const twice = 2 * n; return deep(twice as number);',
    '}',
  ].join('\n'),
  '/a/deep.ts':
    'export const deep = (n: number): number => { if (n > 1) throw new Error("deep"); return n };',
};

async function bundle() {
  const bundler = await rolldown({
    input: '/a/main.ts',
    cwd: '/a',
    plugins: [
      {
        name: 'files',
        resolveId: (id) => `/a/${id.split('/').at(-1)!}`,
        load: (id) => ({ code: files[id]!, moduleType: 'ts' }),
      },
    ],
  });
  const { output } = await bundler.generate({ dir: '/a', format: 'esm', sourcemap: true });
  return output[0];
}

function withMap(code: string, map: unknown): string {
  return `${code}\n${mapLinkStart}${Buffer.from(JSON.stringify(map)).toString('base64')}\n`;
}

test('every place of a bundle is found where Node finds it', async () => {
  const { code, map } = await bundle();
  const ours = programMap(withMap(code, map));
  const nodes = new SourceMap(map as never);
  let count = 0;
  for (const [line, text] of code.split('\n').entries()) {
    for (let column = 0; column < text.length; column++) {
      const entry = nodes.findEntry(line, column) as Record<string, unknown>;
      const place = `at f (program:${line + 1}:${column + 1})`;
      const isKnown = entry['generatedLine'] === line && entry['originalSource'] !== undefined;
      const { originalSource, originalLine, originalColumn } = entry;
      const expected = isKnown
        ? `at f (${String(originalSource)}:${Number(originalLine) + 1}:${Number(originalColumn) + 1})`
        : place;
      expect(ours.mapped(place)).toBe(expected);
      if (isKnown) count++;
    }
  }
  expect(count).toBeGreaterThan(100);
});

test('each frame is mapped, and what only looks like a place is not', () => {
  const map = { version: 3, sources: ['a.ts'], mappings: 'AAAA;AACA,IAAI' };
  const stack = 'at program:2:5\nat async program:1:1 (program:1:3)\nat f (program:9:9)';
  expect(programMap(withMap('x\ny', map)).mapped(stack)).toBe(
    'at a.ts:2:5\nat async program:1:1 (a.ts:1:1)\nat f (program:9:9)',
  );
});

test.each([
  ['none', 'export default () => 1;'],
  ['one that is no base64', `x\n${mapLinkStart}%%%`],
  ['one that is no JSON', `x\n${mapLinkStart}AAAA`],
  ['one that is no map', `x\n${mapLinkStart}${btoa('7')}`],
])('with no map the places stay: %s', (_what, program) => {
  expect(programMap(program).mapped('at f (program:1:1)')).toBe('at f (program:1:1)');
});

test.each([
  ['a source that is no text', { sources: [{ toString: 1 }], mappings: 'AAAA' }],
  ['no source', { sources: [null], mappings: 'AAAA' }],
  ['sources that are no list', { sources: 'abc', mappings: 'AAAA' }],
  ['mappings that are no text', { sources: ['a.ts'], mappings: 5 }],
  ['a line before the first', { sources: ['a.ts'], mappings: 'AADD' }],
  ['a line without end', { sources: ['a.ts'], mappings: `AA${'/'.repeat(3000)}AA` }],
])('of a map with %s, the place in the program is told', (_, map) => {
  expect(programMap(withMap('1;', map)).mapped('at f (program:1:1)')).toBe('at f (program:1:1)');
});

test('a name in a map makes no further line, however long it is', () => {
  const map = programMap(
    withMap('1;', { sources: [`a\n\r\tb${'c'.repeat(1e6)}`], mappings: 'AAAA' }),
  );
  expect(map.mapped('at f (program:1:1)')).toMatch(/^at f \(a bc{497}:1:1\)$/);
});
