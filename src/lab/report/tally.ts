// How each contender did in all scenarios together.

import type { ScenarioComparison } from '../compare/comparison.ts';
import { standingOf } from './standing.ts';

export interface Tally {
  readonly contender: string;
  /** Its place in the comparison. */
  readonly place: number;
  /** Scenarios in which it is the best, or cannot be told from it. */
  readonly good: number;
  readonly meanRank: number | null;
  /** The largest difference to a best mean, as a share of it; null when it is not known everywhere. */
  readonly farthest: number | null;
}

/** By mean rank; `contenders` as they stand in the comparison. */
export function talliesOf(
  contenders: readonly string[],
  scenarios: readonly ScenarioComparison[],
): readonly Tally[] {
  return contenders
    .map((contender, place) => tallyOf(contender, place, scenarios))
    .sort((a, b) => rankOf(a) - rankOf(b) || a.place - b.place);
}

function rankOf({ meanRank }: Tally): number {
  return meanRank ?? Number.MAX_VALUE;
}

function tallyOf(
  contender: string,
  place: number,
  scenarios: readonly ScenarioComparison[],
): Tally {
  const measured = scenarios.flatMap((each) => {
    const comparison = each.measures[each.deciding_measure];
    const found = comparison.contenders[place];
    if (found === undefined || found.mean_rank === null) return [];
    const standing = standingOf(found, comparison);
    const far = standing === 'best' ? 0 : (found.against_best?.relative ?? null);
    return [{ rank: found.mean_rank, standing, far }];
  });
  const distances = measured.flatMap(({ far }) => far ?? []);
  return {
    contender,
    place,
    good: measured.filter(({ standing }) => standing === 'best' || standing === 'same').length,
    meanRank:
      measured.length === 0
        ? null
        : measured.reduce((sum, { rank }) => sum + rank, 0) / measured.length,
    farthest:
      distances.length < scenarios.length || distances.length === 0
        ? null
        : distances.reduce((most, far) => (Math.abs(far) > Math.abs(most) ? far : most), 0),
  };
}
