// What somebody may do who has not shown a good token, counted by address and minute. Nobody is refused here
// who shows a good one: people share an address, and one of them with a wrong token must not shut out the
// others. Where nobody needs a token nothing is counted. Of each limit the 5000 addresses that came last are kept.

import rateLimit from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import type { Limits } from '../../protocol/limits.ts';
import type { App } from '../app.ts';
import type { Connections } from '../connections.ts';
import { quotaExceeded, type Refusal, StrangerRefusal } from '../refusal.ts';

export type StrangerLimit = 'strangerRequests' | 'wrongTokens' | 'logins' | 'registrations';

const minuteMs = 60_000;

interface Words {
  readonly name: string;
  readonly sentence: (most: number) => string;
}

const words: Readonly<Record<StrangerLimit, Words>> = {
  strangerRequests: {
    name: 'stranger_requests',
    sentence: (most) => `More than ${most} requests without a token in a minute`,
  },
  wrongTokens: {
    name: 'wrong_tokens',
    sentence: (most) => `More than ${most} tokens in a minute that are not good`,
  },
  logins: { name: 'logins', sentence: (most) => `More than ${most} logins in a minute` },
  registrations: {
    name: 'registrations',
    sentence: (most) => `More than ${most} registrations of workers in a minute`,
  },
};

/** What is refused; good tokens are served all the while. */
export function strangerRefusal(limit: StrangerLimit, most: number, seconds: number): Refusal {
  const { name, sentence } = words[limit];
  const retryAfterSeconds = Math.max(1, seconds);
  const detail =
    `${sentence(most)} came from this address (limit ${name}); ` +
    `try again in ${retryAfterSeconds} s${limit === 'registrations' ? '' : ', or with a good token'}.`;
  const exceeded = { quota: name, retryAfterSeconds };
  // Who registers has shown a good token.
  if (limit === 'registrations') return quotaExceeded(detail, exceeded);
  return new StrangerRefusal(detail, exceeded);
}

type Limiter = ReturnType<App['createRateLimit']>;

export class StrangerLimits {
  private readonly limits: Pick<Limits, StrangerLimit>;
  private readonly connections: Pick<Connections, 'accountOf'>;
  private readonly limiters = new Map<StrangerLimit, Limiter>();

  constructor(limits: Pick<Limits, StrangerLimit>, connections: Pick<Connections, 'accountOf'>) {
    this.limits = limits;
    this.connections = connections;
  }

  attach(app: App): void {
    void app.register(rateLimit, { global: false });
    app.after(() => {
      for (const limit of Object.keys(words) as StrangerLimit[]) {
        const limiter = app.createRateLimit({
          max: this.limits[limit],
          timeWindow: minuteMs,
          keyGenerator: (request) => this.connections.accountOf(request),
        });
        this.limiters.set(limit, limiter);
      }
    });
  }

  /** Throws a `Refusal` when the address has done that too often. */
  async count(limit: StrangerLimit, request: FastifyRequest): Promise<void> {
    const counted = await this.limiters.get(limit)!(request);
    if (counted.isAllowed || !counted.isExceeded) return;
    throw strangerRefusal(limit, counted.max, counted.ttlInSeconds);
  }
}
