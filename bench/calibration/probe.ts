// What is measured once, before all runs: how much a core does in a second, and how long it takes to begin a task.

import { contenders } from './contenders.ts';
import { devices } from './devices.ts';
import { warmUp } from './scenario-of.ts';
import { cycleSecondsOf, medianOf, speedOf, startMsOf } from './speeds.ts';
import { ThrottledCluster } from './throttled-cluster.ts';

export interface Probe {
  /** Turns of the program in a second of work. */
  readonly turnsPerSecond: number;
  readonly latencyMs: number;
  readonly commitMs: number;
  readonly speeds: readonly number[];
  /** By size of the payload in KB, then by place of the device. */
  readonly startMs: ReadonlyMap<number, readonly number[]>;
}

/** On one core at full speed: as many tasks, of so many turns. */
const free = { tasks: 15, turns: 50_000_000 } as const;
/** Of the tasks that tell how long it takes to begin one. */
const small = { tasks: 30, workSeconds: 0.01 } as const;

export async function probe(payloadsKb: Iterable<number>, halt: AbortSignal): Promise<Probe> {
  const cluster = await ThrottledCluster.start(contenders[0]!, halt);
  try {
    const turnsPerSecond = await freeTurns(cluster);
    const onEach = (workSeconds: number, tasks: number, payloadKb: number) =>
      cluster.run(
        devices.map(({ name }) => ({
          name: `probe ${name}`,
          turns: Array.from({ length: tasks }, () => Math.round(workSeconds * turnsPerSecond)),
          payloadKb,
          device: name,
        })),
      );
    // Only the first of them has worked so far.
    await onEach(small.workSeconds, 1, 0);
    await cluster.rest();
    await cluster.throttle();
    const speeds = (await onEach(warmUp.workSeconds, 1, 0)).map((job) =>
      speedOf(job, warmUp.workSeconds),
    );
    const cycles = new Map<number, readonly number[]>();
    for (const payloadKb of new Set(payloadsKb)) {
      const jobs = await onEach(small.workSeconds, small.tasks, payloadKb);
      cycles.set(payloadKb, jobs.map(cycleSecondsOf));
    }
    const [latencyMs, commitMs] = [await cluster.latencyMs(), await cluster.commitMs()];
    const { workSeconds } = small;
    const startMs = [...cycles].map(
      ([payloadKb, each]) =>
        [
          payloadKb,
          each.map((cycle, place) =>
            startMsOf(cycle, { workSeconds, speed: speeds[place]!, wayMs: latencyMs + commitMs }),
          ),
        ] as const,
    );
    return { turnsPerSecond, latencyMs, commitMs, speeds, startMs: new Map(startMs) };
  } finally {
    await cluster.close();
  }
}

/** Nothing else runs, and no device is slowed down yet. */
async function freeTurns(cluster: ThrottledCluster): Promise<number> {
  await cluster.rest();
  const [job] = await cluster.run([
    {
      name: 'free',
      turns: Array.from({ length: free.tasks }, () => free.turns),
      payloadKb: 0,
      device: devices[0]!.name,
    },
  ]);
  return free.turns / medianOf(job!.attempts.map(({ ran_seconds }) => ran_seconds ?? Infinity));
}
