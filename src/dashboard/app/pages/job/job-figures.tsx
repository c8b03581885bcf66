// How far it is, in numbers and one bar.

import type { ComponentChildren } from 'preact';
import type { AttemptHistory, EvaluationMetrics } from '../../../../protocol/evaluation.ts';
import { StateBar, StateKey } from '../../parts/state-bar.tsx';
import { NotTold } from '../../parts/time.tsx';
import type { JobHead } from '../../store/cluster.ts';
import { isOpen, shareDone } from '../../store/job-share.ts';
import { counted } from '../../text/words.ts';
import { rate } from '../../text/numbers.ts';
import { duration } from '../../text/times.ts';
import { now } from '../../store/clock.ts';
import { endsIn, estimateOf, likely, paceTime } from './job-sentences.ts';
import { taskTimes } from './task-times.ts';

interface JobFiguresProps {
  readonly head: JobHead;
  readonly attempts: AttemptHistory | null;
  readonly metrics: EvaluationMetrics | null;
}

export function JobFigures({ head, attempts, metrics }: JobFiguresProps) {
  const isGoing = isOpen(head);
  const ends = endsIn(head);
  const range = likely(head);
  const times = taskTimes(attempts?.attempts ?? []);
  const average = metrics?.average_task_time_seconds ?? null;
  const recovery = metrics?.recovery;
  const isPart =
    attempts !== null && (attempts.left_out > 0 || attempts.kept_since > head.created_at);
  return (
    <section class="panel job-progress" aria-label="Progress">
      <div class="body">
        <div class="job-figures">
          <p class="job-share">{shareDone(head)}</p>
          <dl class="figures">
            {isGoing ? (
              <>
                <Figure name="Ends in about" more={range === null ? null : `likely ${range}`}>
                  {ends ?? <NotTold why={estimateOf(head)} />}
                </Figure>
                <Figure name="Pace" more={paceTime(head, now.value)}>
                  {head.rate_per_second === null || head.rate_per_second === undefined ? (
                    <NotTold why="Nothing completed in the last minute." />
                  ) : (
                    rate(head.rate_per_second)
                  )}
                </Figure>
              </>
            ) : (
              <Figure name="Took" more="from submission to end">
                {head.completed_at === null ? (
                  <NotTold why="It has not ended." />
                ) : (
                  duration((Date.parse(head.completed_at) - Date.parse(head.created_at)) / 1000)
                )}
              </Figure>
            )}
            {times.median === null ? (
              <Figure name="Time of a task" more={average === null ? null : 'mean'}>
                {average === null ? <NotTold why="No task has completed." /> : duration(average)}
              </Figure>
            ) : (
              <Figure
                name="Time of a task"
                more={`median of ${counted(times.count, isPart ? 'newest task' : 'task')}, p95 ${duration(times.p95)}`}
              >
                {duration(times.median)}
              </Figure>
            )}
            {recovery === undefined || recovery.events === 0 ? null : (
              <Figure
                name="Saved by checkpoints"
                more={
                  recovery.wasted_seconds > 0
                    ? `${duration(recovery.wasted_seconds)} for nothing`
                    : null
                }
              >
                {duration(recovery.work_saved_seconds)}
              </Figure>
            )}
          </dl>
        </div>
        <StateBar counts={head.counts} isLarge />
        <StateKey counts={head.counts} />
        {isGoing && head.task_count > 0 ? (
          <p class="mute job-estimate">Estimate: {estimateOf(head)}</p>
        ) : null}
      </div>
    </section>
  );
}

interface FigureProps {
  readonly name: string;
  readonly more: string | null;
  readonly children: ComponentChildren;
}

function Figure({ name, more, children }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children} {more === null ? null : <small>{more}</small>}
      </dd>
    </div>
  );
}
