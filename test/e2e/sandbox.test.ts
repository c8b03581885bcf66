// The cases of `sandbox.cases.ts` in processes of this machine, and what is measured of a process alone.

import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { ExecutorHarness } from '../support/executor-harness.ts';
import { pcPlace } from '../support/pc-place.ts';
import { programOf, valueOf } from '../support/task-harness.ts';
import { sandboxCases } from './sandbox.cases.ts';

sandboxCases(pcPlace());

const harness = new ExecutorHarness({ isolation: 'off' });
afterAll(() => harness.close());

// The memory of a process can be read from outside, so that it is ended before the machine is short of
// it. That of a thread in a browser cannot.
describe('memory', () => {
  const eaters: Readonly<Record<string, string>> = {
    '2 GB of array buffers':
      'const all = []; for (let i = 0; i < 64; i++) all.push(new Uint8Array(2 ** 25).fill(1)); return all.length',
    'objects without end': 'const all = []; for (;;) all.push({ all })',
    'strings without end':
      "let s = 'x'; const all = []; for (;;) all.push([...(s + all.length).repeat(1000)])",
    'promises without end':
      'return (async () => { const all = []; for (;;) all.push(Promise.resolve(all)) })()',
  };
  test.each(Object.entries(eaters))('%s is out_of_memory', async (_name, body) => {
    const end = await harness.run(`export default () => { ${body} }`, 1, { timeoutMs: 60_000 });
    expect(end).toMatchObject({ errorType: 'out_of_memory', retryable: true });
    expect(valueOf(await harness.run('export default (n) => n + 1', 41))).toBe(42);
  });
});

// Processes have a pipe for long texts beside their messages.
describe('inputs and results', () => {
  test('come as they were and in their order, whether short, long, of one byte or of more', async () => {
    const pieces = ['plain', 'é€', '🎈', '"\\\n\u2028'];
    const text = (i: number) => pieces[i % 4]!.repeat((i * 7919) % 1500);
    const inputs = Array.from({ length: 200 }, (_, i) => (i % 5 === 0 ? i : text(i)));
    inputs.push('é€'.repeat(150_000), 'short');
    const keys = harness.give(programOf('export default (input) => input'), inputs);
    const values = (await harness.ends(keys)).map(valueOf);
    expect(values).toHaveLength(inputs.length);
    expect(values.flatMap((value, i) => (value === inputs[i] ? [] : [i]))).toEqual([]);
  });

  test('of a task that calls as deep as it can are whole, or it fails', async () => {
    const source = `export default function* (input, task) {
      let offers = 0;
      const dive = () => { try { dive() } catch {} try { task.checkpoint(input); offers++ } catch {} };
      dive();
      yield;
      return input;
    }`;
    const input = 'x'.repeat(5000);
    const end = await harness.run(source, input);
    if (end.type === 'failure') expect(end.errorType).toBe('sandbox_crashed');
    else expect(valueOf(end)).toBe(input);
    expect(valueOf(await harness.run('export default (n) => n', input))).toBe(input);
  });
});

// Only processes are ended by signals.
describe('a child that ends by itself', () => {
  test('is reported with the signal that ended it', async () => {
    // Its child has run nothing else: another job would be suspected, and the task tried a second time.
    const own = new ExecutorHarness({ isolation: 'off' });
    onTestFinished(() => own.close());
    const [key] = own.give(programOf('export default function* () { for (;;) yield }'), [1]);
    await own.untilStarted(key!);
    process.kill(own.children()[0]!, 'SIGSEGV');
    const [end] = await own.ends([key!]);
    expect(end).toMatchObject({ type: 'failure', errorType: 'sandbox_crashed' });
    expect(JSON.stringify(end)).toContain('SIGSEGV');
  });
});
