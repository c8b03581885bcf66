// Sockets and streams that stay open: how many there may be with one token. Who comes without a token
// shares the number with everyone else who does.

import type { FastifyReply } from 'fastify';
import { Refusal } from './refusal.ts';

const withoutToken = '';

export class Connections {
  private readonly most: number;
  private readonly open = new Map<string, number>();

  constructor(most: number) {
    this.most = most;
  }

  /** False: there are too many. Whoever was let in must `leave`. */
  enter(token: string | null): boolean {
    const key = token ?? withoutToken;
    const count = this.open.get(key) ?? 0;
    if (count >= this.most) return false;
    this.open.set(key, count + 1);
    return true;
  }

  leave(token: string | null): void {
    const key = token ?? withoutToken;
    const left = this.open.get(key)! - 1;
    if (left === 0) this.open.delete(key);
    else this.open.set(key, left);
  }

  /** For an answer that is a stream: counted until it ends. Throws a `Refusal`. */
  holdFor(reply: FastifyReply, token: string | null): void {
    if (!this.enter(token)) throw this.tooMany();
    reply.raw.once('close', () => this.leave(token));
  }

  tooMany(): Refusal {
    const detail = `There are ${this.most} open connections (limit connections_per_token); close some.`;
    return new Refusal('overloaded', detail);
  }
}
