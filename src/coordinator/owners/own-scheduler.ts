// The scheduler as an owner sees it: the configuration without who has set it, how much of its own waits, and the
// last decision only if it was about a task of its own. A change of the configuration is for the whole cluster: who
// may ask for one is decided before it comes here.

import { countersOf } from '../../core/owner.ts';
import type { State } from '../../core/state.ts';
import type { RankedWorkerResource, SchedulingInfo } from '../../protocol/scheduling-info.ts';
import { absenceTexts } from '../decisions/hindrances.ts';
import type { OwnView, SchedulerHead } from '../decisions/explanations.ts';
import type { ConfigChange, PreviewRequest, SchedulerPort } from '../port/scheduler.ts';
import type { Reads } from '../reads/reads.ts';
import type { Ownership } from './ownership.ts';
import { withoutCriteria } from './without-criteria.ts';

export interface WholeScheduler extends SchedulerPort {
  /** `infoPieces` for one owner: without criteria, and with the ranking only if `view` says so. */
  ownPieces(pieceBytes: number, view: OwnView): AsyncIterable<Uint8Array>;
}

export interface OwnSchedulerOptions {
  readonly scheduler: WholeScheduler;
  readonly reads: Pick<Reads, 'census'>;
  readonly state: State;
}

export class OwnScheduler implements SchedulerPort {
  readonly criteria: SchedulerPort['criteria'];
  private readonly options: OwnSchedulerOptions;
  private readonly own: Ownership;

  constructor(options: OwnSchedulerOptions, own: Ownership) {
    this.criteria = options.scheduler.criteria;
    this.options = options;
    this.own = own;
  }

  async config(): ReturnType<SchedulerPort['config']> {
    return { ...(await this.options.scheduler.config()), by: null };
  }

  async history(limit: number): ReturnType<SchedulerPort['history']> {
    const changes = await this.options.scheduler.history(limit);
    return changes.map((change) => ({ ...change, by: null }));
  }

  configure(change: ConfigChange, by?: string | null): ReturnType<SchedulerPort['configure']> {
    return this.options.scheduler.configure(change, by);
  }

  async info(): Promise<SchedulingInfo> {
    const { workers, ...all } = await this.options.scheduler.info();
    const { head, tellsWorkers } = await this.view(all);
    return { ...head, workers: tellsWorkers ? workers.map(withoutCriteria) : [] };
  }

  infoPieces(pieceBytes: number): AsyncIterable<Uint8Array> {
    return this.options.scheduler.ownPieces(pieceBytes, (head) => this.view(head));
  }

  private async view(all: SchedulerHead): ReturnType<OwnView> {
    const { reads, state } = this.options;
    const { owner } = this.own;
    const last = all.last_decision;
    const isOwn = last !== null && (await this.own.has(last.job_id));
    const { tasks } = await reads.census(owner);
    const { decisions, decisionsBy } = countersOf(state, owner);
    const head = {
      ...all,
      pending_tasks: tasks.pending,
      active_tasks: tasks.assigned + tasks.running,
      decisions_total: decisions,
      decisions_by_algorithm: { ...decisionsBy },
      last_decision: isOwn ? last : null,
    };
    return { head, tellsWorkers: isOwn };
  }

  async preview(asked: PreviewRequest): ReturnType<SchedulerPort['preview']> {
    const answer = await this.options.scheduler.preview(asked);
    if (!answer.ok) return answer;
    const { value } = answer;
    return { ok: true, value: { ...value, workers: value.workers.map(withoutWords) } };
  }
}

/** A worker that pauses may have said why, of the tasks of somebody else. */
function withoutWords(ranked: RankedWorkerResource): RankedWorkerResource {
  const reasons = ranked.reasons.map((reason) =>
    reason.code === absenceTexts.unwilling.code ? absenceTexts.unwilling : reason,
  );
  return { ...withoutCriteria(ranked), reasons };
}
