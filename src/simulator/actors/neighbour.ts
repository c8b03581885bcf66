// An owner looks through all ports at any moment. Nothing of what it is answered may name a job of another;
// of its own, everything that was there before and after must be in it. What it asks about a job of another is
// answered as for a job that never was.

import type { RunningCoordinator } from '../../coordinator/coordinator.ts';
import type { CoordinatorPorts } from '../../coordinator/port/coordinator.ts';
import type { Principal } from '../../coordinator/port/principal.ts';
import { eventTypes } from '../../coordinator/streams/wire-events.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import type { JobRow, WriteBatch } from '../../store/rows.ts';
import { BrokenPromise } from '../broken-promise.ts';
import { visibleJobs } from '../checkers/disk-view.ts';
import { isDiskFault } from '../disk-fault.ts';
import type { Owners } from '../owners.ts';

export interface NeighbourOptions {
  readonly owners: Owners;
  readonly disk: MemoryDisk;
  /** Whether this coordinator is the one that runs now. */
  readonly isCurrent: (coordinator: RunningCoordinator) => boolean;
  /** It has looked at something of its own, or asked about a job of another. */
  readonly onLook: (what: 'own' | 'foreign') => void;
  readonly onBug: (error: Error) => void;
}

/** Of whatever kind. */
const types = Object.keys(eventTypes).filter((type) => type !== 'counters');
/** Names of jobs, workers and attempts in an answer. */
const ids = /\bid\d+\b/g;
/** No job was ever given it. */
const neverThere = 'id000000';

export class Neighbour {
  private readonly options: NeighbourOptions;
  /** Whose every job is that was ever written. */
  private readonly ownerOf = new Map<string, string>();
  /** Whose events are followed. */
  private heard: RunningCoordinator | null = null;

  constructor(options: NeighbourOptions) {
    this.options = options;
  }

  written({ jobs }: WriteBatch): void {
    for (const { spec } of jobs) this.ownerOf.set(spec.id, spec.owner);
  }

  act(coordinator: RunningCoordinator): void {
    const { owners, onBug } = this.options;
    const who = owners.prng.pick(owners.clients);
    const looked = owners.prng.chance(0.5)
      ? this.lookAround(coordinator, who)
      : this.ask(coordinator, who);
    for (const done of [looked, ...this.listen(coordinator)]) {
      done.catch((error: unknown) => {
        if (!isDiskFault(error)) onBug(error as Error);
      });
    }
  }

  /** Each follows the events to the end of this coordinator, once. */
  private listen(coordinator: RunningCoordinator): Promise<void>[] {
    if (this.heard === coordinator) return [];
    this.heard = coordinator;
    return this.options.owners.clients.map((who) => this.follow(coordinator, who));
  }

  private async follow(coordinator: RunningCoordinator, who: Principal): Promise<void> {
    const { isCurrent } = this.options;
    const { signal } = new AbortController();
    for await (const chunk of coordinator.for(who).events.follow({ types }, { signal })) {
      if (!isCurrent(coordinator)) return;
      for (const { data } of chunk) this.shown('an event', who, data);
    }
  }

  private async lookAround(coordinator: RunningCoordinator, who: Principal): Promise<void> {
    const { owners, isCurrent, onLook } = this.options;
    const [name, look] = owners.prng.pick(Object.entries(looks));
    const before = this.ownJobs(who);
    const answer = await look(coordinator.for(who));
    if (!isCurrent(coordinator)) return;
    const seen = this.shown(name, who, JSON.stringify(answer) ?? '');
    onLook('own');
    if (name === 'stats') return this.compareStats(who, answer as { readonly total_jobs: number });
    if (!listsAll.has(name)) return;
    const after = new Set(this.ownJobs(who).map(({ spec }) => spec.id));
    for (const { spec } of before) {
      if (!after.has(spec.id) || seen.has(spec.id)) continue;
      throw new BrokenPromise(`${name} does not show ${who.owner} its job ${spec.id}.`);
    }
  }

