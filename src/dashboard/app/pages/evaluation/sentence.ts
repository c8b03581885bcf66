// The answer of the page as a sentence.

import { measured, percentOf, rate } from '../../text/numbers.ts';
import { duration } from '../../text/times.ts';
import { capitalized, counted, inWords } from '../../text/words.ts';
import type { EvaluationMetrics, LoadDistribution } from '../../../../protocol/evaluation.ts';
import { differenceOf, leastToCompare } from './difference.ts';
import { evennessOf, figuresOf } from './figures.ts';
import { type Comparison, plainComparison } from './shared-jobs.ts';

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
  if (jobs.completed >= leastToCompare && median !== null) {
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

/** Whether the throughput of both is about the same: as far as it can be told. */
export function isSame(one: Evaluated, other: Evaluated): boolean {
  const [mine, its] = [one, other].map(({ metrics, load }) => figuresOf(metrics, load)[0]!);
  const { isTold, verdict } = differenceOf(mine!, its!);
  return isTold && verdict === undefined;
}

/** What the comparison leaves out is told behind it. */
export function sentenceOfTwo(
  one: Evaluated,
  other: Evaluated,
  { job, note, isTold, isJudged }: Comparison = plainComparison,
): readonly Phrase[] {
  const [mine, its] = [one, other].map(({ metrics, load }) => figuresOf(metrics, load)[0]!);
  const difference = differenceOf(mine!, its!);
  const begin: readonly Phrase[] = [
    { text: mine!.text, isStrong: true },
    { text: `${job === null ? '' : ` of ${job}`} in ${one.name}, ` },
    { text: its!.text, isStrong: true },
    { text: ` in ${other.name}` },
  ];
  const rest = note === null ? [] : [{ text: ` ${note}` }];
  if (!isTold) return [...begin, { text: '.' }, ...rest];
  if (!difference.isTold) return [...begin, { text: '. Too few tasks to compare.' }, ...rest];
  const isBetter = isJudged && difference.verdict !== undefined;
  const verdict = isBetter ? `, ${difference.verdict}` : '';
  return [
    ...begin,
    { text: ': ' },
    { text: difference.text + verdict, isStrong: true },
    { text: '.' },
    ...rest,
  ];
}
