import { expect, test } from 'vitest';
import { packProgram } from './pack.ts';
import { PackedPrograms } from './packed-programs.ts';

test('a program is packed once, and anew with what is sent along', async () => {
  const task = (input: number, _task: unknown, along: { by: number }) => input * along.by;
  expect(await packProgram(task, { by: 2 })).not.toBe(await packProgram(task, { by: 3 }));
  const plain = (input: number) => input * 2;
  const packed = await packProgram(plain, undefined);
  expect(packed).toContain('input * 2');
  expect(await packProgram(plain, undefined)).toBe(packed);
});

test('a text that was refused is refused again', async () => {
  for (let i = 0; i < 2; i++) {
    await expect(packProgram('export default (', undefined)).rejects.toThrow(/cannot be read/);
  }
});

test('of texts the last few are kept, and no long one', () => {
  const packed = new PackedPrograms();
  for (let i = 0; i <= 8; i++) packed.keep(`text ${i}`, `module ${i}`);
  expect(packed.find('text 0')).toBeUndefined();
  expect(packed.find('text 1')).toBe('module 1');
  const long = 'a'.repeat(64 * 1024 + 1);
  packed.keep(long, long);
  expect(packed.find(long)).toBeUndefined();
});
