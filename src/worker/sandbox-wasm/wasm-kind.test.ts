import { expect, test } from 'vitest';
import { WasmKind } from './wasm-kind.ts';
import { HandTask, loadModule, runToEnd } from './testing/hand-task.ts';
import { calledPrograms, ordinaryPrograms, steppedPrograms } from './testing/programs.ts';
import { wasmProgramsCases } from './wasm-programs.cases.ts';

const kind = new WasmKind({ nowMs: () => performance.now() });

wasmProgramsCases({
  name: 'an ordinary program',
  kind,
  programs: ordinaryPrograms,
  failure: { errorType: 'exit_code', message: 'exit code 3: it is broken' },
  half: [0.5, 'half'],
});

const saysSo = { errorType: 'Error', message: 'it is broken' };
wasmProgramsCases({
  name: 'a program of calls',
  kind,
  programs: calledPrograms,
  failure: saysSo,
  half: [0.5, null],
});

wasmProgramsCases({
  name: 'a program in steps',
  kind,
  programs: steppedPrograms,
  failure: saysSo,
  half: [0.5, null],
});

test('a module is compiled once for all jobs that have it, for as long as there is one', async () => {
  const module = await calledPrograms.double;
  let asked = 0;
  const load = (jobId: string, memoryMb = 64) =>
    kind.load({
      jobId,
      programJson: '{"kind":"wasm","module":{"$blob":"m"}}',
      bytesOf: () => {
        asked++;
        return module;
      },
      shared: null,
      memoryMb,
    });
  const [a, b] = await Promise.all([load('a'), load('b')]);
  expect(asked).toBe(1);
  for (const program of [a, b]) {
    expect(runToEnd(program, new HandTask(4))).toEqual({ type: 'result', value: { json: '8' } });
  }
  a.forget();
  a.forget();
  await load('c');
  expect(asked).toBe(1);
  await load('with another limit', 32);
  expect(asked).toBe(2);
});

test('a module that is refused is forgotten', async () => {
  let module = Uint8Array.of(1, 2, 3);
  const load = () =>
    kind.load({
      jobId: 'a',
      programJson: '{"kind":"wasm","module":{"$blob":"other"}}',
      bytesOf: () => module,
      shared: null,
      memoryMb: 64,
    });
  await expect(load()).rejects.toThrow('no WebAssembly');
  module = new Uint8Array(await calledPrograms.double);
  await expect(load()).resolves.toHaveProperty('begin');
});

test('what is wrong with the runner itself is told, not thrown', async () => {
  const program = await loadModule(kind, await calledPrograms.echo, { fields: { input: 'text' } });
  const task = Object.assign(new HandTask('x'), { input: { json: 'no JSON' } });
  expect(runToEnd(program, task)).toEqual({
    type: 'broken',
    why: expect.stringContaining('is not valid JSON'),
  });
});
