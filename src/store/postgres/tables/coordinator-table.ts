// Coordinators that are there, as what they stage is theirs.

import { databaseNow } from '../driver/database-now.ts';

/** Who lives says so every second; what a member has staged that says nothing for so long is swept. */
const goneMs = 60_000;

/** The column is the id of a coordinator that was seen lately. */
export function isLiving(column: string): string {
  return `exists (select 1 from coordinators
    where coordinators.id = ${column} and seen_at > ${databaseNow} - ${goneMs})`;
}
