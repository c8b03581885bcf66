// What is open at this moment in the name of a token: requests, streams, long polls, sockets. When the token
// is revoked or expires, all of it ends at once; so does what a session of a browser has opened, when it logs out or
// its time is over. The same for what was opened while nobody needed a token,
// when they are needed from now on.

import type { Bearer } from '../../coordinator/port/tokens.ts';

/** Longer timers overflow in Node. */
const longestTimerMs = 2 ** 31 - 1;

interface Holder {
  /** Null for a session. */
  readonly bearer: Bearer | null;
  readonly ends: Set<() => void>;
  timer: NodeJS.Timeout | undefined;
}

export class LiveHolders {
  private readonly holders = new Map<string, Holder>();
  private readonly nameless = new Set<() => void>();
  private readonly tokenNow: () => number;

  /** `tokenNow`: milliseconds since the epoch by the clock by which tokens expire. Sessions end by that of this machine. */
  constructor(tokenNow: () => number = Date.now) {
    this.tokenNow = tokenNow;
  }

  /** `end` is called at most once. Returns what must be called when it has ended by itself. */
  hold(bearer: Bearer | null, end: () => void): () => void {
    if (bearer === null) {
      this.nameless.add(end);
      return () => this.nameless.delete(end);
    }
    return this.holdFor(bearer.principal.tokenId, bearer.expiresAt, end, bearer);
  }

  /** The same for a session of a browser, which ends when it logs out, and before its token does. */
  holdForSession(session: string, until: number, end: () => void): () => void {
    return this.holdFor(sessionKey(session), until, end);
  }

  endOfSession(session: string): void {
    this.endOf(sessionKey(session));
  }

  /** In whose name anything is open, one for each token. */
  bearers(): readonly Bearer[] {
    return [...this.holders.values()].flatMap(({ bearer }) => bearer ?? []);
  }

  endOf(key: string): void {
    const holder = this.holders.get(key);
    if (holder === undefined) return;
    this.forget(key, holder);
    for (const end of holder.ends) end();
  }

  endNameless(): void {
    const ends = [...this.nameless];
    this.nameless.clear();
    for (const end of ends) end();
  }

  close(): void {
    for (const { timer } of this.holders.values()) clearTimeout(timer);
  }

  private holdFor(
    key: string,
    expiresAt: number | null,
    end: () => void,
    bearer: Bearer | null = null,
  ): () => void {
    const holder = this.holders.get(key) ?? { bearer, ends: new Set(), timer: undefined };
    this.holders.set(key, holder);
    holder.ends.add(end);
    if (expiresAt !== null) this.arm(key, holder, expiresAt);
    return () => {
      holder.ends.delete(end);
      if (holder.ends.size === 0) this.forget(key, holder);
    };
  }

  private forget(key: string, holder: Holder): void {
    clearTimeout(holder.timer);
    if (this.holders.get(key) === holder) this.holders.delete(key);
  }

  private arm(key: string, holder: Holder, expiresAt: number): void {
    if (holder.timer !== undefined) return;
    const now = holder.bearer === null ? Date.now : this.tokenNow;
    const leftMs = expiresAt - now();
    holder.timer = setTimeout(
      () => {
        holder.timer = undefined;
        if (now() >= expiresAt) this.endOf(key);
        else this.arm(key, holder, expiresAt);
      },
      Math.min(longestTimerMs, Math.max(0, leftMs)),
    );
    holder.timer.unref();
  }
}

/** No id of a token has a space. */
function sessionKey(session: string): string {
  return `session ${session}`;
}
