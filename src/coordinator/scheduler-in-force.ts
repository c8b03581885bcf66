// The scheduler that decides, and the configuration that it was made from: both change together.

import { defaultWeights, type SchedulerConfig } from '../core/snapshot.ts';
import type { State } from '../core/state.ts';
import type { SchedulerPreview } from '../protocol/explanations.ts';
import type { SchedulingInfo } from '../protocol/resources.ts';
import { createScheduler } from '../scheduling/registry.ts';
import type { Scheduler } from '../scheduling/scheduler.ts';
import type { DecisionLog } from './decisions/decision-log.ts';
import { criterionDescriptions, schedulingInfo, weightsInForce } from './decisions/explanations.ts';
import { preview } from './decisions/preview.ts';
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
  readonly loop: WriterLoop;
  readonly log: DecisionLog;
  readonly now: () => number;
}

export class SchedulerInForce implements SchedulerPort {
  readonly criteria = criterionDescriptions;
  private readonly options: SchedulerOptions;
  private scheduler: Scheduler;

  constructor(options: SchedulerOptions) {
    this.options = options;
    this.scheduler = createScheduler(options.state.config);
  }

  get current(): Scheduler {
    return this.scheduler;
  }

  /** Replaces the scheduler by one without memory of its decisions. */
  renew(): void {
    this.scheduler = createScheduler(this.options.state.config);
  }

  async config(): ReturnType<SchedulerPort['config']> {
    const { state, loop } = this.options;
    await loop.settled();
    const { config } = state;
    const weights = { ...defaultWeights, ...config.weights };
    return { ...config, weights, effectiveWeights: weightsInForce(state) };
  }

  configure(change: ConfigChange): Promise<Result<ConfiguredScheduler>> {
    const { state, loop } = this.options;
    return loop.ask<Result<ConfiguredScheduler>>((batch) => {
      const config = merged(state.config, change, batch.at);
      if (isWeightless(config)) return () => ({ ok: false, rejection: weightless });
      batch.execute({ type: 'configure', config, at: batch.at });
      // The pass of this very batch uses it already.
      this.scheduler = createScheduler(config);
      return () => ({ ok: true, value: config });
    });
  }

  async info(): Promise<SchedulingInfo> {
    const { state, loop, log, now } = this.options;
    await loop.settled();
    return schedulingInfo(state, log.newest, now());
  }

  async preview({
    requirements,
    tasks,
    ...change
  }: PreviewRequest): Promise<Result<SchedulerPreview>> {
    const { state, loop, log } = this.options;
    await loop.settled();
    const config = merged(state.config, change, state.config.updatedAt);
    if (isWeightless(config)) return { ok: false, rejection: weightless };
    const plan = { config, newest: log.newest, requirements, tasks, now: this.options.now() };
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
