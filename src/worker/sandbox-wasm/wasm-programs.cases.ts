// What a task does is the same whatever its program is written in: one suite for each of the interfaces.

import { beforeAll, describe, expect, test } from 'vitest';
import type { GuestKind, GuestStep } from '../sandbox/guest.ts';
import {
  HandTask,
  type HandTaskOptions,
  type LoadOptions,
  loadModule,
  runToEnd,
} from './testing/hand-task.ts';
import type { SameForAll } from './testing/programs.ts';

export interface WasmCases {
  readonly name: string;
  readonly kind: GuestKind;
  readonly programs: SameForAll;
  /** How a program says that it has failed. */
  readonly failure: { readonly errorType: string; readonly message: string };
  /** What is reported with half of the work done. */
  readonly half: readonly [share: number, message: string | null];
}

export function wasmProgramsCases({ name, kind, programs, failure, half }: WasmCases): void {
  describe(`for ${name}`, () => {
    interface Ran {
      readonly step: GuestStep;
      readonly task: HandTask;
    }

    async function run(
      program: keyof SameForAll,
      input: unknown,
      options: HandTaskOptions & LoadOptions = {},
    ): Promise<Ran> {
      const loaded = await loadModule(kind, await programs[program], options);
      const task = new HandTask(input, options);
      const step = runToEnd(loaded, task);
      loaded.forget();
      return { step, task };
    }

    test('doubles numbers, one after the other', async () => {
      const program = await loadModule(kind, await programs.double);
      for (const number of [21, 4, 123_456_789_012]) {
        const step = runToEnd(program, new HandTask(number));
        expect(step).toEqual({ type: 'result', value: { json: String(2 * number) } });
      }
    });

    test('fails with what it says, and the next task runs', async () => {
      const { step } = await run('fail', null);
      expect(step).toMatchObject({ type: 'failure', isRetryable: true, ...failure });
      expect((await run('double', 1)).step).toMatchObject({ type: 'result' });
    });

    test('a trap is a failure, and the same program runs again', async () => {
      const program = await loadModule(kind, await programs.trap);
      for (const _ of [1, 2]) {
        expect(runToEnd(program, new HandTask(null))).toMatchObject({
          type: 'failure',
          errorType: 'wasm_trap',
          message: expect.stringContaining('memory access out of bounds'),
          stack: expect.stringMatching(/^at .*wasm-function\[\d+\]:0x/),
        });
      }
    });

    test('prints', async () => {
      const { step, task } = await run('print', null);
      expect(step).toEqual({ type: 'result', value: { json: '1' } });
      expect(task.printed).toBe('hé a\n');
    });

    test('reports how far it is', async () => {
      const { task } = await run('progress', null);
      expect(task.reports).toEqual([half]);
    });

    describe('with checkpoints', () => {
      let whole: string;
      beforeAll(async () => {
        whole = resultJson((await run('sum', null, { isDue: true })).step);
      });

      test('offers a state when one is due, and none otherwise', async () => {
        expect((await run('sum', null)).task.offers).toEqual([]);
        const { task } = await run('sum', null, { isDue: true });
        expect(task.offers.length).toBeGreaterThanOrEqual(100);
      });

      test('resumed from any of its states it ends with the same result', async () => {
        const { task } = await run('sum', null, { isDue: true });
        for (const at of [0, 37, 98]) {
          const stateJson = String(task.offers[at]);
          expect(resultJson((await run('sum', null, { stateJson })).step)).toBe(whole);
        }
        expect(Number(whole)).toBeGreaterThan(40_000);
      });

      test('ordered to stop it leaves a last state, from which the next attempt goes on', async () => {
        const { step, task } = await run('sum', null, { stopsAt: 60 });
        expect(step).toEqual({ type: 'stopped' });
        const stateJson = String(task.offers.at(-1));
        expect(resultJson((await run('sum', null, { stateJson })).step)).toBe(whole);
      });

      test('a state of something else is refused', async () => {
        for (const stateJson of ['{"$base64":"?"}', '{"$muster_random":7,"state":1}']) {
          const { step } = await run('sum', null, { stateJson });
          expect(step).toMatchObject({ type: 'failure', errorType: 'checkpoint_unreadable' });
        }
      });
    });

    test('an endless loop is left at a call of the host, and the next task runs', async () => {
      const { step } = await run('endless', null, { stopsAt: 1_000 });
      expect(step).toEqual({ type: 'stopped' });
      expect((await run('double', 2)).step).toEqual({ type: 'result', value: { json: '4' } });
    });

    test('takes no more memory than it may have', async () => {
      const { step } = await run('greedy', null, { memoryMb: 8 });
      expect(step).toMatchObject({
        type: 'failure',
        errorType: 'out_of_memory',
        message: expect.stringContaining('8 of 8 MB'),
      });
      const fields = { memory_mb: 3 };
      expect((await run('greedy', null, { memoryMb: 8, fields })).step).toHaveProperty(
        'message',
        expect.stringContaining('3 of 3 MB'),
      );
    });

    test('bytes go in and out as they are', async () => {
      const bytes = Uint8Array.from({ length: 1_000 }, (_, at) => (at * 7) & 0xff);
      const fields = { input: 'bytes', output: 'bytes' };
      const { step } = await run('echo', bytes, { fields });
      expect(step).toEqual({ type: 'result', value: { bytes } });
    });

    test.each([
      ['JSON', {}, { a: [1, 'ü😀'] }, '{"a":[1,"ü😀"]}'],
      ['a text', { input: 'text', output: 'text' }, 'ü😀\n', '"ü😀\\n"'],
      ['lines', { input: 'text', output: 'lines' }, 'a\r\nb\n\nc\n', '["a","b","","c"]'],
    ])('%s goes in and out', async (_name, fields, input, json) => {
      expect((await run('echo', input, { fields })).step).toEqual({
        type: 'result',
        value: { json },
      });
    });

    test('what is no JSON is no result', async () => {
      const fields = { input: 'text' };
      for (const text of [
        '',
        'yes',
        '1 2',
        '{"a":1e999}',
        `${'['.repeat(2000)}${']'.repeat(2000)}`,
      ]) {
        expect((await run('echo', text, { fields })).step, text.slice(0, 20)).toMatchObject({
          type: 'failure',
          errorType: 'result_not_json',
          isRetryable: false,
        });
      }
      const { step } = await run('echo', Uint8Array.of(0xff), { fields });
      expect(step).toHaveProperty('errorType', 'result_not_json');
    });

    test('an input of another form is refused', async () => {
      for (const [form, input] of [
        ['text', 7],
        ['bytes', 'text'],
      ] as const) {
        const { step } = await run('echo', input, { fields: { input: form } });
        expect(step).toMatchObject({ type: 'failure', errorType: 'TypeError', isRetryable: false });
      }
    });

    test('all tasks see the shared value, which may be bytes', async () => {
      const json = { json: '{"k":[1,2]}' };
      expect((await run('shared', null, { shared: json })).step).toEqual({
        type: 'result',
        value: json,
      });
      const bytes = { bytes: Uint8Array.of(1, 2, 3) };
      const fields = { output: 'bytes' };
      expect((await run('shared', null, { shared: bytes, fields })).step).toEqual({
        type: 'result',
        value: bytes,
      });
    });

    test('a result of a million characters is whole, and one above the limit is refused', async () => {
      const { step } = await run('long', null);
      expect(resultJson(step)).toHaveLength(1_000_002);
      const short = await run('long', null, { resultLimitBytes: 1_000_000 });
      expect(short.step).toMatchObject({
        type: 'failure',
        errorType: 'result_too_large',
        isRetryable: false,
      });
    });
  });
}

function resultJson(step: GuestStep): string {
  if (step.type === 'result' && 'json' in step.value) return step.value.json;
  throw new Error(`no result: ${JSON.stringify(step)}`);
}
