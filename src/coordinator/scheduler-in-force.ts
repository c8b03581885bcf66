// The scheduler that decides, and the configuration that it was made from: both change together.

import { defaultWeights, type SchedulerConfig } from '../core/snapshot.ts';
import type { State } from '../core/state.ts';
import type { SchedulerReading } from '../store/reading.ts';
import type { SchedulerPreview } from '../protocol/explanations.ts';
import type { SchedulingInfo } from '../protocol/scheduling-info.ts';
import { createScheduler } from '../scheduling/registry.ts';
import type { Scheduler, SchedulerFactory } from '../scheduling/scheduler.ts';
import type { DecisionLog } from './decisions/decision-log.ts';
import {
  criterionDescriptions,
  lookAtScheduler,
  type OwnView,
  type SchedulerLook,
  schedulingInfo,
  weightsInForce,
} from './decisions/explanations.ts';
import type { NewestReplay } from './decisions/newest-replay.ts';
import { preview } from './decisions/preview.ts';
import { RankingBytes } from './decisions/ranking-bytes.ts';
import type { Rejection, Result } from './port/rejection.ts';
import type {
  ConfigChange,
  ConfiguredScheduler,
  PreviewRequest,
  SchedulerPort,
} from './port/scheduler.ts';
import type { WriterLoop } from './writer/writer-loop.ts';

export interface SchedulerOptions {
  readonly state: State;
  readonly store: SchedulerReading;
  readonly loop: WriterLoop;
  readonly log: DecisionLog;
  readonly newest: NewestReplay;
  readonly now: () => number;
  readonly createScheduler?: SchedulerFactory | undefined;
}

export class SchedulerInForce implements SchedulerPort {
  readonly criteria = criterionDescriptions;
  private readonly options: SchedulerOptions;
  private readonly create: SchedulerFactory;
  private readonly allRankings = new RankingBytes({ tellsCriteria: true });
  private readonly ownRankings = new RankingBytes({ tellsCriteria: false });
  private scheduler: Scheduler;

  constructor(options: SchedulerOptions) {
    this.options = options;
    this.create = options.createScheduler ?? createScheduler;
    this.scheduler = this.create(options.state.config);
  }

  get current(): Scheduler {
    return this.scheduler;
  }

  /** Replaces the scheduler by one without memory of its decisions. */
  renew(): void {
    this.scheduler = this.create(this.options.state.config);
  }

  async config(): ReturnType<SchedulerPort['config']> {
    const { state, loop } = this.options;
    await loop.settled();
    const { config } = state;
    return { ...whole(config), effectiveWeights: weightsInForce(state) };
  }

  async history(limit: number): Promise<readonly ConfiguredScheduler[]> {
    const { state, store, loop } = this.options;
    await loop.settled();
    const first = state.dirty.firstConfig;
    return first === null ? (await store.listSchedulerChanges(limit)).map(whole) : [whole(first)];
  }

  configure(change: ConfigChange, by: string | null = null): Promise<Result<ConfiguredScheduler>> {
    const { state, loop } = this.options;
    return loop.ask<Result<ConfiguredScheduler>>((batch) => {
      const config = { ...merged(state.config, change, batch.at), by };
      if (isWeightless(config)) return () => ({ ok: false, rejection: weightless });
      batch.execute({ type: 'configure', config, at: batch.at });
      // The pass of this very batch uses it already.
      this.scheduler = this.create(config);
      return () => ({ ok: true, value: config });
    });
  }

  async info(): Promise<SchedulingInfo> {
    return schedulingInfo(await this.look());
  }

  infoPieces(pieceBytes: number): AsyncGenerator<Uint8Array> {
    return this.pieces(this.allRankings, pieceBytes, async (head) => ({
      head,
      tellsWorkers: true,
    }));
  }

  /** For one owner, who is told how workers stand and not what they measured, and of them only if `view` says so. */
  ownPieces(pieceBytes: number, view: OwnView): AsyncGenerator<Uint8Array> {
    return this.pieces(this.ownRankings, pieceBytes, view);
  }

  private async *pieces(
    rankings: RankingBytes,
    pieceBytes: number,
    view: OwnView,
  ): AsyncGenerator<Uint8Array> {
    const look = await this.look();
    const taken = rankings.take(look, pieceBytes);
    const { head, tellsWorkers } = await view(look.head);
    yield Buffer.from(`${JSON.stringify(head).slice(0, -1)},"workers":`);
    if (tellsWorkers) yield* taken.pieces();
    else yield Buffer.from('[]');
    yield Buffer.from('}');
  }

  /** The caller must read it without awaiting, but for the rows of a ranking that it has taken. */
  private async look(): Promise<SchedulerLook> {
    const { state, loop, newest, now } = this.options;
    await loop.settled();
    return lookAtScheduler(state, newest.decision, now());
  }

  async preview({
    requirements,
    tasks,
    assume = 'now',
    ...change
  }: PreviewRequest): Promise<Result<SchedulerPreview>> {
    const { state, loop, log } = this.options;
    await loop.settled();
    const config = merged(state.config, change, state.config.updatedAt);
    if (isWeightless(config)) return { ok: false, rejection: weightless };
    const now = this.options.now();
    const plan = { config, newest: log.newest, requirements, tasks, assume, now };
    return { ok: true, value: preview(state, plan) };
  }
}

const weightless: Rejection<'validation_failed'> = {
  code: 'validation_failed',
  detail: 'At least one weight must be larger than 0.',
};

function isWeightless({ weights }: SchedulerConfig): boolean {
  return Object.values(weights).every((weight) => weight === 0);
}

/** Weights with a default are always there. */
function whole(config: SchedulerConfig): ConfiguredScheduler {
  return { ...config, weights: { ...defaultWeights, ...config.weights } };
}

function merged(config: SchedulerConfig, change: ConfigChange, at: number): ConfiguredScheduler {
  const weights = { ...defaultWeights, ...config.weights, ...change.weights };
  const manual = change.weights === undefined ? config.weighting : 'manual';
  return {
    algorithm: change.algorithm ?? config.algorithm,
    weighting: change.weighting ?? manual,
    weights,
    updatedAt: at,
  };
}
