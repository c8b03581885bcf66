// The network of a worker over plain HTTP: the request or its answer may be lost, and a request may
// come twice. What is answered goes to the checkers.

import type { RunningCoordinator } from '../coordinator/coordinator.ts';
import type { Result } from '../coordinator/port/rejection.ts';
import type { Registered } from '../coordinator/port/workers.ts';
import type { Bearer } from '../coordinator/port/tokens.ts';
import type { Caller, PullWorld } from './actors/pull-device.ts';
import type { Checkers } from './checkers/checkers.ts';
import type { GivenAttempt } from './checkers/checkpoint-checker.ts';
import type { Clock } from './clock.ts';
import type { Door } from './door.ts';
import type { Faults } from './faults.ts';
import type { Machine } from './machine.ts';
import type { Prng } from './prng.ts';

export interface HttpCallsOptions {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly faults: () => Faults;
  readonly host: Machine;
  readonly checkers: Checkers;
  readonly door: Door;
  /** Takes what a checker throws. */
  readonly guard: (check: () => void) => void;
}

export function createHttpCalls(options: HttpCallsOptions): PullWorld['call'] {
  const { clock, prng, faults, host, checkers, door, guard } = options;

  const delay = () => {
    const { delayMs } = faults();
    return prng.spread(delayMs[0], delayMs[1]);
  };

  return <T>(
    { workerId, shown }: Caller,
    ask: (coordinator: RunningCoordinator, bearer: Bearer | null) => Promise<Result<T>>,
    answered: (result: Result<T> | null) => void,
    patienceMs = 5000,
  ) => {
    let isOver = false;
    const end = (result: Result<T> | null) => {
      if (isOver) return;
      isOver = true;
      answered(result);
    };
    const once = () => {
      const { lostFrames } = faults();
      clock.after(delay(), () => {
        if (prng.chance(lostFrames)) return;
        const heard = () => {
          if (workerId !== null) checkers.workers.heard(workerId);
        };
        host.arrive(workerId);
        // Either may renew the lease: a claim waits long between the two.
        heard();
        const allowed = async (coordinator: RunningCoordinator): Promise<Result<T>> => {
          const checked = await door.check(coordinator, shown);
          if ('code' in checked) return { ok: false, rejection: checked };
          return ask(coordinator, checked);
        };
        host.ask(door.isGuarded ? allowed : (coordinator) => ask(coordinator, null)).then(
          (result) => {
            heard();
            guard(() => checkAnswer(checkers, result, shown));
            if (!prng.chance(lostFrames)) clock.after(delay(), () => end(result));
          },
          () => undefined,
        );
      });
    };
    once();
    if (prng.chance(faults().repeatedFrames)) once();
    clock.after(patienceMs, () => end(null));
  };
}

function checkAnswer(checkers: Checkers, result: Result<unknown>, shown: string | null): void {
  if (!result.ok) return;
  const { value } = result;
  if (Array.isArray(value)) checkers.claimed(value as GivenAttempt[]);
  checkers.admissions.registered(value as Partial<Registered>, shown);
  const { accepted } = value as { accepted?: Parameters<Checkers['acknowledged']>[0] };
  if (accepted !== undefined) checkers.acknowledged(accepted);
}
