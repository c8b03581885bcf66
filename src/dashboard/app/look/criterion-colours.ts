// A colour for each criterion: the same in its slider and in every picture.

import { type CriterionId, criterionIds } from '../../../protocol/criteria.ts';

/** As styles take it. A coordinator may be newer than this page: what is not known is grey. */
export function colourOf(id: string): string {
  const place = criterionIds.indexOf(id as CriterionId);
  return place < 0 ? 'var(--ink-3)' : `var(--c${place + 1})`;
}
