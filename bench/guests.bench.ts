// What programs of other kinds than JavaScript cost the child that runs them: the guest alone, without agent or driver.
// Run: node bench/guests.bench.ts

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GuestProgram, GuestStep, GuestTask } from '../src/worker/sandbox/guest.ts';
import {
  HandTask,
  type LoadOptions,
  loadModule,
} from '../src/worker/sandbox-wasm/testing/hand-task.ts';
import { stepped } from '../src/worker/sandbox-wasm/testing/wat.ts';
import { WasmKind } from '../src/worker/sandbox-wasm/wasm-kind.ts';

type Print = (line: string) => void;

const kind = new WasmKind({ nowMs: () => performance.now() });

export async function benchGuests(print: Print): Promise<void> {
  const ordinary = await load(print, 'collatz.wasm');
  measure(print, 'wasm, an ordinary program', ordinary, new HandTask(1), 10_000);
  const called = await load(print, 'levenshtein.wasm', { input: 'text' });
  measure(print, 'wasm, a program of calls', called, new HandTask('ab cd'), 200_000);
  const inSteps = await load(print, 'pi.wasm');
  measure(print, 'wasm, a program in steps', inSteps, new HandTask(1), 10_000);
  measureHostCalls(print, inSteps);
  for (const [name, pages, isNoise] of images) await measureImage(print, name, pages, isNoise);
}

const images = [
  ['1 MB of noise', 16, true],
  ['4 MB of noise', 64, true],
  ['64 MB, in which hardly anything is', 1024, false],
] as const;

function load(
  print: Print,
  name: string,
  fields: LoadOptions['fields'] = {},
): Promise<GuestProgram> {
  const module = readFileSync(join(import.meta.dirname, '..', 'examples', 'wasm', name));
  return timed(print, `${name}, ${Math.ceil(module.length / 1024)} KiB, read and compiled`, () =>
    loadModule(kind, module, { fields }),
  );
}

async function timed<T>(print: Print, what: string, run: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const value = await run();
  print(`${what}: ${(performance.now() - startedAt).toFixed(1)} ms`);
  return value;
}

/** The second of two rounds: in the first, the engine still compiles. */
function measure(
  print: Print,
  name: string,
  program: GuestProgram,
  task: GuestTask,
  count: number,
): void {
  runMany(program, task, count);
  const { cpuMicros, seconds } = runMany(program, task, count);
  const rate = Math.round(count / seconds).toLocaleString('en');
  print(`${name}: ${(cpuMicros / count).toFixed(2)} µs of CPU a task, ${rate} tasks/s`);
}

function runMany(
  program: GuestProgram,
  task: GuestTask,
  count: number,
): { readonly cpuMicros: number; readonly seconds: number } {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  for (let i = 0; i < count; i++) expectResult(runOnce(program, task));
  const { user, system } = process.cpuUsage(before);
  return { cpuMicros: user + system, seconds: (performance.now() - startedAt) / 1000 };
}

function runOnce(program: GuestProgram, task: GuestTask): GuestStep {
  const run = program.begin(task);
  let step = run.step(50);
  while (step.type === 'more') step = run.step(50);
  return step;
}

function expectResult(step: GuestStep): void {
  if (step.type !== 'result') throw new Error(JSON.stringify(step));
}

/** Two random numbers for each point. */
function measureHostCalls(print: Print, program: GuestProgram): void {
  const points = 2_000_000;
  const before = process.cpuUsage();
  expectResult(runOnce(program, new HandTask(points)));
  const { user, system } = process.cpuUsage(before);
  print(`a call of the host: ${(((user + system) * 1000) / (2 * points)).toFixed(0)} ns`);
}

/** The memory of a program in steps as a checkpoint, written and read. */
async function measureImage(
  print: Print,
  name: string,
  pages: number,
  isNoise: boolean,
): Promise<void> {
  const fill = `(local.set $at (i32.const 65536))
    (loop $next
      (i64.store (local.get $at) (i64.mul (i64.extend_i32_u (local.get $at)) (i64.const 0x9e3779b97f4a7c15)))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br_if $next (i32.lt_u (local.get $at) (i32.const ${pages * 65_536}))))`;
  const module = await stepped(
    {
      begin: isNoise ? fill : '',
      step: '(global.set $n (i32.add (global.get $n) (i32.const 1))) (i32.eq (global.get $n) (i32.const 5))',
      result: '(call $number (i64.const 1))',
    },
    { pages, parts: '(global $n (mut i32) (i32.const 0))' },
  );
  const program = await loadModule(kind, module, { memoryMb: 128 });
  const task = new HandTask(null, { isDue: true });
  const writeMs = cpuMsOf(() => expectResult(runOnce(program, task))) / task.offers.length;
  const stateJson = task.offers.at(-1);
  if (stateJson === undefined) throw new Error('no state was offered');
  const resumed = new HandTask(null, { stateJson });
  const readMs = cpuMsOf(() => expectResult(runOnce(program, resumed)));
  const kib = Math.ceil(stateJson.length / 1024);
  print(
    `checkpoint of ${name}: ${writeMs.toFixed(1)} ms of CPU, read in ${readMs.toFixed(1)} ms, ${kib} KiB`,
  );
}

function cpuMsOf(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

if (import.meta.main) await benchGuests(console.log);
