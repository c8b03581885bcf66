// What goes into a task beside its own input as JSON, and comes out of it beside JSON: bytes as a whole, and the value
// that all tasks of a job share. The same cases for every place in which children live.

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SandboxPlace } from '../support/sandbox-place.ts';
import { programOf, type TaskHarness, valueOf } from '../support/task-harness.ts';

const MIB = 1024 * 1024;

export function payloadsCases(place: SandboxPlace): void {
  describe(`in ${place.name}`, () => {
    let harness: TaskHarness;
    beforeAll(async () => {
      harness = await place.open();
    });
    afterAll(() => harness.close());

    const bytesOf = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 7) % 256);

    describe('bytes', () => {
      const given = (inputBytes: Uint8Array) => ({ inputJson: 'null', inputBytes });

      test.each([0, 1, 5000, MIB])('%i of them go in and come out as they are', async (length) => {
        const bytes = bytesOf(length);
        const end = await harness.run('export default (input) => input', null, given(bytes));
        expect(end).toMatchObject({ type: 'result', valueJson: 'null' });
        const { valueBytes } = end as { valueBytes: Uint8Array };
        expect(Buffer.compare(valueBytes, bytes)).toBe(0);
      });

      test('are a Uint8Array of the realm of the task, with a buffer of its own', async () => {
        const source = `export default (input, task) => [
          input === task.input, Object.getPrototypeOf(input) === Uint8Array.prototype,
          input.length, input.buffer.byteLength, input.byteOffset, [...input.slice(0, 3)]]`;
        const end = await harness.run(source, null, given(bytesOf(100).subarray(1)));
        expect(valueOf(end)).toEqual([true, true, 99, 99, 0, [7, 14, 21]]);
      });

      test.each([
        ['a generator', 'function* () { yield; return Uint8Array.of(1, 2) }'],
        ['an async function', 'async () => Uint8Array.of(1, 2)'],
      ])('come out of %s too', async (_what, task) => {
        const end = await harness.run(`export default ${task}`);
        expect(end).toMatchObject({ type: 'result', valueBytes: Uint8Array.of(1, 2) });
      });

      test('that a task goes on changing are those that it returned', async () => {
        const source = `export default () => {
          const bytes = new Uint8Array(4);
          Promise.resolve().then(() => bytes.fill(9));
          return bytes }`;
        expect(await harness.run(source)).toMatchObject({ valueBytes: new Uint8Array(4) });
      });

      test('beyond the limit are result_too_large, and within a value they are no JSON', async () => {
        const tooLarge = await harness.run(`export default () => new Uint8Array(${MIB} + 1)`);
        expect(tooLarge).toMatchObject({ errorType: 'result_too_large', retryable: false });
        const within = await harness.run('export default () => ({ a: new Uint8Array(1) })');
        expect(within).toMatchObject({ errorType: 'result_not_json' });
        expect(valueOf(await harness.run('export default (n) => n + 1', 41))).toBe(42);
      });
    });

    describe('a shared value', () => {
      const blobOf = (text: string) => {
        const bytes = new TextEncoder().encode(text);
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        return { sha256, blobs: new Map([[sha256, { bytes }]]) };
      };

      test('is null where the job has none', async () => {
        expect(valueOf(await harness.run('export default (input, task) => [task.shared]'))).toEqual(
          [null],
        );
      });

      test('is the same object for all tasks of the job, and a write to it is a TypeError', async () => {
        const source = `let first; export default (input, task) => {
          first ??= task.shared;
          const write = (how) => { try { how(); return 'written' } catch (error) { return error.name } };
          return [task.shared === first, task.shared.rates[1].de, write(() => { task.shared.a = 1 }),
            write(() => { task.shared.rates[1].de = 2 }), write(() => task.shared.rates.push(1))] }`;
        const program = { ...programOf(source), sharedJson: '{"rates":[0,{"de":19}]}' };
        const ends = await harness.ends(harness.give(program, [1, 2]));
        const errors = ['TypeError', 'TypeError', 'TypeError'];
        expect(ends.map(valueOf)).toEqual([
          [true, 19, ...errors],
          [true, 19, ...errors],
        ]);
      });

      test.each([
        ['$blob', '{"a":"é"}', 'task.shared.a', 'é'],
        [
          '$bytes',
          'xyz',
          '[task.shared instanceof Uint8Array, ...task.shared]',
          [true, 120, 121, 122],
        ],
      ])('may be in a blob (%s)', async (kind, content, read, value) => {
        const source = `export default (input, task) => ${read}`;
        const { sha256, blobs } = blobOf(content);
        const sharedJson = JSON.stringify({ [kind]: sha256 });
        const program = { ...programOf(source), sharedJson, blobs };
        expect(valueOf(await harness.run(program))).toEqual(value);
      });

      test('that did not come fails the attempt, to be tried again', async () => {
        const sharedJson = JSON.stringify({ $blob: 'cd'.repeat(32) });
        const program = { ...programOf('export default () => 1 // not there'), sharedJson };
        const end = await harness.run({ ...program, blobs: blobOf('1').blobs });
        expect(end).toMatchObject({ errorType: 'file_unavailable', retryable: true });
      });

      test('that is no JSON is a fault of the program', async () => {
        const { sha256, blobs } = blobOf('{');
        const sharedJson = JSON.stringify({ $blob: sha256 });
        const program = { ...programOf('export default () => 1 // no JSON'), sharedJson };
        const end = await harness.run({ ...program, blobs });
        expect(end).toMatchObject({ errorType: 'program_invalid', retryable: false });
        expect(end).toHaveProperty(
          'errorMessage',
          expect.stringContaining('the shared value is not JSON'),
        );
      });

      test('is the own of each job', async () => {
        const programs = ['one', 'two'].map((name) => ({
          ...programOf(`export default (input, task) => task.shared // ${name}`),
          sharedJson: JSON.stringify(name),
        }));
        const ends = await harness.ends(programs.flatMap((program) => harness.give(program, [1])));
        expect(ends.map(valueOf)).toEqual(['one', 'two']);
      });
    });
  });
}
