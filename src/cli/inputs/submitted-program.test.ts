import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Context } from '../context.ts';
import { sharedValue, submittedProgram } from './submitted-program.ts';

let folder: string;
const files: Readonly<Record<string, string | Uint8Array>> = {
  'work.py': 'def run(input, task):\n    return "ü"\n',
  'work.wasm': Uint8Array.of(0, 97, 115, 109),
  'work.txt': 'def run(input, task): pass',
  'broken.py': Uint8Array.of(0xff),
  'table.json': '{"a": [1]}',
  'broken.json': '{"a": ',
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-programs-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
});
afterEach(() => rmSync(folder, { recursive: true }));

const put: string[] = [];
const client = {
  putBlob: async (bytes: unknown) => {
    const $blob = createHash('sha256')
      .update(bytes as Uint8Array)
      .digest('hex');
    put.push($blob);
    return { $blob };
  },
};
const program = (name: string, more: object = {}) =>
  submittedProgram(name, { check: true, ...more }, client, { folder } as Context);

describe('a program', () => {
  test('in Python is sent as its text', async () => {
    const source = files['work.py'];
    expect(await program('work.py')).toEqual({ kind: 'python', source });
    expect(put).toEqual([]);
  });

  test('in WebAssembly is uploaded', async () => {
    const made = await program('work.wasm');
    expect(made).toEqual({ kind: 'wasm', module: { $blob: put[0] } });
  });

  test('is what --kind says, whatever its ending', async () => {
    const made = await program('work.txt', { kind: 'python' });
    expect(made).toEqual({ kind: 'python', source: files['work.txt'] });
  });

  test.each([
    ['none.py', {}, 'There is no file "none.py".'],
    ['broken.py', {}, '"broken.py" is not a text in UTF-8.'],
    ['work.py', { with: 'table.json' }, '--with goes with programs in JavaScript.'],
  ])('%s with %j is refused', async (name, more, message) => {
    await expect(program(name, more)).rejects.toMatchObject({ message });
  });
});

describe('what tasks share', () => {
  test('is JSON, or lies in a file', async () => {
    expect(await sharedValue('[1, null]', folder)).toEqual([1, null]);
    expect(await sharedValue('@table.json', folder)).toEqual({ a: [1] });
  });

  test.each([
    ['nothing', 'What --shared gives is not JSON: '],
    ['@broken.json', '"broken.json" is not JSON: '],
    ['@none.json', '"none.json" cannot be read: ENOENT'],
    ['@broken.py', '"broken.py" is not a text in UTF-8.'],
  ])('%s is refused', async (given, message) => {
    await expect(sharedValue(given, folder)).rejects.toThrow(message);
  });
});
