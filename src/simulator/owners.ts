// Whose the jobs are, in some worlds: the admin's, ann's and bob's in turn. They draw from a source of chance of
// their own, so that the other worlds go as they went before there were any.

import type { RunningCoordinator } from '../coordinator/coordinator.ts';
import type { CoordinatorPorts } from '../coordinator/port/coordinator.ts';
import { anybody, type Principal } from '../coordinator/port/principal.ts';
import { Prng } from './prng.ts';

const worldsWithOwners = 0.4;

export class Owners {
  readonly isThere: boolean;
  readonly prng: Prng;
  /** Those who see only what is their own. */
  readonly clients: readonly Principal[] = [client('ann'), client('bob')];

  constructor(seed: number) {
    this.prng = new Prng(seed * 17 + 3);
    this.isThere = this.prng.chance(worldsWithOwners);
  }

  /** Who makes the submission of this number. */
  submitter(number: number): Principal {
    const all = [anybody, ...this.clients];
    return this.isThere ? all[number % all.length]! : anybody;
  }

  /** The ports as they are for who has made the submission. */
  portsOf(coordinator: RunningCoordinator, number: number): CoordinatorPorts {
    return coordinator.for(this.submitter(number));
  }

  /** The same key for one submission of each owner: they do not notice one another. */
  sentKey(number: number): string {
    return `key ${this.isThere ? Math.floor(number / (1 + this.clients.length)) : number}`;
  }
}

function client(owner: string): Principal {
  return { role: 'client', tokenId: `of-${owner}`, owner, seesAll: false };
}
