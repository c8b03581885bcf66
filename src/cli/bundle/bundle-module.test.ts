import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ProgramError } from '../../client/errors.ts';
import { programSource } from '../../client/task-function.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-bundle-module-'));
const program = process.argv[1];

beforeAll(() => {
  const sum = join(folder, 'node_modules', '@tiny', 'sum');
  mkdirSync(sum, { recursive: true });
  writeFileSync(join(sum, 'package.json'), '{"type": "module", "exports": "./index.js"}');
  writeFileSync(join(sum, 'index.js'), 'export const sum = (a, b) => a + b;');
  process.argv[1] = join(folder, 'program.mjs');
});

afterAll(() => {
  process.argv[1] = program!;
  rmSync(folder, { recursive: true });
});

const task = async (n: number) => {
  // @ts-expect-error -- only where this test runs is there such a package
  const { sum } = await import('@tiny/sum');
  return sum(n, offset);
};
declare const offset: number;

test('a function brings the packages along that it imports, and what is sent imports nothing', async () => {
  const source = await programSource(task, { offset: 2 });
  expect(source).not.toMatch(/\bimport\b/);
  const url = `data:text/javascript,${encodeURIComponent(source)}`;
  const { default: landed } = (await import(url)) as { default: typeof task };
  expect(await landed(40)).toBe(42);
});

test('the same function is the same program, and nothing stays behind in the folder', async () => {
  const [one, other] = await Promise.all([1, 2].map(() => programSource(task, { offset: 2 })));
  expect(one).toBe(other);
  expect(readdirSync(folder)).toEqual(['node_modules']);
});

test('modules of Node have the stand-ins that programs in files have', async () => {
  const joined = async (n: number) => {
    const { join: joinPaths } = await import('path');
    const { createHash } = await import('node:crypto');
    return joinPaths('a', createHash('sha256').update(String(n)).digest('hex').slice(0, 4));
  };
  const source = await programSource(joined);
  const url = `data:text/javascript,${encodeURIComponent(source)}`;
  const { default: landed } = (await import(url)) as { default: typeof joined };
  expect(await landed(1)).toBe(await joined(1));
  const error = await programSource(async () => import('fs')).catch((cause) => cause);
  expect(error.message).toMatch(
    /^The function cannot run on other devices: the function:1:\d+: "fs" is a part of Node, and tasks run in a sandbox without it$/,
  );
});

test('a package that is not installed is named', async () => {
  // @ts-expect-error -- as it says
  const error = await programSource(async () => import('not-there/part')).catch((cause) => cause);
  expect(error).toBeInstanceOf(ProgramError);
  expect(error.message).toBe(
    'The function cannot run on other devices: cannot find "not-there/part"; is the package installed beside the program?',
  );
});
