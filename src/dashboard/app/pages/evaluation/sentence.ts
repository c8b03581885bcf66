// The answer of the page as a sentence.

import { measured, percentOf, rate } from '../../text/numbers.ts';
import { duration } from '../../text/times.ts';
import { capitalized, counted, inWords } from '../../text/words.ts';
import type { EvaluationMetrics, LoadDistribution } from '../../../../protocol/evaluation.ts';
import { differenceOf } from './difference.ts';
import { evennessOf, figuresOf } from './figures.ts';

export interface Phrase {
  readonly text: string;
  readonly isStrong?: boolean;
}

export interface Evaluated {
  /** Behind `in`. */
  readonly name: string;
  readonly metrics: EvaluationMetrics;
  readonly load: LoadDistribution;
}

export function sentenceOfOne({ name, metrics, load }: Evaluated): readonly Phrase[] {
  const { tasks, jobs, throughput_tasks_per_second: throughput } = metrics;
  if (tasks.completed === 0) {
    const failed =
      tasks.failed === 0 ? '' : ` ${capitalized(inWords(tasks.failed, 'task'))} failed.`;
    return [{ text: `No task was completed in ${name}.${failed}`, isStrong: true }];
  }
  const jain = metrics.jains_fairness_index;
  const phrases: Phrase[] = [{ text: rate(throughput), isStrong: true }, { text: ` in ${name}` }];
  if (jain !== null) {
    const devices = counted(load.workers.length, 'device');
    phrases.push(
      { text: ', the load ' },
      { text: evennessOf(jain), isStrong: true },
      { text: ` over ${devices} (Jain's index ${measured(jain)})` },
    );
  }
  phrases.push({ text: '.' });
  const median = metrics.job_execution_time_seconds.median;
  if (jobs.completed > 1 && median !== null) {
    phrases.push(
      { text: ` ${capitalized(inWords(jobs.completed, 'job'))} ended, half of them within ` },
      { text: duration(median), isStrong: true },
      { text: '.' },
    );
  }
  if (tasks.failed > 0) {
    const share = percentOf(tasks.failed, tasks.failed + tasks.completed);
    phrases.push({ text: ` ${share} of the tasks failed.` });
  }
  return phrases;
}

export function sentenceOfTwo(one: Evaluated, other: Evaluated): readonly Phrase[] {
  const [mine, its] = [one, other].map(({ metrics, load }) => figuresOf(metrics, load)[0]!);
  const difference = differenceOf(mine!, its!);
  const begin: readonly Phrase[] = [
    { text: mine!.text, isStrong: true },
    { text: ` in ${one.name}, ` },
    { text: its!.text, isStrong: true },
    { text: ` in ${other.name}` },
  ];
  if (!difference.isTold) return [...begin, { text: '. Too few tasks to compare.' }];
  const verdict = difference.verdict === undefined ? '' : `, ${difference.verdict}`;
  return [
    ...begin,
    { text: ': ' },
    { text: difference.text + verdict, isStrong: true },
    { text: '.' },
  ];
}
