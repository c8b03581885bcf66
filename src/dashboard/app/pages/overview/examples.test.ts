import { expect, test } from 'vitest';
import { exampleJobs, submissionOf } from './examples.ts';

async function programOf(name: string): Promise<(input: number) => unknown> {
  const { source } = exampleJobs.find((example) => example.name === name)!;
  const url = `data:text/javascript,${encodeURIComponent(source)}`;
  return ((await import(url)) as { readonly default: (input: number) => unknown }).default;
}

test('an example is submitted with its program, and an input for each of its tasks', () => {
  const example = exampleJobs[0]!;
  const { name, source, count } = example;
  expect(submissionOf(example)).toEqual({
    name,
    client_id: 'dashboard',
    program: { kind: 'javascript', source },
    inputs: { range: { start: 0, count } },
  });
});

test('the primes below a hundred thousand are counted', async () => {
  const program = await programOf('primes');
  expect(program(0)).toEqual({ from: 0, primes: 9_592 });
});

test('chance comes near to pi', async () => {
  const program = await programOf('pi-by-chance');
  expect(Math.abs((program(0) as number) - Math.PI)).toBeLessThan(0.01);
});

test('the longest way below the first million is found, and it says how far it is', async () => {
  const steps = (await programOf('collatz'))(0) as Generator<{ readonly progress: number }>;
  expect(steps.next().value.progress).toBeCloseTo(0.1);
  let last = steps.next();
  while (last.done !== true) last = steps.next();
  expect(last.value).toEqual({ steps: 524, from: 837_799 });
});
