import { expect, test } from 'vitest';
import type { EvaluationMetrics, LoadDistribution } from '../../../../protocol/evaluation.ts';
import { differenceOf } from './difference.ts';
import { type Figure, figuresOf } from './figures.ts';

const plain = (text: string): string => text.replaceAll('\u202f', ' ');
const figure = (value: number | null, n = 1000, more: Partial<Figure> = {}): Figure => ({
  id: 'x',
  name: 'x',
  formula: '',
  value,
  text: '',
  n,
  of: 'tasks',
  ...more,
});
const share = (value: number, n: number): Figure => figure(value, n, { isShare: true });

test.for([
  [figure(15), figure(10), '50 % more', true],
  [figure(8), figure(10), '20 % less', true],
  [figure(35), figure(10), '3.5 times as much', true],
  [figure(10), figure(10), 'the same', true],
  [figure(10, 3), figure(12), 'too few: n = 3', false],
  [figure(null, 0), figure(12), '\u2013', false],
  [figure(3), figure(0), '\u2013', false],
] as const)('$2', ([one, other, text, isTold]) => {
  const difference = differenceOf(one, other);
  expect({ ...difference, text: plain(difference.text) }).toEqual({ text, isTold });
});

test('what two errors of so many may do by themselves is about the same, either way round', () => {
  // 2 √(1/100 + 1/100) = 0.283, and ln 1.32 = 0.278, ln 1.34 = 0.293.
  for (const [one, other] of [
    [13.2, 10],
    [10, 13.2],
  ] as const) {
    expect(differenceOf(figure(one, 100), figure(other, 100)).text).toBe('about the same');
  }
  expect(plain(differenceOf(figure(13.4, 100), figure(10, 100)).text)).toBe('34 % more');
  expect(plain(differenceOf(figure(10, 100), figure(13.4, 100)).text)).toBe('25.4 % less');
  expect(differenceOf(figure(20, 5), figure(10, 5)).text).toBe('about the same');
});

test('less than a hundredth is about the same, of however many', () => {
  const many = 1_000_000;
  expect(differenceOf(figure(10.08, many), figure(10, many)).text).toBe('about the same');
  expect(plain(differenceOf(figure(10.2, many), figure(10, many)).text)).toBe('2 % more');
});

test('shares differ by points, also from none', () => {
  // 2 √(0.03 × 0.97 × 2/1000) = 0.0153.
  expect(plain(differenceOf(share(0.04, 1000), share(0.02, 1000)).text)).toBe('2 points more');
  expect(differenceOf(share(0.035, 1000), share(0.025, 1000)).text).toBe('about the same');
  expect(plain(differenceOf(share(0, 1000), share(0.012, 1000)).text)).toBe('1.2 points less');
  expect(plain(differenceOf(share(0.01, 2000), share(0, 2000)).text)).toBe('1 point more');
});

const metrics: EvaluationMetrics = {
  jobs: { total: 100, completed: 100, failed: 0, cancelled: 0, running: 0 },
  tasks: { total: 9200, completed: 9000, failed: 200, retried: 0, recovered: 0 },
  job_execution_time_seconds: { mean: 14, median: 12, p95: 31, max: 33 },
  average_task_time_seconds: 0.4,
  throughput_tasks_per_second: 18,
  jains_fairness_index: 0.8,
  energy_joules: 9000,
  checkpoints: { count: 0, bytes: 0 },
  recovery: {
    events: 100,
    mean_seconds_to_resume: 1,
    work_saved_seconds: 24,
    wasted_seconds: 0,
  },
  scheduler: {
    algorithm: 'edas',
    decisions: 1290,
    decisions_by_algorithm: {},
    mean_decision_microseconds: 14.1,
  },
};
const load: LoadDistribution = {
  jains_fairness_index: 0.8,
  coefficient_of_variation: 0.2,
  workers: Array.from({ length: 6 }, (_, place) => ({
    worker_id: String(place),
    name: null,
    registered: true,
    type: 'pc',
    tasks_completed: 1500,
    tasks_failed: 0,
    active_tasks: 0,
    busy_seconds: 10,
    share: 1 / 6,
  })),
};

test('more work done and an even load are better, and so are less time, fewer failures and less energy', () => {
  const half: EvaluationMetrics = {
    ...metrics,
    tasks: { ...metrics.tasks, failed: 100 },
    job_execution_time_seconds: { mean: 7, median: 6, p95: 15, max: 16 },
    average_task_time_seconds: 0.2,
    throughput_tasks_per_second: 9,
    jains_fairness_index: 0.4,
    energy_joules: 4500,
    recovery: { ...metrics.recovery, mean_seconds_to_resume: 0.5, work_saved_seconds: 12 },
  };
  const all = figuresOf(metrics, load);
  const verdicts = figuresOf(half, load).map((one, place) => {
    const { verdict } = differenceOf(one, all[place]!);
    return [one.id, verdict];
  });
  expect(verdicts).toEqual([
    ['throughput', 'worse'],
    ['task-time', 'better'],
    ['fairness', 'worse'],
    ['failed', 'better'],
    ['job-median', 'better'],
    ['job-p95', 'better'],
    ['energy', 'better'],
    ['saved', undefined],
    ['resume', 'better'],
  ]);
  // 2 √(2/50 + 2/50) = 0.57, and ln 2 = 0.69.
  const fifty = { ...metrics, jobs: { ...metrics.jobs, completed: 50 } };
  const [fast, slow] = [{ ...half, jobs: fifty.jobs }, fifty].map(
    (each) => figuresOf(each, load)[4]!,
  );
  expect(plain(differenceOf(fast!, slow!).text)).toBe('50 % less');
  expect(differenceOf({ ...fast!, value: 7 }, slow!).text).toBe('about the same');
  expect(differenceOf(all[0]!, figuresOf(half, load)[0]!).verdict).toBe('better');
});
