// In the realm of a child, locked, behind Node's permission flags, programs do what they do outside.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { nodeFlags } from '../node/confinement/node-flags.ts';
import { HandTask, loadModule, runToEnd } from './testing/hand-task.ts';
import type { LockedEnd, LockedOrder, LockedReport } from './testing/locked-runs.ts';
import {
  calledPrograms,
  ordinaryPrograms,
  type SameForAll,
  steppedPrograms,
} from './testing/programs.ts';
import { assemble } from './testing/wat.ts';
import { WasmKind } from './wasm-kind.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '');
const entry = fileURLToPath(new URL('testing/locked-main.ts', import.meta.url));
/** Time stands still in both: checkpoints tell it. */
const kind = new WasmKind({ nowMs: () => 0 });

const cases: readonly (readonly [program: keyof SameForAll, input: unknown, options?: object])[] = [
  ['double', 21],
  ['fail', null],
  ['trap', null],
  ['print', null],
  ['progress', null],
  ['sum', null],
  ['endless', null, { stopsAt: 500 }],
  ['greedy', null, { memoryMb: 4 }],
  ['echo', { a: ['ü😀'] }],
  ['shared', null, { shared: { json: '[1]' } }],
  ['long', null],
];

async function order(): Promise<LockedOrder> {
  const runs: { module: string; input: unknown; options: object }[] = [];
  for (const programs of [ordinaryPrograms, calledPrograms, steppedPrograms]) {
    for (const [program, input, options = {}] of cases) {
      runs.push({ module: toBase64(await programs[program]), input, options });
    }
  }
  const state = { isDue: true, stateJson: await stateOfSum() };
  runs.push({ module: toBase64(await ordinaryPrograms.sum), input: null, options: state });
  const unknown = await assemble('(module (import "env" "f" (func)) (func (export "_start")))');
  runs.push({ module: toBase64(unknown), input: null, options: {} });
  return runs;
}

async function stateOfSum(): Promise<string> {
  const task = new HandTask(null, { isDue: true });
  runToEnd(await loadModule(kind, await ordinaryPrograms.sum), task);
  return String(task.offers[40]);
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

async function endHere({ module, input, options }: LockedOrder[number]): Promise<LockedEnd> {
  try {
    const program = await loadModule(kind, Buffer.from(module, 'base64'), options);
    const task = new HandTask(input, options);
    const step = runToEnd(program, task);
    return { step, offers: task.offers, reports: task.reports, printed: task.printed };
  } catch (error) {
    return { refusal: String(error) };
  }
}

test('programs do in a locked realm what they do outside, and no other job can see it', async () => {
  const runs = await order();
  const code = { entry, folders: [repository], files: [], isWhole: false };
  const flags = nodeFlags(process.execPath, 512, code);
  const child = spawnSync(process.execPath, [...flags, entry], {
    input: JSON.stringify(runs),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  expect(child.stderr).toBe('');
  const report = JSON.parse(child.stdout) as LockedReport;
  expect(report.isLocked).toBe(true);
  expect(report.faults).toEqual([]);
  for (const [index, run] of runs.entries()) {
    const here: unknown = JSON.parse(JSON.stringify(await endHere(run)));
    expect(report.ends[index], `run ${index}`).toEqual(here);
  }
  expect(report.ends.at(-1)).toEqual({ refusal: expect.stringContaining('env.f') });
});
