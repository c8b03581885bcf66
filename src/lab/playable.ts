// What can be played: a scenario, whose numbers are drawn with the seed of a run, or a trace, whose numbers are known.

import { drawPlan } from './scenario/draw-plan.ts';
import type { Plan } from './scenario/plan.ts';
import { readScenario } from './scenario/read-scenario.ts';
import type { Scenario } from './scenario/scenario.ts';
import { readTrace } from './trace/read-trace.ts';
import { type RecordedTrace, replayOf, type TraceOrigin } from './trace/recorded-plan.ts';

/** Both have a name (`scenario`), a sentence (`about`) and an `algorithm` of their own. Can be sent to a thread. */
export type Playable = Scenario | RecordedTrace;

/**
 * `which`: the name of a shipped scenario, the path of one of your own (`.json`) or that of a trace (`.ndjson`).
 * Throws `ScenarioFault` or `TraceFault`.
 */
export function readPlayable(which: string, folder: string): Playable {
  return which.toLowerCase().endsWith('.ndjson')
    ? readTrace(which, folder)
    : readScenario(which, folder);
}

export function planOf(playable: Playable, seed: number): Plan {
  return 'trace' in playable ? replayOf(playable) : drawPlan(playable, seed);
}

/** With a trace a seed decides little more than jitter. */
const seedsOfTrace = 5;

/** How often it is played in a comparison when nothing else is asked for. */
export function usualSeeds(playable: Playable): number {
  return 'trace' in playable ? seedsOfTrace : playable.seeds;
}

/** What is told of it beside results: a scenario whole, of a trace what it says of itself. */
export function definitionOf(playable: Playable): unknown {
  return 'trace' in playable ? playable.summary : playable;
}

export function hasManyJobs(playable: Playable): boolean {
  const { jobs } = 'trace' in playable ? playable.plan : playable;
  const [first] = jobs;
  if (jobs.length > 1 || first === undefined || !('arrivals' in first)) return jobs.length > 1;
  const { arrivals } = first;
  return ('count' in arrivals ? arrivals.count : arrivals.at_seconds.length) > 1;
}

/** Sentences about what a reader should know before the figures. */
export function notesOf(playable: Playable): readonly string[] {
  if (!('trace' in playable)) return [];
  const { algorithm, makespan_seconds: makespan } = playable.summary;
  const lived =
    makespan === null ? [] : [`In life it took ${makespan.toFixed(1)} s under ${algorithm}.`];
  return [...lived, ...playable.notes];
}

/** Null: it is a scenario. */
export function traceOf(playable: Playable): TraceOrigin | null {
  if (!('trace' in playable)) return null;
  const { file, sha256, algorithm, makespan_seconds } = playable.summary;
  return { file, sha256, algorithm, makespan_seconds, notes: playable.notes };
}
