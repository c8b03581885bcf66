import fc from 'fast-check';
import { expect, test } from 'vitest';
import { combineMarketRisk } from './combine.ts';
import { type History, historyOf, readHistory } from './history.ts';
import { prepareMarketRisk } from './prepare.ts';
import {
  type Input,
  marketRisk,
  programSource,
  type Result,
  type Run,
  type SparseCounts,
} from './program.ts';
import { runInOneProcess } from './single-process.ts';

const history = readHistory();
const INPUT: Input = { seed: 7, stream: 3, paths: 20_000, months: 120, block: 12 };

function finish(past: History, input: Input): Result {
  return runInterrupted((each, task) => marketRisk(past, each, task), input, []);
}

async function loadModule(source: string): Promise<Run> {
  const url = `data:text/javascript;base64,${Buffer.from(source).toString('base64')}`;
  const loaded: { default: Run } = await import(url);
  return loaded.default;
}

/** Runs like devices that die: after `stops[0]` yields, then after `stops[1]` more, …, each time
 * resumed from the JSON of the last state. */
function runInterrupted(run: Run, input: Input, stops: readonly number[]): Result {
  let saved: string | undefined;
  for (const stop of [...stops, Number.POSITIVE_INFINITY]) {
    const steps = run(input, { state: saved === undefined ? null : JSON.parse(saved) });
    for (let count = 0; count < stop; count++) {
      const step = steps.next();
      if (step.done) return step.value;
      saved = JSON.stringify(step.value.state);
    }
  }
  throw new Error('not reached');
}

test('a task that is interrupted at any yield and resumed gives exactly the same result', () => {
  const input = { ...INPUT, paths: 7_250 };
  const [whole] = runInOneProcess([input]);
  const run: Run = (each, task) => marketRisk(history, each, task);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 8 }), { maxLength: 6 }), (stops) => {
      expect(runInterrupted(run, input, stops)).toEqual(whole);
    }),
    { numRuns: 60 },
  );
});

test('tasks that were shipped, interrupted and sent as JSON combine to the digits of one process', async () => {
  const { program, inputs } = prepareMarketRisk({ tasks: 12, paths: 3_000 });
  const run = await loadModule(program.source);
  const shipped = inputs.map((input) => {
    const received: Input = JSON.parse(JSON.stringify(input));
    return JSON.parse(JSON.stringify(runInterrupted(run, received, [received.stream % 5, 1])));
  });
  const here = runInOneProcess(inputs);
  expect(shipped).toEqual(here);
  expect(combineMarketRisk(shipped)).toEqual(combineMarketRisk(here));
  expect(combineMarketRisk(shipped.toReversed())).toEqual(combineMarketRisk(here));
});

test('progress rises from yield to yield and ends at 1', () => {
  const seen = [...marketRisk(history, { ...INPUT, paths: 1_700 }, {})].map(
    (step) => step.progress,
  );
  expect(seen).toEqual([500 / 1700, 1000 / 1700, 1500 / 1700, 1]);
});

test('other streams and other seeds give other paths', () => {
  const results = runInOneProcess([
    INPUT,
    { ...INPUT, stream: 4 },
    { ...INPUT, seed: 8 },
    { ...INPUT, seed: INPUT.stream, stream: INPUT.seed },
  ]);
  expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(4);
});

test('the mean growth is that of the history: every month is drawn equally often', () => {
  const [result] = runInOneProcess([{ ...INPUT, paths: 200_000 }]);
  const { first, counts } = (result as Result).growth;
  const mean =
    counts.reduce((sum, count, index) => sum + count * ((first + index + 0.5) / 50), 0) / 200_000;
  const perMonth = history.logReturns.reduce((sum, value) => sum + value, 0) / 242;
  // The standard error of the mean is about 0.0012.
  expect(Math.abs(mean - 120 * perMonth)).toBeLessThan(0.005);
});

test('single months that rise or fall by the same step are counted as a binomial distribution', () => {
  const closes = [1, Math.exp(0.1), 1].map((close, index) => ({
    month: `2001-0${index + 1}`,
    close,
  }));
  const input = { seed: 1, stream: 0, paths: 160_000, months: 4, block: 1 };
  const { growth } = finish(historyOf(closes, 'a coin'), input);
  // 0, 2 or 4 months up and the rest down, each level in its own group of bins.
  const near = (level: number) =>
    growth.counts
      .filter((_, index) => Math.abs((growth.first + index + 0.5) / 50 - level) < 0.05)
      .reduce((sum, count) => sum + count, 0) / 160_000;
  const expected = [1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16];
  for (const [ups, share] of expected.entries()) {
    expect(near((2 * ups - 4) * 0.1)).toBeCloseTo(share, 2);
  }
});

test('fall and time below a high are those of paths that can be followed by hand', () => {
  // A block is the whole history, so a path is one of its six rotations:
  // start  level after each month                     deepest fall   months below a high
  //   0     0.5    0.25   0      0.125  0.25   0.75      0.5           4
  //   1    −0.25  −0.5   −0.375 −0.25   0.25   0.75      0.5           4
  //   2    −0.25  −0.125  0      0.5    1      0.75      0.25          2
  //   3     0.125  0.25   0.75   1.25   1      0.75      0.5           2
  //   4     0.125  0.625  1.125  0.875  0.625  0.75      0.5           3
  //   5     0.5    1      0.75   0.5    0.625  0.75      0.5           4
  const logReturns = [0.5, -0.25, -0.25, 0.125, 0.125, 0.5];
  const input = { seed: 1, stream: 0, paths: 60_000, months: 6, block: 6 };
  const { growth, drawdown, underwater } = finish({ ...history, logReturns }, input);
  expect(growth).toEqual({ first: 37, counts: [60_000] });
  const sixths = ({ first, counts }: SparseCounts) =>
    counts.flatMap((count, index) => (count ? [[first + index, Math.round(count / 10_000)]] : []));
  expect(sixths(drawdown)).toEqual([
    [12, 1],
    [25, 5],
  ]);
  expect(sixths(underwater)).toEqual([
    [2, 2],
    [3, 1],
    [4, 3],
  ]);
});

test('an input that is not one is refused before any work', () => {
  expect(() => marketRisk(history, { ...INPUT, paths: 1.5 }, {}).next()).toThrow(RangeError);
  expect(() => marketRisk(history, { ...INPUT, block: 0 }, {}).next()).toThrow('whole numbers');
  expect(() => prepareMarketRisk({ tasks: 0 })).toThrow('tasks must be a whole number above 0');
});

test('the program is one small module without imports, with one export', () => {
  const source = programSource(history);
  expect(source.length).toBeLessThan(16_000);
  expect(source).not.toMatch(/\bimport\b|\brequire\b|\bDate\b|\bMath\.random\b|__name/);
  expect(source.match(/\bexport\b/g)).toHaveLength(1);
});

test('a task needs an input of a line and gives a result of two kilobytes', () => {
  const { inputs } = prepareMarketRisk();
  expect(inputs).toHaveLength(400);
  expect(new Set(inputs.map(({ stream }) => stream)).size).toBe(400);
  expect(JSON.stringify(inputs[399]).length).toBeLessThan(100);
  expect(JSON.stringify(runInOneProcess(inputs.slice(0, 1))[0]).length).toBeLessThan(4_000);
});
