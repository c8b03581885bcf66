// One run of a comparison: a scenario, a contender, a seed. It is played in a thread of its own.

import { readContender } from '../contender.ts';
import { type Bounds, boundsOf } from '../outcome/bounds.ts';
import { type Measures, measuresOf } from '../outcome/measures.ts';
import { type Playable, planOf } from '../playable.ts';
import { play } from '../world/play.ts';

/** Can be sent to a thread. */
export interface Cell {
  readonly scenario: Playable;
  readonly contender: ContenderOfCell;
  readonly seed: number;
  /** Bounds are the same for all contenders: they are asked for once. */
  readonly wantsBounds: boolean;
}

/** Id of an algorithm, or the path of a module. */
export type ContenderOfCell = { readonly algorithm: string } | { readonly file: string };

export interface CellResult {
  readonly measures: Measures;
  readonly bounds: Bounds | null;
}

export async function playCell({
  scenario,
  contender,
  seed,
  wantsBounds,
}: Cell): Promise<CellResult> {
  const plan = planOf(scenario, seed);
  const { algorithm, createScheduler } = await readContender(contender);
  const played = await play({ plan, seed, algorithm, createScheduler });
  return { measures: measuresOf(played), bounds: wantsBounds ? boundsOf(plan) : null };
}
