// How a worker rests: it is online and takes nothing, because its owner or its device says so. What has not begun is
// given back. What runs goes on and stays its own, or stops and is given back with its newest checkpoint.

import type { Link } from './link.ts';
import type { Outgoing } from './outgoing.ts';
import type { RestOrder } from './port.ts';
import { isSameRest, type Standing } from './standing.ts';
import type { Workload } from './workload.ts';

export class Resting {
  readonly #standing: Standing;
  readonly #out: Outgoing;
  readonly #workload: Workload;
  readonly #link: Link;

  constructor(standing: Standing, out: Outgoing, workload: Workload, link: Link) {
    this.#standing = standing;
    this.#out = out;
    this.#workload = workload;
    this.#link = link;
  }

  change(rest: RestOrder | null, nowMs: number): void {
    const standing = this.#standing;
    if (isSameRest(standing.rest, rest)) return;
    standing.rest = rest;
    this.#link.sayAtOnce(nowMs);
    this.#workload.setAccepting(standing.isAccepting);
    if (rest === null) this.#out.log('info', 'rest_over', 'The rest is over.');
    else this.#begin(rest);
  }

  #begin({ because, keeps }: RestOrder): void {
    if (keeps) this.#workload.orderCheckpoints();
    else this.#workload.stopAll('release');
    const running = keeps ? 'What runs goes on.' : 'What runs is given back.';
    this.#out.log('info', 'resting', `Resting (${because}): nothing new is taken. ${running}`);
  }
}
