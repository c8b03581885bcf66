// How well the work of an owner went. How fast the scheduler decides is of no owner.

import type { EvaluationMetrics, ThroughputHistory } from '../../protocol/evaluation.ts';
import type { AttemptsAsked, EvaluationPort, EvaluationQuery, ExportAsked } from '../port/reads.ts';
import type { Ownership } from './ownership.ts';

export class OwnEvaluation implements EvaluationPort {
  private readonly evaluation: EvaluationPort;
  private readonly own: Ownership;

  constructor(evaluation: EvaluationPort, own: Ownership) {
    this.evaluation = evaluation;
    this.own = own;
  }

  async metrics(query: EvaluationQuery): Promise<EvaluationMetrics | undefined> {
    const found = await this.about(query, (own) => this.evaluation.metrics(own));
    return (
      found && { ...found, scheduler: { ...found.scheduler, mean_decision_microseconds: null } }
    );
  }

  loadDistribution(query: EvaluationQuery): ReturnType<EvaluationPort['loadDistribution']> {
    return this.about(query, (own) => this.evaluation.loadDistribution(own));
  }

  workerPerformance(query: EvaluationQuery): ReturnType<EvaluationPort['workerPerformance']> {
    return this.about(query, (own) => this.evaluation.workerPerformance(own));
  }

  throughputHistory(
    query: EvaluationQuery & { readonly bucketSeconds?: number },
  ): Promise<ThroughputHistory | undefined> {
    return this.about(query, (own) => this.evaluation.throughputHistory(own));
  }

  attempts(asked: AttemptsAsked): ReturnType<EvaluationPort['attempts']> {
    return this.about(asked, (own) => this.evaluation.attempts(own));
  }

  exportAttempts(asked: ExportAsked): ReturnType<EvaluationPort['exportAttempts']> {
    return this.about(asked, (own) => this.evaluation.exportAttempts(own));
  }

  private about<Q extends Pick<EvaluationQuery, 'jobId'>, T>(
    query: Q,
    answer: (own: Q) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const asked = { ...query, owner: this.own.owner };
    if (query.jobId === undefined) return answer(asked);
    return this.own.about(query.jobId, undefined, () => answer(asked));
  }
}
