// The processes that `python.bench.ts` measures: `node python-process.ts PART IMAGE`.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { GuestKind, GuestProgram, GuestStep, GuestTask } from '../src/worker/sandbox/guest.ts';
import { hardenRealm } from '../src/worker/sandbox/realm.ts';
import { sesPath } from '../src/worker/node/entry-points.ts';
import { nodeHost } from '../src/worker/node/sandbox/node-host.ts';
import { type Distribution, distributionFiles } from '../src/worker/sandbox-python/distribution.ts';
import { makePythonImage, pythonKind } from '../src/worker/sandbox-python/python-kind.ts';

const [, , part, imageFile = ''] = process.argv;
const folder = dirname(createRequire(import.meta.url).resolve('pyodide/package.json'));
const files = Object.fromEntries(
  distributionFiles.map((name) => [name, readFileSync(join(folder, name))]),
) as unknown as Distribution;
const now = performance.now.bind(performance);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const note = (sentence: string) => {
  throw new Error(sentence);
};
const print = console.log.bind(console);
const memoryUsage = process.memoryUsage.bind(process);
const cpuUsage = process.cpuUsage.bind(process);
hardenRealm(nodeHost, sesPath);

const parts = { files, sha256, now, note };
const noOp = 'def run(input, task):\n    return input\n';
const yields = 'def run(n, task):\n    for i in range(n):\n        yield {"state": i}\n';
const loop = `
def run(n, task):
    s = 0.0
    for i in range(n):
        s += i * 0.5 % 3
    return s
`;

/** The first of two processes starts interpreters cold, and makes the image for the second. */
async function measureCold(): Promise<void> {
  const kind = await pythonKind({ ...parts, image: null });
  await timed('start, cold', 3, async () => void (await program(kind, noOp)));
  let image = new Uint8Array();
  await timed('make the image', 1, async () => {
    image = new Uint8Array(await makePythonImage(parts));
  });
  print(`the image: ${(image.length / 1e6).toFixed(1)} MB`);
  writeFileSync(imageFile, image);
}

async function measureFromImage(): Promise<void> {
  const before = memoryUsage().rss;
  const kind = await pythonKind({ ...parts, image: readFileSync(imageFile) });
  const calls = await program(kind, noOp);
  ended(calls, '1');
  const [mb, more] = [memoryUsage().rss / 1e6, (memoryUsage().rss - before) / 1e6];
  print(`memory at rest: ${mb.toFixed(0)} MB, ${more.toFixed(0)} MB more than before its start`);
  await timed('start, from the image', 5, async () => void (await program(kind, noOp)));
  for (let i = 0; i < 20_000; i++) ended(calls, String(i));
  rate('calls of a task that does nothing', 20_000, () => {
    for (let i = 0; i < 20_000; i++) ended(calls, String(i));
  });
  const generator = await program(kind, yields);
  ended(generator, '100000');
  rate('yields with a state that is not due', 500_000, () => ended(generator, '500000'));
  const json = JSON.stringify(Array.from({ length: 500_000 }, (_, i) => i));
  const large = await program(kind, noOp);
  await timed(`${(json.length / 1e6).toFixed(1)} MB of JSON in and out`, 3, () =>
    ended(large, json),
  );
  const numeric = await program(kind, loop);
  await timed('numeric loop, 3 000 000 steps', 3, () => ended(numeric, '3000000'));
  await timed('the same in JavaScript', 3, () => void sum(3_000_000));
}

function sum(n: number): number {
  let s = 0;
  for (let i = 0; i < n; i++) s += (i * 0.5) % 3;
  return s;
}

async function program(kind: GuestKind, source: string): Promise<GuestProgram> {
  return kind.load({
    jobId: 'job',
    programJson: JSON.stringify({ kind: 'python', source }),
    bytesOf: () => new Uint8Array(),
    shared: null,
    memoryMb: 256,
  });
}

function ended(of: GuestProgram, json: string): void {
  const attempt = of.begin(taskOf(json));
  let step: GuestStep = { type: 'more' };
  while (step.type === 'more') step = attempt.step(50);
  if (step.type !== 'result') throw new Error(JSON.stringify(step));
}

function taskOf(json: string): GuestTask {
  return {
    taskId: 'job-0',
    jobId: 'job',
    index: 0,
    attempt: 1,
    input: { json },
    stateJson: null,
    resultLimitBytes: 1 << 26,
    stateLimitBytes: 1 << 26,
    isStopped: () => false,
    isCheckpointDue: () => false,
    offer: () => {},
    report: () => {},
    print: () => {},
  };
}

/** The best of some times: what the machine did beside it is not of interest. */
async function timed(what: string, times: number, work: () => void | Promise<void>): Promise<void> {
  let [bestMs, bestCpuMs] = [Infinity, Infinity];
  for (let i = 0; i < times; i++) {
    const startedAt = now();
    const before = cpuUsage();
    await work();
    const { user, system } = cpuUsage(before);
    bestMs = Math.min(bestMs, now() - startedAt);
    bestCpuMs = Math.min(bestCpuMs, (user + system) / 1000);
  }
  print(`${what}: ${bestMs.toFixed(0)} ms, ${bestCpuMs.toFixed(0)} ms of CPU`);
}

function rate(what: string, count: number, work: () => void): void {
  const startedAt = now();
  const before = cpuUsage();
  work();
  const { user, system } = cpuUsage(before);
  const seconds = (now() - startedAt) / 1000;
  const micros = ((user + system) / count).toFixed(1);
  print(`${what}: ${Math.round(count / seconds)} a second, ${micros} µs of CPU each`);
}

await (part === 'cold' ? measureCold() : measureFromImage());
