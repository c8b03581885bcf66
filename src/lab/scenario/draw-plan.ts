// Draws a plan from a scenario. Nothing of it depends on the algorithm: with the same seed all of them meet the
// same devices and the same work.

import { draw, type Drawn } from '../chance/draw.ts';
import { type Stream, streamOf } from '../chance/stream.ts';
import type { BatteryPlan, DevicePlan, JobPlan, LoadSpan, Plan, PresenceSpan } from './plan.ts';
import { checkDevices, checkRequirements, checkTime, RunRoom } from './playable-plan.ts';
import type { DeviceClass, JobKind, Load, Scenario } from './scenario.ts';

const hourMs = 3_600_000;
/** As in a submission. */
const largestPriority = 1000;

export function drawPlan(scenario: Scenario, seed: number): Plan {
  const settleMs = scenario.settle_seconds * 1000;
  checkDevices(scenario.devices);
  const devices = scenario.devices.flatMap((kind) => drawDevices(kind, seed));
  const room = new RunRoom();
  const jobs = scenario.jobs
    .flatMap((kind) => drawJobs(kind, seed, { settleMs, room }))
    .sort((a, b) => a.atMs - b.atMs);
  checkRequirements(jobs, devices, seed);
  checkTime(jobs, scenario.most_hours * hourMs);
  return {
    devices,
    jobs,
    scheduler: { weights: scenario.weights, weighting: scenario.weighting },
    heartbeatMs: scenario.heartbeat_seconds * 1000,
    commitMs: scenario.commit_ms,
    mostMs: scenario.most_hours * hourMs,
  };
}

function drawDevices(kind: DeviceClass, seed: number): DevicePlan[] {
  return Array.from({ length: kind.count }, (_, i) => drawDevice(kind, i + 1, seed));
}

function drawDevice(kind: DeviceClass, number: number, seed: number): DevicePlan {
  const name = kind.count === 1 ? kind.class : `${kind.class}-${number}`;
  const stream = (what: string) => streamOf(seed, 'device', kind.class, number, what);
  const drawn = (what: string, amount: Drawn) => draw(amount, stream(what));
  const { battery, presence, load } = kind;
  const unsaid = new Set<string>(kind.does_not_say);
  return {
    name,
    class: kind.class,
    type: kind.type,
    platform: kind.platform,
    slots: kind.slots,
    cores: kind.cores ?? kind.slots,
    speed: Math.max(slowest, drawn('speed', kind.speed)),
    ramMb: drawn('ram', kind.ram_mb),
    roundTripMs: drawn('latency', kind.latency_ms),
    bandwidthMbps:
      kind.bandwidth_mbps === undefined
        ? null
        : Math.max(slowest, drawn('bandwidth', kind.bandwidth_mbps)),
    labels: kind.labels,
    says: {
      cpu: !unsaid.has('cpu'),
      memory: !unsaid.has('memory'),
      battery: !unsaid.has('battery'),
      bandwidth: !unsaid.has('bandwidth'),
    },
    battery: battery === undefined ? null : batteryOf(battery, stream('battery')),
    power: { idleWatts: kind.idle_watts, busyWatts: kind.busy_watts },
    startMs: drawn('start', kind.start_ms),
    fails: kind.fails,
    joinsAtMs: drawn('joins', kind.joins_after_seconds) * 1000,
    load: () => loadSpans(load, stream('load')),
    presence: () =>
      presence === undefined ? alwaysHere() : presenceSpans(presence, stream('presence')),
  };
}

/** What is drawn as 0 would never end. */
const slowest = 1e-6;

function batteryOf(battery: NonNullable<DeviceClass['battery']>, stream: Stream): BatteryPlan {
  return {
    levelPercent: Math.min(100, draw(battery.level_percent, stream)),
    isCharging: battery.charging,
    idlePercentPerHour: battery.idle_percent_per_hour,
    busyPercentPerHour: battery.busy_percent_per_hour,
    chargePercentPerHour: battery.charge_percent_per_hour,
    restsBelowPercent: battery.rests_below_percent ?? null,
  };
}

function* loadSpans(load: Load, stream: Stream): Generator<LoadSpan, undefined> {
  if (typeof load === 'number') {
    yield { percent: load, forMs: Infinity };
  } else if ('steps' in load) {
    yield* stepSpans(load.steps, load.repeat_seconds);
  } else {
    const { every_seconds, for_seconds, percent } = load.episodes;
    for (;;) {
      yield { percent: load.otherwise_percent, forMs: spanMs(draw(every_seconds, stream)) };
      const forMs = spanMs(draw(for_seconds, stream));
      yield { percent: Math.min(100, draw(percent, stream)), forMs };
    }
  }
  return undefined;
}

