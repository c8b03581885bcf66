// Texts that are told the same in two ways, or were written by an older version, in the one form in which they are
// moved and compared.

import type { Draining, Joined } from '../../core/records.ts';
import { laterOptions } from '../later-options.ts';
import type { LiveAttemptRow } from '../rows.ts';

/** Nearly every text stays as it is. A database of PostgreSQL is younger than all options, and has them in every row. */
export function canonicalSpec(json: string): string {
  const spec = JSON.parse(json) as object;
  if (Object.keys(laterOptions).every((name) => Object.hasOwn(spec, name))) return json;
  return JSON.stringify({ ...laterOptions, ...spec });
}

export function canonicalOthers(json: string): string {
  if (json === '[]') return json;
  const others = JSON.parse(json) as readonly LiveAttemptRow[];
  return JSON.stringify(
    others.map(({ attempt, workerId, token, assignedAt, runBeforeMs }) => ({
      attempt,
      workerId,
      token,
      assignedAt,
      runBeforeMs: runBeforeMs ?? null,
    })),
  );
}

export function canonicalDraining({ since, deadline }: Draining): string {
  return JSON.stringify({ since, deadline });
}

export function canonicalJoined({ tokenId, label }: Joined): string {
  return JSON.stringify({ tokenId, label });
}
