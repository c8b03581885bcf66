// What the database says of a cluster, as the interface says it.

import { type ClusterResource, withoutPin } from '../protocol/cluster.ts';
import type { ClusterLook, CoordinatorRow } from '../store/membership.ts';
import type { Role } from './port.ts';

/** Who was not seen for so long does not count; nor who was seen later than now, before the clock was set back. */
const aliveMs = 5_000;

export function isAlive(row: CoordinatorRow, { at }: ClusterLook): boolean {
  return Math.abs(at - row.seenAt) < aliveMs;
}

/**
 * Where the members beside `self` that are alive are reached, those with the fewest sockets of workers first. Without
 * their pins: whom a worker trusts, it does not learn from here.
 */
export function othersOf(look: ClusterLook, self: string): string[] {
  return look.coordinators
    .filter((row) => row.id !== self && isAlive(row, look))
    .toSorted((one, other) => one.workers - other.workers)
    .map(({ url }) => withoutPin(url));
}

/** As the member `self` has seen it. */
export function toResource(
  look: ClusterLook,
  self: { readonly id: string; readonly role: Role },
): ClusterResource {
  const { position, term } = look;
  const leader = position.isOver ? undefined : term.coordinator?.id;
  const alive = new Set(look.coordinators.filter((row) => isAlive(row, look)).map(({ id }) => id));
  return {
    role: self.role,
    leader: leader !== undefined && alive.has(leader) ? leader : null,
    asked: self.id,
    term: {
      id: term.id,
      epoch: term.epoch,
      since: isoTime(term.since ?? look.at),
      ended: term.ended,
    },
    sequence: position.sequence,
    members: look.coordinators.map((row) => ({
      id: row.id,
      url: row.url,
      version: row.version,
      is_leader: row.id === leader,
      is_self: row.id === self.id,
      is_alive: alive.has(row.id),
      seen_at: isoTime(row.seenAt),
      may_lead: row.mayLead,
      workers: row.workers,
    })),
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
