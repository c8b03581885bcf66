// What a decision costs: µs per decision for clusters of 10 to 100 000 workers under each of the
// nine algorithms. Three situations, because they cost differently:
//
//   change   the telemetry of some worker has changed since the last decision
//   assign   only the last placement has: one row has one more task
//   still    nothing has changed
//
// and a pass of 1 000 tasks after a change, in ms. Run: npm run bench, or this file by itself.

import {
  type AlgorithmId,
  algorithmIds,
  createScheduler,
  type Observed,
  type Scheduler,
} from '../src/scheduling/index.ts';

const CLUSTER_SIZES = [2, 10, 100, 1_000, 10_000, 100_000];
const PASS_TASKS = 1_000;
const BUDGET_MS = 60;

interface BenchWorker {
  id: string;
  type: string;
  slots: number;
  activeTasks: number;
  assignedSinceHeartbeat: number;
  idleSince: number;
  observed: Observed;
}

interface Cluster {
  snapshot: { workers: BenchWorker[]; version: number };
  eligible: Uint8Array;
}

export function benchScheduling(print: (line: string) => void): void {
  print('scheduling: µs per decision, ms per pass of 1 000 tasks');
  print(row(['algorithm', 'workers', 'change µs', 'assign µs', 'still µs', 'pass ms']));
  for (const algorithm of algorithmIds) {
    for (const size of CLUSTER_SIZES) print(row(measureOne(algorithm, size)));
  }
}

function measureOne(algorithm: AlgorithmId, size: number): string[] {
  const cluster = makeCluster(size);
  const scheduler = makeScheduler(algorithm);
  const decide = () => scheduler.select(cluster.snapshot, cluster.eligible);
  const change = usPerCall(() => {
    cluster.snapshot.version++;
    decide();
  });
  const assign = usPerCall(() => {
    place(cluster, decide());
  });
  const still = usPerCall(decide);
  const pass = passMs(scheduler, makeCluster(size));
  return [
    algorithm,
    String(size),
    change.toFixed(2),
    assign.toFixed(2),
    still.toFixed(2),
    pass.toFixed(2),
  ];
}

/** One more task on the row; the counters start again before they reach the end of the slots. */
function place({ snapshot }: Cluster, selected: number): void {
  const worker = snapshot.workers[selected]!;
  worker.activeTasks = (worker.activeTasks + 1) % worker.slots;
  worker.assignedSinceHeartbeat = worker.activeTasks;
}

function passMs(scheduler: Scheduler, { snapshot, eligible }: Cluster): number {
  for (const worker of snapshot.workers) worker.slots = Math.ceil(PASS_TASKS / eligible.length) + 4;
  const from = performance.now();
  snapshot.version = -1;
  for (let task = 0; task < PASS_TASKS; task++) {
    const selected = scheduler.select(snapshot, eligible);
    const worker = snapshot.workers[selected];
    if (worker === undefined) throw new Error('a pass ended before its tasks did');
    worker.activeTasks++;
    worker.assignedSinceHeartbeat++;
    if (worker.activeTasks === worker.slots) eligible[selected] = 0;
  }
  return performance.now() - from;
}

function usPerCall(call: () => void): number {
  for (let warmUp = 0; warmUp < 20; warmUp++) call();
  let calls = 0;
  const from = performance.now();
  let elapsed = 0;
  for (let batch = 1; elapsed < BUDGET_MS; batch = Math.min(2 * batch, 4_096)) {
    for (let index = 0; index < batch; index++) call();
    calls += batch;
    elapsed = performance.now() - from;
  }
  return (1_000 * elapsed) / calls;
}

function makeScheduler(algorithm: AlgorithmId): Scheduler {
  const weights = { cpu: 3, memory: 2, throughput: 2, failure_rate: 2, latency: 1 };
  const others = { bandwidth: 1, battery: 1, energy: 1, load: 1 };
  return createScheduler({
    algorithm,
    weighting: 'manual',
    weights: { ...weights, ...others },
    updatedAt: 0,
  });
}

function makeCluster(size: number): Cluster {
  const next = makeDice(size);
  const workers = Array.from({ length: size }, (_, index) => ({
    id: `worker-${index}`,
    type: index % 3 === 0 ? 'android_kotlin' : 'pc',
    slots: 4 + (index % 5),
    activeTasks: 0,
    assignedSinceHeartbeat: 0,
    idleSince: index,
    observed: {
      cpuLoadPercent: 100 * next(),
      ramAvailableMb: 16_000 * next(),
      batteryLevelPercent: 100 * next(),
      batteryCharging: next() < 0.5,
      networkLatencyMs: 200 * next(),
      networkBandwidthMbps: 1_000 * next(),
      completed: Math.floor(1_000 * next()),
      failed: Math.floor(20 * next()),
      busySeconds: 1_000 * next(),
      smoothedTaskMs: 1_000 * next(),
      energyJoules: 5_000 * next(),
    },
  }));
  return { snapshot: { workers, version: 0 }, eligible: new Uint8Array(size).fill(1) };
}

/** A small seeded generator, so that two runs measure the same clusters. */
function makeDice(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function row(cells: readonly string[]): string {
  return cells.map((cell, index) => (index === 0 ? cell.padEnd(13) : cell.padStart(11))).join('');
}

if (import.meta.main) benchScheduling(console.log);
