// Checks who is let in: by what the people have asked for, what was written and what the devices are told. A link
// registers as many as it may and nobody later; who needs a person gets nothing before; who was sent away stays
// away; and a name that was given stays.

import type { Registered } from '../../coordinator/port/workers.ts';
import type { State } from '../../core/state.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import type { TokenRow, WriteBatch } from '../../store/rows.ts';
import { BrokenPromise } from '../broken-promise.ts';
import { sha256 } from '../links.ts';

/** A link, as it was asked for. */
export interface MadeLink {
  readonly id: string;
  readonly needsApproval: boolean;
  /** Null: any number. */
  readonly uses: number | null;
}

interface KnownLink extends MadeLink {
  registered: number;
  /** Taking it back was acknowledged. */
  isRevoked: boolean;
}

/** Whoever has one token, under however many ids. */
interface Guest {
  /** The link by which it came; undefined: none that is known. */
  readonly linkId: string | null;
  /** `asked`: a person has said so, and was not answered. */
  entry: 'closed' | 'asked' | 'open';
  isGone: boolean;
  /** As a person has named it, and as it may be named beside that. */
  name: string | null;
  readonly askedNames: Set<string>;
}

/** What a worker is told when it comes. */
type Told = Partial<Pick<Registered, 'worker_id' | 'worker_token' | 'waiting_for_approval'>>;

export class AdmissionChecker {
  private readonly disk: MemoryDisk;
  private readonly onReturn: () => void;
  private readonly links = new Map<string, KnownLink>();
  /** By the hash of their token. */
  private readonly guests = new Map<string, Guest>();
  /** Workers that were ever written. */
  private readonly seen = new Set<string>();

  /** `onReturn`: somebody has registered anew, with the token that it had. */
  constructor(disk: MemoryDisk, onReturn: () => void) {
    this.disk = disk;
    this.onReturn = onReturn;
  }

  made(link: MadeLink): void {
    this.links.set(link.id, { ...link, registered: 0, isRevoked: false });
  }

  revoked(linkId: string): void {
    this.links.get(linkId)!.isRevoked = true;
  }

  /** A person lets it in; returns what to call with the answer. */
  approve(workerId: string): (isDone: boolean) => void {
    const guest = this.guestOf(workerId);
    if (guest === undefined) return () => undefined;
    if (guest.entry === 'closed') guest.entry = 'asked';
    return (isDone) => {
      if (isDone) guest.entry = 'open';
      else if (guest.entry === 'asked') guest.entry = 'closed';
    };
  }

  /** A person names it; null when the answer to an earlier name has not come. */
  rename(workerId: string, name: string): ((isDone: boolean) => void) | null {
    const guest = this.guestOf(workerId);
    if (guest === undefined || guest.askedNames.size > 0) return null;
    guest.askedNames.add(name);
    return (isDone) => {
      guest.askedNames.clear();
      if (isDone) guest.name = name;
    };
  }

  /** Called when a batch was written. */
  written({ tokens, workers, revokedTokens }: WriteBatch): void {
    const used = new Set<KnownLink>();
    for (const row of tokens) if (row.kind === 'worker') this.writtenToken(row, used);
    for (const link of used) this.compareUses(link);
    for (const { id, tokenHash, deregisteredAt, mayReturn } of workers) {
      const guest = this.guests.get(tokenHash);
      if (guest === undefined) continue;
      if (!this.seen.has(id) && guest.isGone) {
        throw new BrokenPromise(`Worker ${id} has the token of one that was sent away.`);
      }
      this.seen.add(id);
      // Nobody has let it in, and it was away for long.
      const isOut = deregisteredAt !== null && (!mayReturn || guest.entry === 'closed');
      if (isOut) guest.isGone = true;
    }
    for (const hash of revokedTokens) {
      const guest = this.guests.get(hash);
      if (guest !== undefined) guest.isGone = true;
    }
  }

