import { expect, test } from 'vitest';
import type { DecisionTime } from '../../lab/outcome/decision-times.ts';
import { decisionTimeText } from './decision-time-text.ts';
import { createTerminal } from './terminal.ts';

const rounded = (value: number) => value.toFixed(2);
const sink = { write: () => true, once: () => undefined };
const { colors } = createTerminal(sink, sink, { NO_COLOR: '1' });

function timeOf(contender: string, classes: readonly (readonly [number, number])[]): DecisionTime {
  const spread = {
    decisions: 12_000,
    mean_microseconds: 2.5,
    p50_microseconds: 1.5,
    p95_microseconds: 9,
  };
  return {
    contender,
    ...spread,
    clock_microseconds: 0.21,
    by_candidates: classes.map(([at_least, at_most]) => ({ at_least, at_most, ...spread })),
  };
}

test('decision times stand in a row each, with a column for each class of candidates that came', () => {
  const times = [timeOf('fifo', [[1, 1]]), timeOf('edas', [[101, 1000]])];
  expect(decisionTimeText(times, { rounded }, colors).split('\n')).toEqual([
    'Decision time, µs: measured on this machine while it played, so it does not repeat.',
    'CONTENDER  DECISIONS  MEAN  50 % WITHIN  95 % WITHIN  OF THE CLOCK  50 % AMONG 1  50 % AMONG 101 TO 1 000',
    'fifo          12 000  2.50         1.50         9.00          0.21          1.50                        –',
    'edas          12 000  2.50         1.50         9.00          0.21             –                     1.50',
  ]);
});

test('of nothing that was decided no time is told', () => {
  const none = { mean_microseconds: null, p50_microseconds: null, p95_microseconds: null };
  const time = { ...timeOf('fifo', []), ...none, decisions: 0, clock_microseconds: 0 };
  expect(decisionTimeText([time], { rounded }, colors)).toMatch(/\nfifo +0 +– +– +– +0.00$/);
});
