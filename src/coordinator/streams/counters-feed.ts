// Counters for who asks for them, about each second. They are made once for all who may see the same, and not at
// all while nobody listens. A listener has the newest alone: who is slow misses some, and holds nothing.

import type { State } from '../../core/state.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import type { Counters } from '../../protocol/counters.ts';
import { isoTime } from '../iso-time.ts';
import type { EventFilter } from '../port/events.ts';
import type { JobRates } from '../rates/job-rates.ts';
import type { Runtime } from '../runtime.ts';
import { openJobEntries, openJobsOf, type Scope, sumsOf, workerSums } from './counters.ts';

const intervalMs = 1_000;

export interface CountersFeedOptions {
  readonly state: State;
  readonly rates: Pick<JobRates, 'outlookOf'>;
  readonly runtime: Pick<Runtime, 'now' | 'setTimer'>;
  /** Without jumps when the clock is set. */
  readonly steadyNow: () => number;
  /** Resolves when all that is in memory is committed. */
  readonly settled: () => Promise<void>;
  readonly onError: (error: Error) => void;
  readonly isReady: () => boolean;
}

/** One who listens. */
export interface CountersListener {
  /** The newest as JSON text, if it has not been taken yet. */
  take(): string | undefined;
  leave(): void;
}

interface Listener extends CountersListener {
  readonly jobId: string | undefined;
  readonly wake: () => void;
  newest: string | undefined;
}

/** Who sees the same. */
interface Audience {
  readonly listeners: Set<Listener>;
  completed: number;
  failed: number;
  /** When the counters before were made. */
  since: number;
}

export class CountersFeed {
  private readonly options: CountersFeedOptions;
  private readonly audiences = new Map<Scope, Audience>();
  private cancelTimer: (() => void) | undefined;
  private isMaking = false;
  private hasStopped = false;

  constructor(options: CountersFeedOptions) {
    this.options = options;
  }

  listen(
    { owner, jobId }: Pick<EventFilter, 'owner' | 'jobId'>,
    wake: () => void,
  ): CountersListener {
    const audience = this.audienceOf(owner);
    const listener: Listener = {
      jobId,
      wake,
      newest: undefined,
      take: () => {
        const { newest } = listener;
        listener.newest = undefined;
        return newest;
      },
      leave: () => {
        audience.listeners.delete(listener);
        if (audience.listeners.size === 0) this.audiences.delete(owner);
        if (this.audiences.size === 0) this.rest();
      },
    };
    audience.listeners.add(listener);
    this.plan();
    return listener;
  }

  /** Events of a commit. */
  observe(events: readonly ToldEvent[]): void {
    if (this.audiences.size === 0) return;
    for (const event of events) {
      if (event.type !== 'task_completed' && event.type !== 'task_failed') continue;
      const name = event.type === 'task_completed' ? 'completed' : 'failed';
      const all = this.audiences.get(undefined);
      if (all !== undefined) all[name]++;
      const own = this.audiences.get(event.task.job.spec.owner);
      if (own !== undefined) own[name]++;
    }
  }

  stop(): void {
    this.hasStopped = true;
    this.rest();
  }

  private audienceOf(scope: Scope): Audience {
    let audience = this.audiences.get(scope);
    if (audience === undefined) {
      const since = this.options.steadyNow();
      audience = { listeners: new Set(), completed: 0, failed: 0, since };
      this.audiences.set(scope, audience);
    }
    return audience;
  }

  private plan(): void {
    if (this.cancelTimer !== undefined || this.isMaking || this.hasStopped) return;
    const { runtime } = this.options;
    this.cancelTimer = runtime.setTimer(runtime.now() + intervalMs, () => void this.make());
  }

  private rest(): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
  }

  private async make(): Promise<void> {
    const { settled, onError, isReady } = this.options;
    this.rest();
    this.isMaking = true;
    try {
      await settled();
      this.tell();
    } catch (error) {
      // That the loop has ended is told elsewhere.
      if (isReady()) onError(error as Error);
    }
    this.isMaking = false;
    if (this.audiences.size > 0) this.plan();
  }

  private tell(): void {
    const { state } = this.options;
    const open = openJobsOf(state, this.audiences.keys());
    const workers = workerSums(state);
    for (const [scope, audience] of this.audiences) {
      const jobs = open.get(scope)!;
      const head = { ...this.headOf(audience), ...sumsOf(state, scope, jobs), ...workers };
      const byJob = Map.groupBy(audience.listeners, ({ jobId }) => jobId);
      for (const [jobId, listeners] of byJob) {
        const entries = openJobEntries(jobs, jobId, this.options.rates);
        const counters: Counters = { ...head, ...entries };
        const text = JSON.stringify(counters);
        for (const listener of listeners) {
          listener.newest = text;
          listener.wake();
        }
      }
    }
  }

  private headOf(audience: Audience) {
    const { runtime, steadyNow } = this.options;
    const at = steadyNow();
    const head = {
      type: 'counters' as const,
      at: isoTime(runtime.now()),
      interval_seconds: Math.max(0, at - audience.since) / 1000,
      completed_since: audience.completed,
      failed_since: audience.failed,
    };
    audience.since = at;
    audience.completed = 0;
    audience.failed = 0;
    return head;
  }
}
