// Limits how many sockets and streams may stay open on one account. A worker has an account of its own
// once its token was checked. All others are counted by address, whatever token a request names.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { Callers } from './callers.ts';
import { ClientGone, Refusal } from './refusal.ts';

/** Held by one open socket or stream, which must `leave` once. */
export interface Seat {
  /** Moves to another account; false, and nothing changes, when that one is full. */
  move(account: string): boolean;
  leave(): void;
}

export class Connections {
  private readonly most: number;
  private readonly callers: Callers;
  private readonly open = new Map<string, number>();

  constructor(most: number, callers = new Callers()) {
    this.most = most;
    this.callers = callers;
  }

  /** Null when the account is full. */
  enter(account: string): Seat | null {
    if (!this.add(account)) return null;
    let current = account;
    return {
      move: (next) => {
        if (!this.add(next)) return false;
        this.remove(current);
        current = next;
        return true;
      },
      leave: () => this.remove(current),
    };
  }

  /** The account of whoever has not shown a token. */
  accountOf({ raw }: FastifyRequest): string {
    return addressAccount(this.callers.of(raw).address);
  }

  /** Counts an answer that is a stream until it ends. Throws a `Refusal`, or `ClientGone`. */
  holdFor(request: FastifyRequest, reply: FastifyReply): void {
    // A client that has left already would never emit `close`.
    if (reply.raw.destroyed) throw new ClientGone();
    const seat = this.enter(this.accountOf(request));
    if (seat === null) throw this.tooMany();
    reply.raw.once('close', () => seat.leave());
  }

  private add(account: string): boolean {
    const count = this.open.get(account) ?? 0;
    if (count >= this.most) return false;
    this.open.set(account, count + 1);
    return true;
  }

  private remove(account: string): void {
    const left = this.open.get(account)! - 1;
    if (left === 0) this.open.delete(account);
    else this.open.set(account, left);
  }

  tooMany(): Refusal {
    const detail = `There are ${this.most} open connections (limit connections_per_token); close some.`;
    return new Refusal('overloaded', detail);
  }
}

export function workerAccount(workerId: string): string {
  return `worker ${workerId}`;
}

/** All addresses of loopback are one account, and so is a /64 of IPv6, which one owner has as a whole. */
export function addressAccount(address = ''): string {
  const bare = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (bare === '::1' || bare.startsWith('127.')) return 'address loopback';
  return bare.includes(':') ? `address ${networkOf(bare)}/64` : `address ${bare}`;
}

/** The first four groups of an IPv6 address. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [
    ...first,
    ...Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0'),
    ...last,
  ];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
