// The scheduler: the configuration in force, a change of it, and how other configurations would decide.

import type {
  AlgorithmId,
  CriterionId,
  defaultWeights,
  SchedulerConfig,
  Weights,
} from '../../core/snapshot.ts';
import type { Requirements } from '../../core/records.ts';
import type { CriterionDescription, SchedulerPreview } from '../../protocol/explanations.ts';
import type { SchedulingInfo } from '../../protocol/scheduling-info.ts';
import type { Result } from './rejection.ts';

export interface SchedulerPort {
  readonly criteria: readonly CriterionDescription[];
  config(): Promise<
    ConfiguredScheduler & { readonly effectiveWeights: Readonly<Record<CriterionId, number>> }
  >;
  /** `by`: who asks for it, for people; null: nobody is known. */
  configure(change: ConfigChange, by?: string | null): Promise<Result<ConfiguredScheduler>>;
  /** The configurations that were set, newest first, at most `limit`. */
  history(limit: number): Promise<readonly ConfiguredScheduler[]>;
  info(): Promise<SchedulingInfo>;
  /**
   * The same as pieces of one JSON text, in UTF-8, of about `pieceBytes` each, all of one moment. Others may have
   * their turn between two pieces, and nobody may write to one.
   */
  infoPieces(pieceBytes: number): AsyncIterable<Uint8Array>;
  /** How the present cluster would rank; changes nothing. */
  preview(asked: PreviewRequest): Promise<Result<SchedulerPreview>>;
}

export interface ConfigChange {
  readonly algorithm?: AlgorithmId;
  readonly weights?: Weights;
  readonly weighting?: 'manual' | 'entropy';
}

/** The configuration in answers: weights with a default are always there. */
export interface ConfiguredScheduler extends SchedulerConfig {
  readonly weights: Weights & Readonly<Record<keyof typeof defaultWeights, number>>;
}

/** A proposed configuration, and tasks that it should place. */
export interface PreviewRequest extends ConfigChange {
  readonly requirements: Requirements | null;
  /** Tasks to place on a copy of the cluster. */
  readonly tasks?: number;
  /** `idle`: as if nothing had been assigned to anybody; `now` by default. */
  readonly assume?: 'now' | 'idle';
}
