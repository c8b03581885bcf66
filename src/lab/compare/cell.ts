// One run of a comparison: a scenario, a contender, a seed. It is played in a thread of its own.

import { readContender } from '../contender.ts';
import { type Bounds, boundsOf } from '../outcome/bounds.ts';
import { DecisionTimes, type DecisionTimesData } from '../outcome/decision-times.ts';
import { type Measures, measuresOf } from '../outcome/measures.ts';
import { type Playable, planOf } from '../playable.ts';
import { play } from '../world/play.ts';
import { clockCost, type Microseconds, timed } from '../world/timed-scheduler.ts';

/** Can be sent to a thread. */
export interface Cell {
  readonly scenario: Playable;
  readonly contender: ContenderOfCell;
  readonly seed: number;
  /** Bounds are the same for all contenders: they are asked for once. */
  readonly wantsBounds: boolean;
  readonly wantsDecisionTimes: boolean;
}

/** Id of an algorithm, or the path of a module. */
export type ContenderOfCell = { readonly algorithm: string } | { readonly file: string };

export interface CellResult {
  readonly measures: Measures;
  readonly bounds: Bounds | null;
  readonly decisionTimes: DecisionTimesData | null;
}

/** The clock is read only for decision times. */
export async function playCell(
  { scenario, contender, seed, wantsBounds, wantsDecisionTimes }: Cell,
  clock: Microseconds,
): Promise<CellResult> {
  const plan = planOf(scenario, seed);
  const { algorithm, createScheduler: own } = await readContender(contender);
  const times = wantsDecisionTimes ? new DecisionTimes(clockCost(clock)) : null;
  const createScheduler = times === null ? own : timed(own, times, clock);
  const played = await play({ plan, seed, algorithm, createScheduler });
  times?.endPass();
  return {
    measures: measuresOf(played),
    bounds: wantsBounds ? boundsOf(plan) : null,
    decisionTimes: times,
  };
}
