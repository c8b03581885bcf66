// What is measured once, before all runs: how much a core does in a second, and the way to the coordinator.

import { contenders } from './contenders.ts';
import { devices } from './devices.ts';
import type { Measured } from './measured.ts';
import { medianOf } from './speeds.ts';
import { ThrottledCluster } from './throttled-cluster.ts';

export type Probe = Pick<Measured, 'turnsPerSecond' | 'latencyMs' | 'commitMs'>;

/** At full speed, on one device, while nothing else runs. */
const free = { tasks: 15, turns: 50_000_000 } as const;
/** On each device, throttled, while the way is measured. */
const small = { tasks: 50, workSeconds: 0.02 } as const;

export async function probe(halt: AbortSignal): Promise<Probe> {
  const cluster = await ThrottledCluster.start(contenders[0]!, halt);
  try {
    await cluster.rest();
    const turnsPerSecond = await freeTurns(cluster);
    await cluster.throttle();
    const turns = Array.from({ length: small.tasks }, () =>
      Math.round(small.workSeconds * turnsPerSecond),
    );
    await cluster.run(
      devices.map(({ name }) => ({ name: `probe ${name}`, turns, payloadKb: 0, device: name })),
    );
    const [latencyMs, commitMs] = [await cluster.latencyMs(), await cluster.commitMs()];
    return { turnsPerSecond, latencyMs, commitMs };
  } finally {
    await cluster.close();
  }
}

async function freeTurns(cluster: ThrottledCluster): Promise<number> {
  const turns = Array.from({ length: free.tasks }, () => free.turns);
  const { name } = devices[0]!;
  const [job] = await cluster.run([{ name: 'free', turns, payloadKb: 0, device: name }]);
  return free.turns / medianOf(job!.attempts.map(({ ran_seconds }) => ran_seconds ?? Infinity));
}
