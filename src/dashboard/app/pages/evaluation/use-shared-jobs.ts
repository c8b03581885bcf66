// Reads which jobs worked in both of two times: of the largest how much, by what is counted of each.

import type { EvaluationMetrics } from '../../../../protocol/evaluation.ts';
import { coordinatorTime } from '../../store/clock.ts';
import { hasOlderJobs, jobList } from '../../store/cluster.ts';
import { read } from '../../store/endpoint.ts';
import { type Part, usePart } from '../../store/resource.ts';
import { openIn, type SharedJobs, type Span } from './shared-jobs.ts';
import { beginOf, endOf, queryOf, type Subject, textOf } from './subject.ts';

const againMs = 60_000;
/** Each is asked for twice. */
const mostCounted = 4;

/** Null: they are not two times. */
export function useSharedJobs(one: Subject, other: Subject | null): Part<SharedJobs> | null {
  const areTimes = other !== null && one.kind !== 'job' && other.kind !== 'job';
  const part = usePart(
    `jobs of ${textOf(one)} and ${other && textOf(other)}`,
    (signal) => readShared(one, other!, signal),
    { everyMs: againMs, isOff: !areTimes || jobList.value === null },
  );
  return areTimes ? part : null;
}

async function readShared(one: Subject, other: Subject, signal: AbortSignal): Promise<SharedJobs> {
  const nowMs = coordinatorTime();
  const heads = jobList.value ?? [];
  const spans = [one, other].map((each) => spanOf(each, nowMs));
  const { both, alone } = openIn(heads, spans[0]!, spans[1]!);
  const counted = await Promise.all(
    both.slice(0, mostCounted).map(async ({ id }) => {
      const [mine, its] = await Promise.all(
        [one, other].map((subject) =>
          read<EvaluationMetrics>('/api/evaluation/metrics', queryOf(subject, nowMs, id), signal),
        ),
      );
      return { id, counts: [mine!.tasks.completed, its!.tasks.completed] };
    }),
  );
  const oldestMs = Math.min(...heads.map(({ created_at: at }) => Date.parse(at)));
  return {
    both: counted
      .map(({ id, counts }) => ({ id, least: Math.min(...counts) }))
      .filter(({ least }) => least > 0)
      .toSorted((a, b) => b.least - a.least),
    alone: [
      ...counted.filter(({ counts }) => Math.min(...counts) === 0 && Math.max(...counts) > 0),
      ...alone,
    ].map(({ id }) => id),
    isPart: hasOlderJobs.value && spans.some(({ from }) => from < oldestMs),
  };
}

function spanOf(subject: Subject, nowMs: number): Span {
  if (subject.kind === 'job') return { from: 0, until: 0 };
  return { from: beginOf(subject, nowMs), until: endOf(subject, nowMs) };
}