  /** Called with committed events, in order. */
  observe(event: ToldEvent): void {
    if (event.type !== 'task_assigned') return;
    const { id } = event.worker;
    if (this.guestOf(id)?.entry !== 'closed') return;
    throw new BrokenPromise(`Worker ${id} is given a task, and nobody has let it in.`);
  }

  /** It is told its token, if it is: in answer to the one that it has shown. */
  registered(told: Told, shown: string | null): void {
    const { worker_id: workerId, worker_token: own, waiting_for_approval: isWaiting } = told;
    if (own === undefined || shown === null) return;
    const guest = this.guests.get(sha256(own));
    if (guest === undefined) throw new BrokenPromise(`The token of ${workerId} is not stored.`);
    const link = guest.linkId === null ? undefined : this.links.get(guest.linkId);
    const hasShown = this.disk.tokens.get(link?.id ?? '')?.hash === sha256(shown);
    if (own === shown) this.onReturn();
    else if (!hasShown) {
      throw new BrokenPromise(`Worker ${workerId} came by another link than ${guest.linkId}.`);
    }
    if (guest.entry === 'closed' && isWaiting !== true) {
      throw new BrokenPromise(`Worker ${workerId} is welcome, and nobody has let it in.`);
    }
  }

  /** Somebody has shown this token, and was refused. */
  turnedAway(token: string): void {
    const guest = this.guests.get(sha256(token));
    if (guest === undefined || guest.entry !== 'open' || guest.isGone) return;
    throw new BrokenPromise('A worker that was let in is turned away.');
  }

  /** A batch is over. */
  check(state: State): void {
    for (const { id, tokenHash, name, waitsUntil } of state.workers.values()) {
      const guest = this.guests.get(tokenHash);
      if (guest === undefined) continue;
      if (guest.isGone) throw new BrokenPromise(`Worker ${id} was sent away and is there.`);
      if (guest.entry === 'closed' && waitsUntil === null) {
        throw new BrokenPromise(`Worker ${id} is in, and nobody has let it in.`);
      }
      if (guest.entry === 'open' && waitsUntil !== null) {
        throw new BrokenPromise(`Worker ${id} waits, and was let in.`);
      }
      const isNamed = guest.name === null || name === guest.name;
      if (isNamed || guest.askedNames.has(name ?? '')) continue;
      throw new BrokenPromise(`Worker ${id} was named ${guest.name} and is ${name}.`);
    }
  }

  private guestOf(workerId: string): Guest | undefined {
    return this.guests.get(this.disk.workers.get(workerId)?.tokenHash ?? '');
  }

  /** The token of a worker: for the first time with its registration, later when something of it is kept. */
  private writtenToken(
    { hash, joinedBy, createdAt, revokedAt }: TokenRow,
    used: Set<KnownLink>,
  ): void {
    const known = this.guests.get(hash);
    if (known !== undefined) {
      // That of a worker that was cleared away is written anew when it is sent away.
      known.isGone ||= revokedAt !== null;
      return;
    }
    const link = joinedBy === null ? undefined : this.links.get(joinedBy);
    this.guests.set(hash, {
      linkId: link?.id ?? null,
      entry: link?.needsApproval === true ? 'closed' : 'open',
      isGone: false,
      name: null,
      askedNames: new Set(),
    });
    if (link === undefined) return;
    link.registered++;
    used.add(link);
    const { expiresAt } = this.disk.tokens.get(link.id)!;
    if (link.isRevoked) throw new BrokenPromise(`The link ${link.id} registers after its end.`);
    if (expiresAt !== null && createdAt >= expiresAt) {
      throw new BrokenPromise(`The link ${link.id} registers after its time.`);
    }
  }

  private compareUses(link: KnownLink): void {
    const { usesLeft } = this.disk.tokens.get(link.id)!;
    const left = link.uses === null ? null : link.uses - link.registered;
    if (left === usesLeft && (left ?? 0) >= 0) return;
    throw new BrokenPromise(
      `The link ${link.id} for ${link.uses} has registered ${link.registered}, stored is ${usesLeft} left.`,
    );
  }
}
