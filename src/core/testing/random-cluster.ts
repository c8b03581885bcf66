// A cluster that takes any step (`random-steps.ts`) at any moment. What the core says to it is up to the
// test.

import { hasFreeSlot, isAvailable } from '../eligibility.ts';
import { isFinalJob } from '../job-status.ts';
import { nextIndex } from '../entries.ts';
import type { AttemptRecord } from '../records.ts';
import type { Step } from './random-steps.ts';
import { type Held, ScriptedCore } from './scripted-core.ts';

export class RandomCluster {
  readonly core: ScriptedCore;
  /** All attempts that were ever handed out. */
  readonly held: Held[] = [];
  private jobs = 0;
  private workers = 0;
  private sequence = 0;
  private connections = 0;

  constructor(core = new ScriptedCore()) {
    this.core = core;
    // The clock may be set back, but to no moment before all time.
    core.at = 1_000_000;
  }

  take(step: Step): void {
    const { core } = this;
    const { at } = core;
    switch (step.do) {
      case 'submit': {
        const count = step.spec.taskCount ?? 1;
        const taskPriorities = step.prioritised
          ? Int16Array.from({ length: count }, (_, index) => index % 2)
          : null;
        core.submit(`j${++this.jobs}`, { ...step.spec, taskPriorities });
        return;
      }
      case 'join':
        core.join(
          `w${++this.workers}`,
          { slots: step.slots },
          { waitsUntil: step.waitMs === null ? null : at + step.waitMs },
        );
        return;
      case 'assign':
        this.assign(step.entry, step.worker);
        return;
      case 'copy':
        this.copy(step.held, step.worker);
        return;
      case 'report':
        this.report(step);
        return;
      case 'hello':
      case 'heartbeat': {
        const workerId = this.worker(step.worker);
        const named = step.named.flatMap((each) => this.held[each % this.held.length] ?? []);
        if (step.do === 'hello') {
          const claims = named.map((claim) => ({ ...claim, state: step.state as 'queued' }));
          core.hello(workerId, claims, { leaving: step.leaving, rest: step.rest });
        } else {
          const claims = named.map((claim) => ({ ...claim, progress: 0.5 }));
          const { rest, leaseMs } = step;
          core.heartbeat(workerId, { held: claims, assignSequence: step.frame, rest, leaseMs });
        }
        return;
      }
      case 'wait':
        if (step.alive) core.waitAlive(step.ms, ...core.state.workers.keys());
        else core.wait(step.ms);
        return;
      case 'close':
        if (core.state.workers.has(this.worker(step.worker))) core.close(this.worker(step.worker));
        return;
      case 'recall': {
        const worker = core.state.workers.get(this.worker(step.worker));
        if (worker !== undefined) core.give({ type: 'recall_attempts', worker, at });
        return;
      }
      case 'drain soon': {
        const workerId = this.worker(step.worker);
        core.give({ type: 'drain_worker', workerId, deadline: at + 2000, at });
        return;
      }
      case 'drain':
      case 'resume':
      case 'leave':
      case 'deregister':
      case 'approve':
      case 'refuse':
      case 'hear':
        core.give({ type: `${step.do}_worker`, workerId: this.worker(step.worker), at });
        return;
      case 'attach': {
        const connectionId = -++this.connections;
        const workerId = this.worker(step.worker);
        core.give({ type: 'attach_worker', workerId, connectionId, asksForWork: true, at });
        return;
      }
      case 'deliver':
        this.deliver(this.worker(step.worker));
        return;
      case 'damage':
      case 'unreadable':
        this.spoil(step.do, step.held);
        return;
      case 'set clock':
        core.at += step.byMs;
        core.give({ type: 'set_clock', byMs: step.byMs, at: core.at });
        return;
      case 'cancel':
      case 'retry':
      case 'delete':
      case 'hold':
      case 'release':
        core.give({ type: `${step.do}_job`, jobId: `j${1 + (step.job % (this.jobs + 1))}`, at });
        return;
      case 'expire':
        core.expireJobs();
        return;
      case 'configure': {
        const algorithm = step.byPriority ? 'priority' : 'fifo';
        core.give({ type: 'configure', config: { ...core.state.config, algorithm }, at });
        return;
      }
      case 'clear':
        if (step.really === 0) core.give({ type: 'clear', at });
    }
  }

