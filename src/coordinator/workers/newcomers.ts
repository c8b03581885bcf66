// Workers that have registered and not ended a task yet. Anybody may add one, so the memory that all of
// them take is bounded. A worker that has completed or failed a task no longer counts.

import type { State } from '../../core/state.ts';
import type { WorkerDescription } from '../../core/commands.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { Bearer } from '../port/tokens.ts';
import type { Rejection } from '../port/rejection.ts';
import { hasWorked } from './identity.ts';

/** Bytes of a worker beside what it tells of itself. */
const recordBytes = 1024;
/** A count walks over all workers, so it is made this often; newcomers in between are added to it. */
const countAgainMs = 1_000;
/** Workers that wait for a person: as many as one can look through. */
const mostWaiting = 100;
const mostWaitingPerToken = 20;

export class Newcomers {
  private readonly state: State;
  private readonly limits: Limits;
  private bytes = 0;
  private countedAt = -Infinity;
  /** Bytes by labels object, which an unchanged worker keeps; its other fields are short. */
  private readonly labelBytes = new WeakMap<object, number>();

  constructor(state: State, limits: Limits) {
    this.state = state;
    this.limits = limits;
  }

  /** Null when it may register: from then on it is counted. */
  refusal(
    newcomer: WorkerDescription,
    at: number,
    bearer: Bearer | null = null,
  ): Rejection<'overloaded'> | null {
    const { workers, newcomerBytes } = this.limits;
    if (this.state.workers.size >= workers) {
      const detail = `No more than ${workers} may be registered (limit workers); deregister some first.`;
      return { code: 'overloaded', detail };
    }
    const crowd = bearer?.needsApproval === true ? this.crowd(bearer) : null;
    if (crowd !== null) return { code: 'overloaded', detail: crowd };
    if (at - this.countedAt >= countAgainMs || at < this.countedAt) this.count(at);
    const bytes = this.bytesOf(newcomer);
    if (this.bytes + bytes > newcomerBytes) {
      const detail =
        `Workers that have not done anything yet take ${newcomerBytes} bytes ` +
        '(limit newcomer_bytes); try again when they have, or deregister some.';
      return { code: 'overloaded', detail };
    }
    this.bytes += bytes;
    return null;
  }

  /** Too many wait for a person already, of all or of those with the same link; null when there is room. */
  private crowd({ principal }: Bearer): string | null {
    let all = 0;
    let same = 0;
    for (const { waitsUntil, joined } of this.state.workers.values()) {
      if (waitsUntil === null) continue;
      all += 1;
      if (joined?.tokenId === principal.tokenId) same += 1;
    }
    if (all < mostWaiting && same < mostWaitingPerToken) return null;
    return (
      `Too many devices wait to be let in (${mostWaitingPerToken} with one link, ${mostWaiting} in all): ` +
      'somebody must answer first (muster approve, muster refuse).'
    );
  }

  private count(at: number): void {
    this.countedAt = at;
    this.bytes = 0;
    for (const worker of this.state.workers.values()) {
      if (!hasWorked(worker)) this.bytes += this.bytesOf(worker);
    }
  }

  private bytesOf(description: WorkerDescription): number {
    const { name, type, platform, isolation, version, kinds, runtimes, labels } = description;
    let labelBytes = this.labelBytes.get(labels);
    if (labelBytes === undefined) {
      labelBytes = JSON.stringify(labels).length;
      this.labelBytes.set(labels, labelBytes);
    }
    const words = [name, type, platform, isolation, version].join('').length;
    const ofRuntimes = Object.entries(runtimes ?? {}).flat();
    const kindBytes = [...kinds, ...ofRuntimes].reduce((sum, kind) => sum + kind.length, 0);
    return recordBytes + words + kindBytes + labelBytes;
  }
}

/** Those that came by this token, and wait for a person to let them in. */
export function waitingByToken({ workers }: State, tokenId: string): readonly string[] {
  return [...workers.values()]
    .filter(({ waitsUntil, joined }) => waitsUntil !== null && joined?.tokenId === tokenId)
    .map(({ id }) => id);
}
