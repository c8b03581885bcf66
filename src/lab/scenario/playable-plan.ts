// What a run can hold, and what would never end. Each number of a scenario may be fine and all together not.

import type { DevicePlan, JobPlan } from './plan.ts';
import type { DeviceClass } from './scenario.ts';
import { ScenarioFault } from './scenario-fault.ts';

const hourMs = 3_600_000;

/** In one run. A million tasks need about two GB. */
export const mostOfRun = {
  devices: 100_000,
  slots: 1_000_000,
  jobs: 100_000,
  tasks: 10_000_000,
} as const;

export function checkDevices(kinds: readonly Pick<DeviceClass, 'count' | 'slots'>[]): void {
  const room = new RunRoom();
  for (const { count, slots } of kinds) {
    room.take('devices', count);
    room.take('slots', count * slots);
  }
}

/** Counts what a run holds while it is drawn. */
export class RunRoom {
  readonly #taken = { devices: 0, slots: 0, jobs: 0, tasks: 0 };

  /** Throws `ScenarioFault` when it is too much. */
  take(what: keyof typeof mostOfRun, count: number): void {
    this.#taken[what] += count;
    if (this.#taken[what] <= mostOfRun[what]) return;
    throw new ScenarioFault(
      `All ${what} of the scenario together are more than the ${mostOfRun[what]} that a run can hold.`,
    );
  }
}

/** A job for which there is no device would wait until the time is over. */
export function checkRequirements(
  jobs: readonly JobPlan[],
  devices: readonly DevicePlan[],
  seed: number,
): void {
  const looked = new Set<string>();
  for (const { name, requirements } of jobs) {
    if (requirements === null) continue;
    const text = JSON.stringify(requirements);
    if (looked.has(text)) continue;
    looked.add(text);
    if (devices.some((device) => meets(device, requirements))) continue;
    throw new ScenarioFault(
      `No device meets the requirements of the job "${name}" (seed ${seed}), so it would never end.`,
    );
  }
}

/** `jobs`: by the time at which they come. */
export function checkTime([first]: readonly JobPlan[], mostMs: number): void {
  if (first === undefined || first.atMs < mostMs) return;
  throw new ScenarioFault(
    `The job "${first.name}" comes first, after ${first.atMs / hourMs} hours, when the time is over (most_hours).`,
  );
}

/** As far as it does not change while it runs: what `core/eligibility.ts` asks for. */
function meets(
  { type, platform, labels, ramMb, says, battery }: DevicePlan,
  asked: NonNullable<JobPlan['requirements']>,
): boolean {
  const { minRamMb = 0, minBatteryPercent = 0 } = asked;
  const tellsBattery = says.battery && battery !== null;
  return (
    (asked.type?.includes(type) ?? true) &&
    (asked.platform?.includes(platform) ?? true) &&
    Object.entries(asked.labels ?? {}).every(
      ([key, value]) => Object.hasOwn(labels, key) && labels[key] === value,
    ) &&
    (minRamMb === 0 || (says.memory && Math.round(ramMb) >= minRamMb)) &&
    // A PC that tells of no battery is taken to have none.
    (minBatteryPercent === 0 || tellsBattery || type === 'pc')
  );
}
