// One past decision in full: the table that it was made from, who came next, and which values of the
// table were not measured.

import type { CriterionOfWorker, DecisionExplanation } from '../../protocol/explanations.ts';
import type { CriterionResource, RankedWorkerResource } from '../../protocol/scheduling-info.ts';
import { tieTolerance } from '../../scheduling/contests/best-row.ts';
import type { RankedWorker, Ranking } from '../../scheduling/scheduler.ts';
import { effectiveWeights } from '../../scheduling/weights.ts';
import type { LoggedDecision } from './decision-log.ts';
import { meanMicroseconds, reasonOf, shownWorkers } from './explanations.ts';
import { type TaskGrounds, whyNot } from './ineligible.ts';
import { replayDecision } from './replay.ts';
import { isoTime } from '../iso-time.ts';

export function explainDecision(logged: LoggedDecision, grounds: TaskGrounds): DecisionExplanation {
  const { pass, placement } = logged;
  const replayed = replayDecision(logged);
  const { ranking } = replayed;
  const workers = shownWorkers(ranking, placement.row, (row) =>
    whyNot(logged, replayed, row, grounds),
  );
  const chosen = ranking.workers.find(({ row }) => row === placement.row)!;
  const nextRow = replayed.runnerUp();
  const next = ranking.workers.find(({ row }) => row === nextRow);
  return {
    at: isoTime(pass.at),
    attempt: placement.attempt,
    algorithm: pass.config.algorithm,
    weighting: pass.config.weighting,
    effective_weights: effectiveWeights(pass.config, replayed.snapshot),
    worker_id: chosen.workerId,
    reason: reasonOf(logged, replayed),
    score: chosen.score,
    runner_up: next === undefined ? null : runnerUp(chosen, next),
    ties: tiesOf(ranking, chosen),
    imputed: flagged(workers, ({ imputed }) => imputed),
    projected: flagged(workers, ({ projected }) => projected),
    lacking: workers.flatMap(({ worker_id, reasons }) => {
      const lack = reasons.find(({ code }) => code === 'kind' || code === 'requirement');
      return lack === undefined ? [] : [{ worker_id, text: lack.text }];
    }),
    duration_microseconds: meanMicroseconds(logged),
    worker_count: ranking.workers.length,
    workers,
  };
}

function runnerUp(chosen: RankedWorker, next: RankedWorker): DecisionExplanation['runner_up'] {
  const { workerId, score } = next;
  const difference = chosen.score === null || score === null ? null : chosen.score - score;
  return { worker_id: workerId, score, difference };
}

function tiesOf({ workers }: Ranking, chosen: RankedWorker): string[] {
  const { score } = chosen;
  if (score === null) return [];
  return workers
    .filter((each) => each !== chosen && each.eligible && each.score !== null)
    .filter((each) => Math.abs(each.score! - score) <= tieTolerance)
    .map(({ workerId }) => workerId);
}

function flagged(
  workers: readonly RankedWorkerResource[],
  has: (criterion: CriterionResource) => boolean,
): CriterionOfWorker[] {
  return workers.flatMap(({ worker_id, criteria }) =>
    Object.entries(criteria)
      .filter(([, criterion]) => has(criterion))
      .map(([criterion]) => ({ worker_id, criterion })),
  );
}
