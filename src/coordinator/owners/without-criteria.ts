// A worker in a ranking as an owner sees it: where it stands, not what it measured.

import type { RankedWorkerResource } from '../../protocol/scheduling-info.ts';

export function withoutCriteria(ranked: RankedWorkerResource): RankedWorkerResource {
  return { ...ranked, criteria: {}, details: {} };
}
