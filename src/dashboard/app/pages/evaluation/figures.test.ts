import { expect, test } from 'vitest';
import type { EvaluationMetrics, LoadDistribution } from '../../../../protocol/evaluation.ts';
import { evennessOf, type Figure, figuresOf } from './figures.ts';
import { type Comparison, plainComparison } from './shared-jobs.ts';
import { sentenceOfOne, sentenceOfTwo } from './sentence.ts';

const metrics: EvaluationMetrics = {
  jobs: { total: 12, completed: 10, failed: 1, cancelled: 0, running: 1 },
  tasks: { total: 1500, completed: 1200, failed: 3, retried: 9, recovered: 2 },
  job_execution_time_seconds: { mean: 14.2, median: 11.9, p95: 31.4, max: 33 },
  average_task_time_seconds: 0.412,
  throughput_tasks_per_second: 18.3,
  jains_fairness_index: 0.89,
  energy_joules: 600,
  checkpoints: { count: 37, bytes: 91_204 },
  recovery: {
    events: 2,
    mean_seconds_to_resume: 1.1,
    work_saved_seconds: 24.8,
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
  jains_fairness_index: 0.89,
  coefficient_of_variation: 0.2,
  workers: Array.from({ length: 4 }, (_, place) => ({
    worker_id: String(place),
    name: null,
    registered: true,
    type: 'pc',
    tasks_completed: 300,
    tasks_failed: 0,
    active_tasks: 0,
    busy_seconds: 10,
    share: 0.25,
  })),
};
const nothing: EvaluationMetrics = {
  ...metrics,
  jobs: { total: 0, completed: 0, failed: 0, cancelled: 0, running: 0 },
  tasks: { total: 0, completed: 0, failed: 0, retried: 0, recovered: 0 },
  jains_fairness_index: null,
  throughput_tasks_per_second: 0,
};
const plain = (text: string): string => text.replaceAll('\u202f', ' ');
const byId = (figures: readonly Figure[]) => new Map(figures.map((each) => [each.id, each]));
const textsOf = (phrases: readonly { readonly text: string }[]): string =>
  plain(phrases.map(({ text }) => text).join(''));

test('figures are those of the interface, each with what it is of', () => {
  const figures = byId(figuresOf(metrics, load));
  expect(figures.get('throughput')).toMatchObject({ value: 18.3, n: 1200, of: 'tasks' });
  expect(figures.get('fairness')).toMatchObject({ value: 0.89, text: '0.89 even', n: 4 });
  expect(figures.get('failed')!.value).toBeCloseTo(3 / 1203);
  expect(figures.get('energy')!.value).toBe(0.5);
  expect(figures.get('job-p95')).toMatchObject({ value: 31.4, n: 10 });
});

test('what is of nothing cannot be told, also where the interface says 0', () => {
  for (const { id, value, text } of figuresOf(nothing, load)) {
    if (id === 'saved' || id === 'resume') continue;
    expect([id, value, text]).toEqual([id, null, 'n/a']);
  }
});

test.for([
  [1, 'very even'],
  [0.89, 'even'],
  [0.7, 'uneven'],
  [0.2, 'very uneven'],
] as const)('an index of %d is %s', ([index, word]) => {
  expect(evennessOf(index)).toBe(word);
});

test('the answer is one sentence, of two a comparison', () => {
  const here = { name: 'the last hour', metrics, load };
  expect(textsOf(sentenceOfOne(here))).toBe(
    "18.3 tasks/s in the last hour, the load even over 4 devices (Jain's index 0.89). Ten jobs ended, half of them within 11.9 s. 0.2 % of the tasks failed.",
  );
  const slower = { ...metrics, throughput_tasks_per_second: 12.2 };
  expect(textsOf(sentenceOfTwo(here, { ...here, name: 'trees', metrics: slower }))).toBe(
    '18.3 tasks/s in the last hour, 12.2 tasks/s in trees: 50 % more, better.',
  );
  const close = { ...metrics, throughput_tasks_per_second: 18 };
  expect(textsOf(sentenceOfTwo(here, { ...here, name: 'trees', metrics: close }))).toBe(
    '18.3 tasks/s in the last hour, 18.0 tasks/s in trees: about the same.',
  );
  expect(textsOf(sentenceOfOne({ ...here, metrics: nothing }))).toBe(
    'No task was completed in the last hour.',
  );
  expect(textsOf(sentenceOfTwo(here, { ...here, name: 'trees', metrics: nothing }))).toBe(
    '18.3 tasks/s in the last hour, n/a in trees. Too few tasks to compare.',
  );
});

test('of two times in which not the same jobs ran nothing is better, and without a job in both nothing is told', () => {
  const here = { name: 'the last hour', metrics, load };
  const slower = { ...here, metrics: { ...metrics, throughput_tasks_per_second: 12.2 } };
  const told = (more: Partial<Comparison>): string =>
    textsOf(sentenceOfTwo(here, slower, { ...plainComparison, ...more }));
  expect(told({ job: 'a', note: 'Of a alone.' })).toBe(
    '18.3 tasks/s of a in the last hour, 12.2 tasks/s in the last hour: 50 % more, better. Of a alone.',
  );
  expect(told({ isJudged: false })).toContain(': 50 % more.');
  expect(told({ isTold: false, note: 'Not comparable.' })).toMatch(/hour\. Not comparable\.$/);
});
