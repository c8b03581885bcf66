import { expect, test } from 'vitest';
import { boundModule } from './bounded-module.ts';
import {
  compileNow,
  type ExportedFunction,
  type GlobalVariable,
  instantiate,
  type LinearMemory,
} from './engine.ts';
import { outlineOf } from './module-outline.ts';
import { assemble, stepped } from './testing/wat.ts';

async function bounded(text: string, memoryMb = 10) {
  const bytes = await assemble(`(module ${text})`);
  const made = boundModule(bytes, outlineOf(bytes), { memoryMb, exportsGlobals: true });
  return { ...made, after: outlineOf(made.bytes) };
}

test.each([
  ['without a maximum', '(memory 2)', { minimum: 2, maximum: 160 }],
  ['with a higher one', '(memory 2 60000)', { minimum: 2, maximum: 160 }],
  ['with a lower one', '(memory 2 50)', { minimum: 2, maximum: 50 }],
])('a memory %s may grow to what its task may have', async (_name, text, limits) => {
  const { after, pagesMost } = await bounded(text);
  expect(after.memory).toEqual({ ...limits, isImported: false });
  expect(pagesMost).toBe(limits.maximum);
});

test('a limit beyond 4 GiB is 4 GiB', async () => {
  expect((await bounded('(memory 1)', 9_000)).after.memory?.maximum).toBe(65_536);
});

test('tables share a million elements', async () => {
  const { after } = await bounded('(table 10 funcref) (table 5 20 externref)');
  expect(after.tables.map(({ minimum, maximum }) => [minimum, maximum])).toEqual([
    [10, 500_000],
    [5, 20],
  ]);
});

test('mutable variables are exported, and nothing else of a module changes', async () => {
  const text = `(func (export "f") (result i32) (i32.const 42)) (memory (export "memory") 1)
    (global i32 (i32.const 1)) (global $g (export "g") (mut i64) (i64.const -7)) (global (mut f64) (f64.const 1.5))
    (data (i32.const 8) "text")`;
  const { bytes, globals, after } = await bounded(text);
  expect(globals).toEqual(['muster:global:1', 'muster:global:2']);
  expect(after.exports.map(({ name }) => name)).toEqual(['f', 'memory', 'g', ...globals]);
  const { exports } = instantiate(compileNow(bytes), {});
  const memory = exports['memory'] as LinearMemory;
  expect((exports['f'] as ExportedFunction)()).toBe(42);
  expect(Buffer.from(memory.buffer, 8, 4).toString()).toBe('text');
  const values = globals.map((name) => (exports[name] as GlobalVariable).value);
  expect(values).toEqual([-7n, 1.5]);
  expect(() => memory.grow(160)).toThrow(RangeError);
});

test('a name that checkpoints use cannot be taken by the module', async () => {
  await expect(
    bounded('(global (export "muster:global:0") (mut i32) (i32.const 1))'),
  ).rejects.toThrow('kept for checkpoints');
});

test('what is read of a module: the types of its functions', async () => {
  const module = await stepped({ begin: '', step: '(i32.const 1)', result: '(i64.const 0)' });
  const signatures = outlineOf(module).exports.map(({ name, signature }) => [name, signature]);
  expect(signatures).toEqual([
    ['memory', null],
    ['muster_alloc', '(i32) -> i32'],
    ['muster_begin', '(i32, i32) -> ()'],
    ['muster_step', '() -> i32'],
    ['muster_result', '() -> i64'],
  ]);
});
