// What `/metrics` tells of jobs, tasks, attempts, workers and decisions: what a coordinator knows. They have a registry
// of their own, since a process without a coordinator (a member of a cluster that does not lead, or leads no more)
// must tell none of them, the last ones that it knew neither: an alert would see a queue that nobody works on.

import { Counter, Gauge, Registry } from 'prom-client';
import type { Totals } from '../core/totals.ts';
import type { Census } from '../coordinator/port/reads.ts';

export class CensusMetrics {
  readonly #registry = new Registry();
  readonly #jobs = this.#gauge('muster_jobs', 'Jobs that are kept, by status', 'status');
  readonly #tasks = this.#gauge('muster_tasks', 'Tasks of jobs that are kept, by state', 'state');
  readonly #workers = this.#gauge('muster_workers', 'Registered workers, by status', 'status');
  readonly #resting = this.#gauge(
    'muster_workers_resting',
    'Workers that rest, as their owners or their devices want, and are given nothing',
  );
  readonly #versions = this.#gauge(
    'muster_workers_by_version',
    'Registered workers, by the version of their program',
    'version',
  );
  readonly #slots = this.#gauge('muster_slots', 'Slots of workers that are not offline');
  readonly #decisions = this.#counter('muster_decisions_total', 'Placements of the scheduler');
  readonly #decisionTime = this.#counter(
    'muster_decision_seconds_total',
    'Time that the scheduler took for them',
  );
  readonly #jobsSubmitted = this.#counter('muster_jobs_submitted_total', 'Jobs that were taken');
  readonly #jobsEnded = this.#counter('muster_jobs_ended_total', 'Jobs that ended', 'status');
  readonly #jobsRemoved = this.#counter(
    'muster_jobs_removed_total',
    'Jobs that were removed',
    'because',
  );
  readonly #tasksSubmitted = this.#counter('muster_tasks_submitted_total', 'Tasks of those jobs');
  readonly #tasksFailed = this.#counter('muster_tasks_failed_total', 'Tasks that failed for good');
  readonly #requeued = this.#counter(
    'muster_tasks_requeued_total',
    'How often a task had to wait for another attempt',
  );
  readonly #attempts = this.#counter(
    'muster_attempts_total',
    'Attempts that ended, by outcome',
    'outcome',
  );
  readonly #runTime = this.#counter(
    'muster_attempt_run_seconds_total',
    'Time that completed attempts ran on workers',
  );
  readonly #energy = this.#counter(
    'muster_energy_joules_total',
    'What completed attempts cost, as far as workers tell or it is estimated',
  );
  readonly #checkpoints = this.#counter('muster_checkpoints_total', 'Checkpoints that were saved');
  #decided = { count: 0, seconds: 0 };

  render(census: Census): Promise<string> {
    this.#setCensus(census);
    return this.#registry.metrics();
  }

  #setTotals(totals: Totals): void {
    setCounter(this.#jobsSubmitted, totals.jobsSubmitted);
    setCounters(this.#jobsEnded, 'status', {
      completed: totals.jobsCompleted,
      failed: totals.jobsFailed,
      cancelled: totals.jobsCancelled,
    });
    setCounters(this.#jobsRemoved, 'because', totals.jobsRemoved);
    setCounter(this.#tasksSubmitted, totals.tasksSubmitted);
    setCounter(this.#tasksFailed, totals.tasksFailed);
    setCounter(this.#requeued, totals.tasksRequeued);
    const completed = totals.tasksCompleted;
    setCounters(this.#attempts, 'outcome', { completed, ...totals.attempts });
    setCounter(this.#runTime, totals.completedMs / 1000);
    setCounter(this.#energy, totals.energyJoules);
    setCounter(this.#checkpoints, totals.checkpoints);
  }

  #setCensus({ jobs, tasks, workers, resting, versions, slots, decisions, totals }: Census): void {
    this.#setTotals(totals);
    for (const [status, count] of Object.entries(jobs)) this.#jobs.set({ status }, count);
    for (const [state, count] of Object.entries(tasks)) this.#tasks.set({ state }, count);
    for (const [status, count] of Object.entries(workers)) this.#workers.set({ status }, count);
    this.#resting.set(resting);
    this.#versions.reset();
    for (const [version, count] of mostCommon(versions)) this.#versions.set({ version }, count);
    this.#slots.set(slots);
    // Another coordinator in the same process begins anew.
    const before = decisions.count < this.#decided.count ? { count: 0, seconds: 0 } : this.#decided;
    this.#decisions.inc(decisions.count - before.count);
    this.#decisionTime.inc(Math.max(0, decisions.seconds - before.seconds));
    this.#decided = decisions;
  }

  #gauge(name: string, help: string, ...labelNames: string[]): Gauge {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] });
  }

  #counter(name: string, help: string, ...labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }
}

/** The library can only add. */
function setCounter(counter: Counter, value: number): void {
  counter.reset();
  counter.inc(value);
}

function setCounters(counter: Counter, label: string, values: Readonly<Record<string, number>>) {
  counter.reset();
  for (const [name, value] of Object.entries(values)) counter.inc({ [label]: name }, value);
}

/** A worker may tell any version: those that few have are counted together. */
const mostVersions = 20;

function mostCommon(versions: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  const sorted = [...versions].toSorted(([, one], [, other]) => other - one);
  const rest = sorted.slice(mostVersions).reduce((sum, [, count]) => sum + count, 0);
  return rest === 0 ? sorted : [...sorted.slice(0, mostVersions), ['other', rest]];
}
