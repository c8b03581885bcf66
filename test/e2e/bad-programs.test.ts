// Whatever a program does, its task ends with a sentence, its neighbours with their results, and the
// worker goes on.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sandboxGlobals } from '../../src/client/packing/sandbox-globals.ts';
import type { TaskResult } from '../../src/client/index.ts';
import { Cluster } from '../support/cluster.ts';

const inputs = 10;
const badInput = 5;

interface BadProgram {
  readonly name: string;
  /** What it does with one of its inputs; the others it doubles. */
  readonly deed: string;
  readonly type: string;
  readonly message: RegExp;
  /** Trying again cannot help. */
  readonly isFinal?: true;
}

const badPrograms: readonly BadProgram[] = [
  {
    name: 'throws',
    deed: `throw new RangeError('no such row: ' + n);`,
    type: 'RangeError',
    message: /^no such row: 5$/,
  },
  {
    name: 'never-ends',
    deed: 'for (;;) {}',
    type: 'attempt_timeout',
    message: /^still running after 1000 ms$/,
  },
  {
    name: 'waits-forever',
    deed: 'await new Promise(() => {});',
    type: 'attempt_timeout',
    message: /^still running after 1000 ms$/,
  },
  {
    name: 'eats-memory',
    deed: 'const all = []; for (;;) all.push(new Float64Array(1e6).fill(n));',
    type: 'out_of_memory',
    message: /^the task took more than 512 MB and was ended \(memory_mb of the job\)$/,
  },
  {
    name: 'returns-a-function',
    deed: 'return { twice: () => n };',
    type: 'result_not_json',
    message: /^result\.twice is a function$/,
    isFinal: true,
  },
  {
    name: 'returns-a-circle',
    deed: 'const circle: Record<string, unknown> = {}; circle.self = circle; return circle;',
    type: 'result_not_json',
    message: /^the result cannot be written as JSON: .*circular/i,
    isFinal: true,
  },
  {
    name: 'returns-too-much',
    deed: `return 'x'.repeat(70_000_000);`,
    type: 'result_too_large',
    message: /\d+ bytes.*limit/,
    isFinal: true,
  },
  {
    name: 'exits-its-process',
    deed: `(globalThis as unknown as { process: { exit(): void } }).process.exit();`,
    type: 'TypeError',
    message: /undefined.*exit/,
  },
];

test('a bad program fails with a sentence, its other tasks complete, the worker goes on', async () => {
  const cluster = await Cluster.start({ workers: 1, slots: 2 });
  for (const program of badPrograms) await expectFailure(cluster, program);
  const [worker] = await cluster.client.workers();
  expect(worker).toMatchObject({ id: cluster.workers[0]!.id, status: 'online', active_tasks: 0 });
});

test('a program that prints megabytes gives its results all the same', async () => {
  const cluster = await Cluster.start({ workers: 1 });
  const deed = `for (let i = 0; i < 3_000; i++) console.log('x'.repeat(1_000)); return n * 2;`;
  const { code, results } = await submit(cluster, 'prints', deed);
  expect(code).toBe(0);
  expect(results.map((result) => 'value' in result && result.value)).toEqual(doubles());
});

test('a program that names what it cannot have is refused before anything is sent', async () => {
  const cluster = await Cluster.start();
  const { code, stderr } = await submit(cluster, 'exits', 'process.exit(1);');
  expect(code).toBe(2);
  expect(stderr).toMatch(/\bprocess\b/);
  expect(await cluster.client.jobs()).toEqual([]);
});

test('every global that submit lets through is there', async () => {
  const cluster = await Cluster.start({ workers: 1 });
  const names = [...sandboxGlobals].filter((name) => name !== 'undefined');
  const kinds = names.map((name) => `${name}: typeof ${name}`).join();
  const program = { kind: 'javascript', source: `export default () => ({${kinds}})` } as const;
  const { id } = await cluster.client.submit({ program, inputs: [null] });
  const [result] = await Array.fromAsync(cluster.client.results(id, { follow: true }));
  const found = result !== undefined && 'value' in result ? Object.entries(result.value!) : [];
  expect(found.map(([name]) => name)).toEqual(names);
  expect(found.filter(([, kind]) => kind === 'undefined')).toEqual([]);
});

async function expectFailure(cluster: Cluster, program: BadProgram): Promise<void> {
  const { name, deed, type, message, isFinal } = program;
  // A slow machine must not make a time-out of what is another failure.
  const seconds = type === 'attempt_timeout' ? 1 : 60;
  const { code, results } = await submit(cluster, name, deed, seconds);
  expect([name, code]).toEqual([name, 1]);
  const values = results.map((result) => ('value' in result ? result.value : result.error));
  const expected = doubles().with(badInput, { type, message: expect.stringMatching(message) });
  expect([name, ...values]).toEqual([name, ...expected]);
  const [job] = await cluster.client.jobs({ limit: 1 });
  const { tasks } = await cluster.client.job(job!.id);
  expect([name, tasks[badInput]!.attempt]).toEqual([name, isFinal === true ? 1 : 2]);
}

/** `muster submit` of a program that does the deed for one of ten inputs. */
async function submit(cluster: Cluster, name: string, deed: string, attemptSeconds = 60) {
  const source = `export default async (n: number) => {
    if (n === ${badInput}) { ${deed} }
    return n * 2;
  };\n`;
  writeFileSync(join(cluster.folder, `${name}.ts`), source);
  const tries = ['--max-attempts', '2', '--retry-delay', '0'];
  const limits = [...tries, '--attempt-timeout', String(attemptSeconds)];
  const range = ['--range', `0:${inputs}`, '--follow', '--url', cluster.url];
  const process = cluster.run(['submit', `${name}.ts`, ...range, ...limits]);
  const { code } = await process.ended;
  const lines = process.stdout.trimEnd().split('\n');
  const results = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as TaskResult);
  const inOrder = results.toSorted((a, b) => a.index - b.index);
  return { code, results: inOrder, stderr: process.stderr };
}

function doubles(): unknown[] {
  return Array.from({ length: inputs }, (_, n) => n * 2);
}
