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
