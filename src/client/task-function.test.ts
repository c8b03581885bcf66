import { expect, test } from 'vitest';
import { ProgramError } from './errors.ts';
import { programSource } from './task-function.ts';

test('a program in which no default export can be is refused before anything is sent', async () => {
  await expect(programSource('export const run = (n) => n;')).rejects.toThrow(
    'The program cannot run on other devices: it has no default export: write `export default',
  );
  await expect(programSource({ source: '' })).rejects.toBeInstanceOf(ProgramError);
});

test('a program that cannot be read is refused with its place', async () => {
  await expect(programSource('export default (n) =>\n  n +;')).rejects.toThrow(
    'The program cannot run on other devices: it cannot be read: Unexpected token (line 2, column 6)',
  );
});

test.each([
  [undefined, 'missing'],
  [null, 'missing'],
  [3, 'a number'],
  [{}, 'an object without a source'],
])('what is no program is told: %s', async (program, what) => {
  await expect(programSource(program as never)).rejects.toThrow(
    `The program is ${what}: give a function, (input, task) => …, or the text of a module.`,
  );
});

test.each(['export default (n) => n;', 'const f = () => 1; export { f as "d\\u0065fault" };'])(
  'any other is taken as it is: %s',
  async (source) => {
    expect(await programSource({ source })).toBe(source);
  },
);
