// A program as it was submitted: which module, how inputs and results are written, what the module finds.

import type { GuestSource } from '../sandbox/guest.ts';
import { invalid } from './binary-reader.ts';

export type InputForm = 'json' | 'text' | 'bytes';
export type OutputForm = InputForm | 'lines';

export interface WasmProgram {
  /** SHA-256 of the module. */
  readonly module: string;
  readonly input: InputForm;
  readonly output: OutputForm;
  readonly args: readonly string[];
  readonly env: readonly (readonly [name: string, value: string])[];
  /** Absolute paths, and the SHA-256 of what is in them. */
  readonly files: readonly (readonly [path: string, sha256: string])[];
  readonly memoryMb: number;
}

const inputForms: readonly string[] = ['json', 'text', 'bytes'];
const outputForms: readonly string[] = [...inputForms, 'lines'];

export function readProgram({ programJson, memoryMb }: GuestSource): WasmProgram {
  const given = objectOf(JSON.parse(programJson), 'the program');
  const { input = 'json', output = 'json', args = [], env = {}, files = {}, memory_mb } = given;
  if (!inputForms.includes(input as string)) throw invalid(`input is ${inputForms.join(', ')}`);
  if (!outputForms.includes(output as string)) throw invalid(`output is ${outputForms.join(', ')}`);
  return {
    module: blobOf(given['module'], 'module'),
    input: input as InputForm,
    output: output as OutputForm,
    args: argsOf(args),
    env: Object.entries(objectOf(env, 'env')).map(([name, value]) => variableOf(name, value)),
    files: filesOf(objectOf(files, 'files')),
    // The worker may have less for a task than the program asks for, never more.
    memoryMb: Math.min(memoryMb, typeof memory_mb === 'number' ? memory_mb : memoryMb),
  };
}

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(`${what} must be an object`);
  }
  return value as Record<string, unknown>;
}

function blobOf(value: unknown, what: string): string {
  const sha256 = objectOf(value, what)['$blob'];
  if (typeof sha256 === 'string') return sha256;
  throw invalid(`${what} must be {"$blob": "<sha256>"}`);
}

function argsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw invalid('args must be a list of texts');
  return value.map((arg: unknown) => textOf(arg, 'an argument'));
}

function variableOf(name: string, value: unknown): readonly [string, string] {
  if (name === '' || name.includes('='))
    throw invalid(`env has a variable named ${JSON.stringify(name)}`);
  return [textOf(name, 'a name in env'), textOf(value, `env.${name}`)];
}

function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string') throw invalid(`${what} must be a text`);
  if (value.includes('\0'))
    throw invalid(`${what} has the character U+0000, which ends texts there`);
  return value;
}

function filesOf(files: Readonly<Record<string, unknown>>): WasmProgram['files'] {
  const paths = Object.keys(files);
  for (const path of paths) checkPath(path, paths);
  return Object.entries(files).map(([path, content]) => [
    path,
    blobOf(content, `files["${path}"]`),
  ]);
}

function checkPath(path: string, all: readonly string[]): void {
  const [first, ...names] = path.split('/');
  const isPlain = names.every((name) => name !== '' && name !== '.' && name !== '..');
  if (first !== '' || names.length === 0 || !isPlain || path.includes('\0')) {
    throw invalid(`files: ${JSON.stringify(path)} is no absolute path without "." and ".."`);
  }
  if (names[0] === 'muster')
    throw invalid(`files: ${path} lies in /muster, which the worker fills`);
  if (path === '/tmp') throw invalid('files: /tmp is a folder');
  const other = all.find((each) => each.startsWith(`${path}/`));
  if (other !== undefined) throw invalid(`files: ${path} cannot be a file and hold ${other}`);
}
