import { expect, test } from 'vitest';
import { examples } from './examples.ts';
import { formatOf } from './input-format.ts';
import { readOptions } from './options.ts';
import { isUnderstood, understand, understandRange } from './understood.ts';

type Program = (input: unknown, task: object) => unknown;

async function programOf(source: string): Promise<Program> {
  const module = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as {
    default: Program;
  };
  return module.default;
}

/** The result of the last step, for a generator. */
function resultOf(program: Program, input: unknown): { value: unknown; states: number } {
  const given = program(input, { state: null });
  if (typeof given !== 'object' || given === null || !('next' in given)) {
    return { value: given, states: 0 };
  }
  const steps = given as Generator<{ state: object }, unknown>;
  for (let states = 0; ; states++) {
    const { done, value } = steps.next();
    if (done === true) return { value, states };
  }
}

test.each(examples)(
  '$title: its inputs are understood, and its program has a result',
  async (example) => {
    const { format, inputs = '', start = '', count = '', options } = example;
    const reading =
      format === 'range'
        ? understandRange(start, count)
        : await understand(format, new Blob([inputs]), {
            signal: new AbortController().signal,
            onRead: () => {},
          });
    if (!isUnderstood(reading)) throw new Error(reading.sentence);
    expect(readOptions(options).faults).toEqual({});
    const { value, states } = resultOf(await programOf(example.program), reading.first);
    expect(value).not.toBeUndefined();
    expect(JSON.parse(JSON.stringify(value))).toEqual(value);
    expect(states > 0).toBe(example.id === 'primes');
  },
);

test('a text that is an example is taken for lines', () => {
  expect(formatOf(null, examples[1]!.inputs!)).toBe('lines');
});
