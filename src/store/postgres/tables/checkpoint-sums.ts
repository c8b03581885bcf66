// What the checkpoints of a period take.

import type { PeriodFilter } from '../../reading.ts';
import type { CheckpointSum } from '../../rows.ts';
import type { Query } from '../driver/statement.ts';
import { ofPeriod } from './jobs-asked.ts';
import { joinVisible } from './visible.ts';

export async function sumCheckpoints(query: Query, filter: PeriodFilter): Promise<CheckpointSum> {
  const { where, values } = ofPeriod('checkpoints', 'created_at', filter);
  const [row] = await query(
    `select count(*), coalesce(sum(checkpoints.stored_bytes), 0)::bigint
      from checkpoints ${joinVisible('checkpoints')} where ${where}`,
    values,
  );
  const [count, storedBytes] = row as readonly number[];
  return { count: count!, storedBytes: storedBytes! };
}