  /** All workers work without a fault until nothing is left to do. */
  heal(): void {
    const { core } = this;
    core.join('healthy', { slots: 4 });
    for (const jobId of core.state.jobs.keys()) {
      core.give({ type: 'release_job', jobId, at: core.at });
    }
    for (let round = 0; round < 500; round++) {
      const worker = core.worker('healthy');
      core.give({ type: 'hear_worker', workerId: worker.id, at: core.at });
      for (const each of this.openEntries()) {
        if (worker.activeTasks >= worker.slots) break;
        const index = nextIndex(each);
        core.complete(core.run(each.job.spec.id, index, worker.id));
      }
      if ([...core.state.jobs.values()].every((job) => isFinalJob(job.status))) return;
      core.wait(1000);
    }
  }

  private openEntries() {
    return [...this.core.state.queue.lanes()].flatMap((lane) => lane.entries.slice(lane.head));
  }

  private worker(number: number): string {
    return `w${1 + (number % (this.workers + 1))}`;
  }

  /** Assigns a task, mostly to a worker that can take it. */
  private assign(number: number, workerNumber: number): void {
    const entries = this.openEntries();
    const entry = entries[number % entries.length];
    if (entry === undefined) return;
    const able = [...this.core.state.workers.values()].filter(
      (worker) => isAvailable(worker) && hasFreeSlot(worker),
    );
    const workerId = able[workerNumber % able.length]?.id ?? this.worker(workerNumber);
    const { id } = entry.job.spec;
    const index = nextIndex(entry);
    const said = this.core.tryAssign(id, index, workerId);
    if (!Array.isArray(said)) return;
    const live = this.core.task(id, index).live.at(-1)!;
    if (live.delivery !== null) return;
    live.sequence = live.attempt;
    this.hold(live);
  }

  private copy(number: number, worker: number): void {
    const held = this.held.at(-1 - (number % Math.min(this.held.length, 4)));
    if (held === undefined) return;
    const { jobId, index } = held;
    const workerId = this.worker(worker);
    const token = `copy ${this.held.length}`;
    const { at } = this.core;
    const said = this.core.give({ type: 'speculate', jobId, index, workerId, token, at });
    if (!Array.isArray(said)) return;
    const live = this.core.task(jobId, index).live.at(-1)!;
    if (live.delivery === null) this.hold(live);
  }

  /** A worker over plain HTTP fetches all of its assignments. */
  private deliver(workerId: string): void {
    const { core } = this;
    for (const attempt of core.state.workers.get(workerId)?.attempts ?? []) {
      if (attempt.delivery === null || attempt.delivery.position < 0) continue;
      core.give({ type: 'deliver_attempt', attempt, sequence: ++this.sequence, at: core.at });
      this.hold(attempt);
    }
  }

  /** From now on the worker of the attempt knows of it. */
  private hold({ task, attempt, token, worker }: AttemptRecord): void {
    const { index, job } = task;
    this.held.push({ jobId: job.spec.id, index, attempt, token, workerId: worker.id });
  }

  /** Something that the store keeps for an attempt is damaged. */
  private spoil(what: 'damage' | 'unreadable', number: number): void {
    const { core } = this;
    const held = this.held.at(-1 - (number % Math.min(this.held.length, 8)));
    if (held === undefined) return;
    const { jobId, index, token } = held;
    if (what === 'unreadable') {
      const problem = 'The input cannot be read.';
      const { chance, at } = core;
      core.give({ type: 'fail_unsent', jobId, index, token, problem, chance, at });
      return;
    }
    const checkpointId = core.state.jobs.get(jobId)?.tasks.get(index)?.checkpoints.at(-1)?.id ?? 0;
    core.give({ type: 'drop_checkpoint', jobId, index, checkpointId, at: core.at });
  }

  private report(step: Extract<Step, { do: 'report' }>): void {
    const { core } = this;
    // Mostly one of the newest attempts.
    const back = Math.min(this.held.length, step.held % 2 === 0 ? 4 : 40);
    const honest = this.held.at(-1 - (step.held % back));
    if (honest === undefined) return;
    const held = lied(honest, step.lie);
    core.chance = step.chance;
    switch (step.kind) {
      case 'start':
        return void core.start(held);
      case 'progress':
        return void core.progress(held, 0.5);
      case 'complete':
        return void core.complete(held, { runMs: step.chance * 40 });
      case 'checkpoint':
        return void core.checkpoint(held, ++this.sequence, step.chance);
      case 'fail':
        return void core.fail(held);
      case 'timeout':
        return void core.fail(held, { errorType: 'attempt_timeout' });
      case 'refused':
      case 'released':
        return void core.release(held, step.kind);
    }
  }
}

function lied(held: Held, about: string | null): Held {
  if (about === 'token') return { ...held, token: 'guessed' };
  if (about === 'attempt') return { ...held, attempt: held.attempt + 1 };
  if (about === 'worker') return { ...held, workerId: 'w1' };
  return held;
}
