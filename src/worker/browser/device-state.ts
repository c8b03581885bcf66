// How the device is, as its page is shown it: put together out of those who know.

import type { DeviceLife } from './device-life.ts';
import { phaseOf } from './device-states.ts';
import type { DoneTally } from './done-tally.ts';
import type { OwnerWishes } from './owner-wishes.ts';
import type { DevicePhase, DeviceState } from './page-messages.ts';

export interface StateSources {
  readonly life: DeviceLife | null;
  readonly wishes: OwnerWishes;
  readonly tally: DoneTally;
  /** What is known while there is no life. */
  readonly coordinatorName: string | null;
  readonly kept: number;
  readonly notice: string | null;
  readonly withheld: DeviceState['withheld'];
  readonly nowMs: number;
  readonly epochMs: number;
}

export function phaseNow({ life, wishes }: Pick<StateSources, 'life' | 'wishes'>): DevicePhase {
  return phaseOf({
    isLeaving: life?.isLeaving ?? false,
    isResting: wishes.rest !== null,
    isConnected: life?.isConnected ?? false,
    hasBeenConnected: life?.hasBeenConnected ?? false,
    isWaiting: life?.isWaiting ?? false,
    running: life?.views.size ?? 0,
  });
}

/** Invariant: the owner has said by which rules. */
export function stateNow(sources: StateSources): DeviceState {
  const { life, wishes, tally, notice, withheld, nowMs, epochMs } = sources;
  return {
    phase: phaseNow(sources),
    coordinatorName: life?.coordinatorName ?? sources.coordinatorName,
    workerId: life?.workerId ?? null,
    isDrained: life?.isDrained ?? false,
    rest: wishes.shown(life?.views, epochMs),
    tasks: life?.views.list(nowMs) ?? [],
    today: { ...tally.today(epochMs) },
    session: { ...tally.session },
    recent: [...tally.recent],
    doneEver: tally.doneEver,
    lastRequest: life?.lastRequest() ?? null,
    kept: life?.kept ?? sources.kept,
    notice,
    signs: wishes.signs,
    cpuLoadPercent: life?.telemetry.load.percent ?? null,
    rules: wishes.rules!,
    ignoresBatteryUntilMs: wishes.ignoresBatteryUntil(epochMs),
    withheld,
  };
}
