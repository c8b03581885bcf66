// The edge of the coordinator, where tokens are asked for: who shows no good one gets no further. In worlds without
// links nobody is asked, and everybody is through at once.

import type { RunningCoordinator } from '../coordinator/coordinator.ts';
import type { Rejection } from '../coordinator/port/rejection.ts';
import type { Bearer } from '../coordinator/port/tokens.ts';
import type { AdmissionChecker } from './checkers/admission-checker.ts';
import type { Coverage } from './coverage.ts';
import type { Machine } from './machine.ts';

export interface DoorOptions {
  readonly isGuarded: boolean;
  readonly host: Machine;
  readonly admissions: AdmissionChecker;
  readonly count: Coverage['count'];
  /** Takes what a checker throws. */
  readonly guard: (check: () => void) => void;
}

export class Door {
  readonly isGuarded: boolean;
  private readonly options: DoorOptions;

  constructor(options: DoorOptions) {
    this.options = options;
    this.isGuarded = options.isGuarded;
  }

  /** For who opens a socket: `closed` when there is no answer. */
  knock(
    token: string | null,
    passed: (bearer: Bearer | null) => void,
    refused: (why: 'unauthorized' | 'closed') => void,
  ): void {
    if (!this.isGuarded) return passed(null);
    this.options.host
      .ask((coordinator) => this.check(coordinator, token))
      .then(
        (checked) => ('code' in checked ? refused('unauthorized') : passed(checked)),
        () => refused('closed'),
      );
  }

  /** For who calls over plain HTTP. */
  async check(
    coordinator: RunningCoordinator,
    token: string | null,
  ): Promise<Bearer | Rejection<'unauthorized'>> {
    const { admissions, count, guard } = this.options;
    const checked = token === null ? null : await coordinator.tokens.check(token);
    if (checked?.is === 'good') return checked.bearer;
    count('turned_away');
    if (token !== null) guard(() => admissions.turnedAway(token));
    return { code: 'unauthorized', detail: `The token is ${checked?.is ?? 'missing'}.` };
  }
}
