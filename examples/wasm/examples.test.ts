// The modules beside their sources do what the sources say, interrupted or not.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { GuestProgram } from '../../src/worker/sandbox/guest.ts';
import {
  HandTask,
  type LoadOptions,
  loadModule,
  runToEnd,
} from '../../src/worker/sandbox-wasm/testing/hand-task.ts';
import { WasmKind } from '../../src/worker/sandbox-wasm/wasm-kind.ts';

const kind = new WasmKind({ nowMs: () => performance.now() });

function load(name: string, fields: LoadOptions['fields'] = {}): Promise<GuestProgram> {
  const module = readFileSync(join(import.meta.dirname, name));
  return loadModule(kind, module, { fields });
}

test('collatz.c finds the number, reports how far it is, and goes on where it was stopped', async () => {
  const program = await load('collatz.wasm');
  const whole = new HandTask(50_000);
  const result = { type: 'result', value: { json: '{"number":35655,"steps":323}' } };
  expect(runToEnd(program, whole)).toEqual(result);
  expect(whole.reports).toHaveLength(50);
  expect(whole.reports[9]).toEqual([0.2, 'the best is 6171']);
  expect(whole.offers).toEqual([]);

  const first = new HandTask(50_000, { stopsAt: 300 });
  expect(runToEnd(program, first)).toEqual({ type: 'stopped' });
  const stateJson = first.offers.at(-1)!;
  expect(JSON.parse(stateJson)).toEqual([
    expect.any(Number),
    expect.any(Number),
    expect.any(Number),
  ]);
  const second = new HandTask(50_000, { stateJson });
  expect(runToEnd(program, second)).toEqual(result);
  expect(second.reports.length).toBeLessThan(50);
});

test('collatz.c says what it does not like', async () => {
  const program = await load('collatz.wasm');
  expect(runToEnd(program, new HandTask('seven'))).toMatchObject({
    type: 'failure',
    errorType: 'exit_code',
    message: 'exit code 2: the input must be a number from 1 on',
  });
});

test('levenshtein.c compares words, one task after the other', async () => {
  const program = await load('levenshtein.wasm', { input: 'text' });
  const distances = ['kitten sitting', 'a a', ' abc', 'saturday sunday'].map((text) =>
    runToEnd(program, new HandTask(text)),
  );
  expect(distances.map((step) => (step.type === 'result' ? step.value : step))).toEqual([
    { json: '3' },
    { json: '0' },
    { json: '3' },
    { json: '3' },
  ]);
  expect(runToEnd(program, new HandTask('alone'))).toMatchObject({
    type: 'failure',
    message: 'the input must be two words with a blank between them',
  });
  expect(runToEnd(program, new HandTask('one two'))).toHaveProperty('value', { json: '3' });
});

test('pi.c is moved in the middle, in few bytes, and gives the same digits', async () => {
  const program = await load('pi.wasm');
  const whole = new HandTask(300_000, { isDue: true });
  const result = runToEnd(program, whole);
  expect(result).toMatchObject({ value: { json: expect.stringMatching(/^3\.1[34]\d{4}$/) } });
  const stateJson = whole.offers[20]!;
  expect(stateJson.length).toBeLessThan(20_000);
  const moved = new HandTask(300_000, { stateJson });
  expect(runToEnd(program, moved)).toEqual(result);
  expect(moved.reports).toHaveLength(10);
});
