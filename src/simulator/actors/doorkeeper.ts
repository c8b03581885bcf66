// Who decides which devices take part, in worlds where devices come by links: hands links to those that have none,
// takes links back, lets in or refuses who waits, and names workers. At any moment, also when the coordinator is about
// to die.

import type { RunningCoordinator } from '../../coordinator/coordinator.ts';
import type { Result } from '../../coordinator/port/rejection.ts';
import type { TokenAsked } from '../../coordinator/port/tokens.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import type { WorkerRow } from '../../store/rows.ts';
import type { AdmissionChecker } from '../checkers/admission-checker.ts';
import type { Coverage } from '../coverage.ts';
import { isDiskFault } from '../disk-fault.ts';
import type { Links } from '../links.ts';

/** A device, to whoever hands links out. */
export interface Guest {
  readonly name: string;
  /** It has nothing to show, or was refused with what it has. */
  readonly isOut: boolean;
  takeLink(link: string): void;
}

export interface DoorkeeperOptions {
  readonly links: Links;
  readonly disk: MemoryDisk;
  readonly guests: readonly Guest[];
  readonly admissions: AdmissionChecker;
  readonly count: Coverage['count'];
  readonly onBug: (error: Error) => void;
  readonly log: (line: string) => void;
}

/** Good for everybody, at once. */
const openLink: TokenAsked = { kind: 'join' };

export class Doorkeeper {
  private readonly options: DoorkeeperOptions;
  /** Ids of links that were made. */
  private readonly made: string[] = [];
  private names = 0;

  constructor(options: DoorkeeperOptions) {
    this.options = options;
  }

  act(coordinator: RunningCoordinator): void {
    const { links, guests } = this.options;
    const { prng } = links;
    const out = guests.filter(({ isOut }) => isOut);
    if (out.length > 0 && prng.chance(0.6)) {
      return this.hand(coordinator, prng.pick(out), links.draw());
    }
    const waiting = this.workers().filter(({ waitsUntil }) => waitsUntil !== null);
    switch (prng.pick(['approve', 'approve', 'refuse', 'rename', 'rename', 'revoke'] as const)) {
      case 'approve':
        return this.approve(coordinator, prng.pick(waiting)?.id);
      case 'refuse':
        // Now and then one that is in: it stays.
        return this.refuse(coordinator, prng.pick(prng.chance(0.8) ? waiting : this.workers())?.id);
      case 'rename':
        return this.rename(coordinator, prng.pick(this.workers())?.id);
      case 'revoke':
        return this.revoke(coordinator, prng.pick(this.made.slice(-5)));
    }
  }

  /** Everybody comes in. */
  welcomeAll(coordinator: RunningCoordinator): void {
    for (const guest of this.options.guests) {
      if (guest.isOut) this.hand(coordinator, guest, openLink);
    }
    for (const { id, waitsUntil } of this.workers()) {
      if (waitsUntil !== null) this.approve(coordinator, id);
    }
  }

  /** A link for one guest, which others may use too if they are handed it. */
  hand(coordinator: RunningCoordinator, guest: Guest, asked: TokenAsked): void {
    const { admissions, log } = this.options;
    this.ask(coordinator.tokens.create(asked), (made) => {
      if (!made.ok) return;
      const { token, resource } = made.value;
      const { needsApproval = false, uses = null } = asked;
      admissions.made({ id: resource.id, needsApproval, uses });
      this.made.push(resource.id);
      log(`doorkeeper: link ${resource.id} for ${guest.name}${needsApproval ? ', who waits' : ''}`);
      guest.takeLink(token);
      this.share(token);
    });
  }

  /** Links are passed on. */
  private share(link: string): void {
    const { links, guests } = this.options;
    const others = guests.filter(({ isOut }) => isOut);
    if (others.length > 0 && links.prng.chance(0.3)) links.prng.pick(others).takeLink(link);
  }

  private approve(coordinator: RunningCoordinator, id: string | undefined): void {
    const { admissions, count, log } = this.options;
    if (id === undefined) return;
    const answered = admissions.approve(id);
    this.ask(coordinator.workers.approve(id), ({ ok }) => {
      answered(ok);
      if (!ok) return;
      count('let_in');
      log(`doorkeeper: let in ${id}`);
    });
  }

  private refuse(coordinator: RunningCoordinator, id: string | undefined): void {
    const { count, log } = this.options;
    if (id === undefined) return;
    this.ask(coordinator.workers.refuse(id), ({ ok }) => {
      if (!ok) return;
      count('not_let_in');
      log(`doorkeeper: refused ${id}`);
    });
  }

  private rename(coordinator: RunningCoordinator, id: string | undefined): void {
    const { admissions, count, log } = this.options;
    if (id === undefined) return;
    const name = `name ${++this.names}`;
    const answered = admissions.rename(id, name);
    if (answered === null) return;
    this.ask(coordinator.workers.rename(id, name), ({ ok }) => {
      answered(ok);
      if (!ok) return;
      count('renamed');
      log(`doorkeeper: ${id} is ${name}`);
    });
  }

  private revoke(coordinator: RunningCoordinator, id: string | undefined): void {
    const { admissions, count, log } = this.options;
    if (id === undefined) return;
    this.ask(coordinator.tokens.revoke(id), ({ ok }) => {
      if (!ok) return;
      admissions.revoked(id);
      count('links_revoked');
      log(`doorkeeper: took back ${id}`);
    });
  }

  /** Those that are there, as they are stored. */
  private workers(): readonly WorkerRow[] {
    const { disk } = this.options;
    return [...disk.workers.values()].filter(
      ({ generation, deregisteredAt }) => generation === disk.generation && deregisteredAt === null,
    );
  }

  /** If the coordinator dies first there is no answer, and nothing was promised. */
  private ask<T>(answer: Promise<Result<T>>, answered: (result: Result<T>) => void): void {
    answer.then(answered).catch((error: unknown) => {
      if (!isDiskFault(error)) this.options.onBug(error as Error);
    });
  }
}
