// Configurations of the scheduler, each as it was set, the newest so many of them. They belong to no generation.

import type { SchedulerConfig } from '../../../core/snapshot.ts';
import { mostSchedulerChanges } from '../../rows.ts';
import type { Query, Statement } from '../driver/statement.ts';
import { json } from './kinds.ts';

const configs = json<SchedulerConfig>();

const insertText = `insert into scheduler_changes (id, config)
  select r.place + (select coalesce(max(id), 0) from scheduler_changes), r.config
  from unnest($1::text[]) with ordinality as r(config, place)`;
const trimText =
  'delete from scheduler_changes where id <= (select max(id) from scheduler_changes) - $1';

export function schedulerStatements(changes: readonly SchedulerConfig[]): Statement[] {
  if (changes.length === 0) return [];
  return [
    { text: insertText, values: [changes.map((config) => configs.encode(config))] },
    { text: trimText, values: [mostSchedulerChanges] },
  ];
}

const listText = 'select config from scheduler_changes order by id desc limit $1';

/** Newest first. */
export async function listSchedulerChanges(
  query: Query,
  limit: number,
): Promise<readonly SchedulerConfig[]> {
  return (await query(listText, [limit])).map(([config]) => configs.decode(config!));
}
