// Those who are told of the ends of jobs, in some worlds. They draw from a source of chance of their own, so
// that the other worlds go as they went before there were any.

import type { Delivery, DeliveryOutcome } from '../coordinator/port/notifications.ts';
import type { Submission } from '../coordinator/port/jobs.ts';
import { Prng } from './prng.ts';

const worldsWithReceivers = 0.3;
const jobsThatTell = 0.5;

export interface Reception extends DeliveryOutcome {
  /** How long the attempt takes. */
  readonly afterMs: number;
}

export class Receivers {
  /** What each attempt was answered, by the name of its delivery. */
  readonly answered = new Map<string, DeliveryOutcome['outcome'][]>();
  readonly isThere: boolean;
  private readonly prng: Prng;
  private readonly isCalm: () => boolean;

  constructor(seed: number, isCalm: () => boolean) {
    this.prng = new Prng(seed * 31 + 7);
    this.isThere = this.prng.chance(worldsWithReceivers);
    this.isCalm = isCalm;
  }

  /** A submission as it is sent: some name one or two to be told. */
  readonly named = (submission: Submission): Submission => {
    const { prng } = this;
    if (!this.isThere || !prng.chance(jobsThatTell)) return submission;
    const target = (host: string) => ({
      url: `https://${host}/`,
      host,
      on: prng.pick([['completed', 'failed', 'cancelled'], ['completed'], ['failed']] as const),
      secret: null,
    });
    const first = target(prng.pick(['a.example', 'b.example']));
    return { ...submission, notify: prng.chance(0.3) ? [first, target('c.example')] : [first] };
  };

  /** They fail as the network does, refuse, or do not answer; when all is calm they take everything. */
  receive({ id }: Delivery): Reception {
    const { prng } = this;
    const outcome = this.isCalm() || prng.chance(0.5) ? 'delivered' : prng.pick(troubles);
    const afterMs = prng.chance(0.9) ? prng.spread(1, 100) : 10_000;
    this.answered.set(id, [...(this.answered.get(id) ?? []), outcome]);
    return { outcome, answer: outcome, afterMs };
  }
}

const troubles = ['failed', 'failed', 'failed', 'refused'] as const;
