import { describe, expect, test } from 'vitest';
import { pagesOf, withMemoryPages } from './memory-maximum.ts';

const head = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
/** Its memory under the name `m`. */
const exported = [7, 5, 1, 1, 0x6d, 2, 0];
const custom = [0, 3, 1, 0x78, 0x79];

function moduleWith(memory: readonly number[]): Uint8Array {
  return Uint8Array.from([...head, ...custom, 5, memory.length, ...memory, ...exported]);
}

interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
interface Engine {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: { readonly m: Memory } };
}
const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: Engine };

function memoryOf(module: Uint8Array): Memory {
  return new WebAssembly.Instance(new WebAssembly.Module(module)).exports.m;
}

/** How many pages it can have. */
function most(memory: Memory): number {
  let pages = memory.buffer.byteLength / 65_536;
  try {
    for (; pages < 1000; pages++) memory.grow(1);
  } catch {
    // That was the limit.
  }
  return pages;
}

describe('the pages of a module', () => {
  test.each([
    ['that names no maximum', [1, 0, 1]],
    ['that names a larger one', [1, 1, 1, 0xac, 0x02]],
  ])('%s end at the given maximum', (_name, memory) => {
    const limited = withMemoryPages(moduleWith(memory), { initial: 0, maximum: 200 });
    expect(most(memoryOf(limited))).toBe(200);
  });

  test('keep a maximum of its own that is smaller', () => {
    const limited = withMemoryPages(moduleWith([1, 1, 1, 2]), { initial: 0, maximum: 200 });
    expect(most(memoryOf(limited))).toBe(2);
  });

  test('begin with what an image needs', () => {
    const larger = withMemoryPages(moduleWith([1, 0, 1]), { initial: 140, maximum: 200 });
    expect(memoryOf(larger).buffer.byteLength / 65_536).toBe(140);
  });

  test('are refused where the module needs more than it may have', () => {
    const pages = { initial: 0, maximum: 2 };
    expect(() => withMemoryPages(moduleWith([1, 0, 3]), pages)).toThrow(
      'the module needs 3 pages of memory, and may have 2',
    );
  });

  test.each([
    ['no memory', [...head, ...custom], 'the module has no memory of its own'],
    ['two memories', [...head, 5, 5, 2, 0, 1, 0, 1], 'the module has several memories'],
    ['a shared memory', [...head, 5, 4, 1, 3, 1, 2], 'is shared, or has 64 bits'],
    ['an end in the middle', [...head, 5, 3, 1], 'the module is cut short'],
    ['an endless number', [...head, 5, 8, 255, 255, 255, 255, 255, 1], 'a number that is too long'],
  ])('are refused for a module with %s', (_name, bytes, why) => {
    expect(() => withMemoryPages(Uint8Array.from(bytes), { initial: 0, maximum: 9 })).toThrow(why);
  });

  test('are 16 for a MB', () => {
    expect(pagesOf(64)).toBe(1024);
  });
});