/** Nothing is asked for before the first step; the last lasts until all are repeated, or for ever. */
function* stepSpans(
  steps: readonly { readonly at_seconds: number; readonly percent: number }[],
  repeatSeconds: number | undefined,
): Generator<LoadSpan, undefined> {
  const sorted = [...steps].sort((x, y) => x.at_seconds - y.at_seconds);
  const end = repeatSeconds ?? Infinity;
  for (;;) {
    let from = 0;
    let percent = 0;
    for (const step of sorted) {
      if (step.at_seconds >= end) break;
      if (step.at_seconds > from) yield { percent, forMs: (step.at_seconds - from) * 1000 };
      from = step.at_seconds;
      ({ percent } = step);
    }
    yield { percent, forMs: (end - from) * 1000 };
    if (end === Infinity) return undefined;
  }
}

function* presenceSpans(
  presence: NonNullable<DeviceClass['presence']>,
  stream: Stream,
): Generator<PresenceSpan, undefined> {
  const { here_seconds, away_seconds, goes } = presence;
  if (presence.first === 'away') {
    yield { isHere: false, forMs: spanMs(draw(away_seconds, stream)), goes };
  }
  for (;;) {
    yield { isHere: true, forMs: spanMs(draw(here_seconds, stream)), goes };
    yield { isHere: false, forMs: spanMs(draw(away_seconds, stream)), goes };
  }
}

function* alwaysHere(): Generator<PresenceSpan, undefined> {
  yield { isHere: true, forMs: Infinity, goes: 'cut' };
  return undefined;
}

/** No span is shorter: time goes on. */
function spanMs(seconds: number): number {
  return Math.max(10, seconds * 1000);
}

function drawJobs(
  kind: JobKind,
  seed: number,
  { settleMs, room }: { readonly settleMs: number; readonly room: RunRoom },
): JobPlan[] {
  const stream = (what: string) => streamOf(seed, 'job', kind.job, what);
  const tasks = stream('tasks');
  const arrivals = arrivalsOf(kind.arrivals, stream('arrivals'));
  room.take('jobs', arrivals.length);
  return arrivals.map((atMs, i) => {
    const length = Math.max(1, Math.round(draw(kind.tasks, tasks)));
    room.take('tasks', length);
    const ofJob = (what: string) => streamOf(seed, 'job', kind.job, i, what);
    const each = (what: string, amount: Drawn, unit: number) => {
      if (typeof amount === 'number') return amount * unit;
      const from = ofJob(what);
      return Float64Array.from({ length }, () => draw(amount, from) * unit);
    };
    const work = each('work', kind.work_seconds, 1);
    const { task_priorities, checkpoint_every_seconds: every } = kind;
    const priorities = ofJob('priorities');
    return {
      name: arrivals.length === 1 ? kind.job : `${kind.job}-${i + 1}`,
      // The coordinator counts whole milliseconds: a job must not come after what it says of it.
      atMs: Math.round(settleMs + atMs),
      workSeconds: typeof work === 'number' ? new Float64Array(length).fill(work) : work,
      cpuShares: 1,
      inputBytes: each('inputs', kind.input_kb, 1000),
      resultBytes: each('results', kind.result_kb, 1000),
      checkpoints:
        every === undefined
          ? null
          : { everyMs: every * 1000, bytes: draw(kind.checkpoint_kb, ofJob('checkpoint')) * 1000 },
      priority: kind.priority,
      taskPriorities:
        task_priorities === undefined
          ? null
          : Int16Array.from({ length }, () => taskPriority(draw(task_priorities, priorities))),
      speculation: kind.speculation,
      maxAttempts: kind.max_attempts,
      maxLostAttempts: kind.max_lost_attempts,
      requirements: requirementsOf(kind.requirements),
    };
  });
}

function taskPriority(drawn: number): number {
  return Math.min(largestPriority, Math.round(drawn));
}

function arrivalsOf(arrivals: JobKind['arrivals'], stream: Stream): number[] {
  if ('at_seconds' in arrivals) return arrivals.at_seconds.map((seconds) => seconds * 1000);
  if ('every_seconds' in arrivals) {
    return Array.from({ length: arrivals.count }, (_, i) => i * arrivals.every_seconds * 1000);
  }
  const meanMs = hourMs / arrivals.poisson_per_hour;
  let at = 0;
  return Array.from({ length: arrivals.count }, () => {
    at += draw({ exponential: { mean: meanMs } }, stream);
    return at;
  });
}

function requirementsOf(asked: JobKind['requirements']): JobPlan['requirements'] {
  if (asked === undefined) return null;
  const { type, labels, min_ram_mb: minRamMb, min_battery_percent: minBatteryPercent } = asked;
  return {
    ...(type === undefined ? {} : { type }),
    ...(labels === undefined ? {} : { labels }),
    ...(minRamMb === undefined ? {} : { minRamMb }),
    ...(minBatteryPercent === undefined ? {} : { minBatteryPercent }),
  };
}