  /** What is named in an answer: no job of another. */
  private shown(name: string, who: Principal, answer: string): ReadonlySet<string> {
    const seen = new Set(answer.match(ids));
    for (const id of seen) {
      const owner = this.ownerOf.get(id) ?? who.owner;
      if (owner === who.owner) continue;
      throw new BrokenPromise(`${name} shows ${who.owner} the job ${id} of ${owner}.`);
    }
    return seen;
  }

  private compareStats({ owner }: Principal, stats: { readonly total_jobs: number }): void {
    const stored = this.ownJobs({ owner }).length;
    if (stats.total_jobs === stored) return;
    throw new BrokenPromise(`${owner} has ${stats.total_jobs} jobs, stored are ${stored}.`);
  }

  private async ask(coordinator: RunningCoordinator, who: Principal): Promise<void> {
    const { owners, isCurrent, onLook } = this.options;
    const foreign = [...this.ownerOf].filter(([, owner]) => owner !== who.owner);
    if (foreign.length === 0) return;
    const [id] = owners.prng.pick(foreign);
    const [name, question] = owners.prng.pick(Object.entries(questions));
    const answer = await question(coordinator.for(who), id);
    const right = await question(coordinator.for(who), neverThere);
    if (!isCurrent(coordinator)) return;
    const [told, expected] = [answer, right].map((each) => JSON.stringify(each) ?? 'nothing');
    onLook('foreign');
    if (told!.replaceAll(id, neverThere) === expected) return;
    throw new BrokenPromise(`${name} tells ${who.owner} of the job ${id} of another: ${told}`);
  }

  private ownJobs({ owner }: Pick<Principal, 'owner'>): readonly JobRow[] {
    return visibleJobs(this.options.disk)
      .map(({ row }) => row)
      .filter(({ spec }) => spec.owner === owner);
  }
}

type Look = (ports: CoordinatorPorts) => Promise<unknown>;

const looks: Readonly<Record<string, Look>> = {
  jobs: ({ reads }) => Array.fromAsync(reads.jobs({})),
  evaluation: ({ evaluation }) => evaluation.metrics({}),
  handles: async ({ reads }) => [
    await reads.meantJobs('id0000', 99),
    await reads.meantJobs('id00001', 9),
  ],
  stats: ({ reads }) => reads.stats(),
  recoveries: ({ taskReads }) => Array.fromAsync(taskReads.recoveryEvents()),
  scheduler: ({ scheduler }) => scheduler.info(),
  workers: async ({ reads }) => {
    const workers = await reads.workers();
    const { id = neverThere } = workers.find(({ active_tasks }) => active_tasks > 0) ?? {};
    // The id of a worker is no job's.
    return [(await reads.findWorker(id))?.attempts, await reads.findFailures(id)];
  },
};

/** What names every job of who asks. */
const listsAll: ReadonlySet<string> = new Set(['jobs']);

type Question = (ports: CoordinatorPorts, jobId: string) => Promise<unknown>;

const questions: Readonly<Record<string, Question>> = {
  job: ({ reads }, id) => reads.findJob(id),
  handle: ({ reads }, id) => reads.meantJobs(id, 9),
  results: ({ reads }, id) => reads.findResults(id, { follow: false }),
  task: ({ taskReads }, id) => taskReads.findTask(id, 0),
  explanation: ({ taskReads }, id) => taskReads.explainTask(id, 0),
  program: ({ taskReads }, id) => taskReads.findProgram(id),
  checkpoints: ({ taskReads }, id) => taskReads.findCheckpoints(id),
  errors: ({ reads }, id) => reads.findErrors(id, 9),
  map: ({ reads }, id) => reads.findTaskMap(id, { from: 0, to: null, cells: 9 }),
  metrics: ({ evaluation }, jobId) => evaluation.metrics({ jobId }),
  attempts: ({ evaluation }, jobId) => evaluation.attempts({ jobId, limit: 9 }),
  notifications: ({ notifications }, id) => notifications.ofJob(id),
  cancel: ({ jobs }, id) => jobs.cancel(id),
  retry: ({ jobs }, id) => jobs.retry(id),
  hold: ({ jobs }, id) => jobs.hold(id),
  deletion: ({ jobs }, id) => jobs.delete(id),
};
