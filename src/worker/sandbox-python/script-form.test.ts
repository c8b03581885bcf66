import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { moduleOfInterpreter, moduleOfLoader, scriptOf } from './script-form.ts';

const folder = dirname(createRequire(import.meta.url).resolve('pyodide/package.json'));

test.each([moduleOfInterpreter, moduleOfLoader])(
  'is a script without a place that asks for a host, for $file',
  (form) => {
    const script = scriptOf(readFileSync(join(folder, form.file), 'utf8'), form, ['a', 'b']);
    expect(new Script(script)).toBeInstanceOf(Script);
    expect(script.match(/(?<![\w$.])(?:import|eval)\s*\(|import\.meta/g)).toBeNull();
  },
);

test('is refused for a module with another number of places', () => {
  const form = { file: 'pyodide.mjs', gives: 'x', replaced: [[/eval\(/g, 'no(', 1]] } as const;
  expect(() => scriptOf('eval(1);eval(2)', form, [])).toThrow(
    'pyodide.mjs has 2 places of eval\\(, and not 1',
  );
});

test('gives what the module exports to whoever calls it with its globals', () => {
  const form = { file: 'pyodide.mjs', gives: 'x', replaced: [] } as const;
  const made = new Script(scriptOf('const x = a + b;', form, ['a', 'b'])).runInThisContext() as (
    ...globals: number[]
  ) => number;
  expect(made(1, 2)).toBe(3);
});
