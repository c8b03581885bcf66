// A run over time: how many slots of each class had work, and how many tasks were completed, in steps of equal
// length.

import type { Plan } from '../scenario/plan.ts';
import type { Played } from '../world/played.ts';

export interface Timeline {
  /** Length of a step. */
  readonly step_seconds: number;
  /** Completed tasks by step, from the first arrival on. */
  readonly completed: readonly number[];
  readonly classes: readonly ClassTimeline[];
}

export interface ClassTimeline {
  readonly class: string;
  readonly devices: number;
  readonly slots: number;
  readonly tasks_completed: number;
  /**
   * Mean of occupied slots by step: an attempt counts from its begin until the coordinator has heard of its end, so with
   * the transfer of its result, and when it was lost until that was found out.
   */
  readonly occupied_slots: readonly number[];
}

export function timelineOf(plan: Plan, played: Played, steps = 60): Timeline {
  const first = plan.jobs[0]!.atMs;
  const stepMs = Math.max(1, (played.endedAt - first) / steps);
  const completed = Array.from({ length: steps }, () => 0);
  const names = [...new Set(plan.devices.map((device) => device.class))];
  const classOf = plan.devices.map((device) => names.indexOf(device.class));
  const busyMs = names.map(() => new Float64Array(steps));
  const counts = names.map(() => 0);
  const stepAt = (at: number) =>
    Math.min(steps - 1, Math.max(0, Math.floor((at - first) / stepMs)));
  for (const { device, startedAt, endedAt, outcome } of played.attempts) {
    const place = classOf[device]!;
    if (outcome === 'completed') {
      completed[stepAt(endedAt)]!++;
      counts[place]!++;
    }
    if (startedAt === null) continue;
    const busy = busyMs[place]!;
    for (let step = stepAt(startedAt); step <= stepAt(endedAt); step++) {
      const from = Math.max(startedAt, first + step * stepMs);
      const to = Math.min(endedAt, first + (step + 1) * stepMs);
      busy[step]! += Math.max(0, to - from);
    }
  }
  return {
    step_seconds: stepMs / 1000,
    completed,
    classes: names.map((name, place) => {
      const devices = plan.devices.filter((device) => device.class === name);
      return {
        class: name,
        devices: devices.length,
        slots: devices.reduce((slots, device) => slots + device.slots, 0),
        tasks_completed: counts[place]!,
        occupied_slots: Array.from(busyMs[place]!, (ms) => ms / stepMs),
      };
    }),
  };
}
