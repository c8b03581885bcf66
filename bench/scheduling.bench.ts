// What scheduling costs: µs per decision for clusters of 2 to 100 000 workers under each of the nine
// algorithms. Three situations, because they cost differently:
//
//   one     the telemetry of one worker has changed: a `begin`, a contest, a placement
//   all     the telemetry of every worker has changed: the same
//   still   nothing has changed since the last placement: the next one of the same pass
//
// and a pass of 1 000 tasks after a change of one worker, in ms. Run: npm run bench, or this file by
// itself.

import {
  type AlgorithmId,
  algorithmIds,
  type Contest,
  createScheduler,
  type Observed,
  type Scheduler,
} from '../src/scheduling/index.ts';

const CLUSTER_SIZES = [2, 10, 100, 1_000, 10_000, 100_000];
const PASS_TASKS = 1_000;
const BUDGET_MS = 100;

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
  next: () => number;
}

export function benchScheduling(print: (line: string) => void): void {
  print('scheduling: µs per decision, ms per pass of 1 000 tasks');
  print(row(['algorithm', 'workers', 'one µs', 'all µs', 'still µs', 'pass ms']));
  for (const algorithm of algorithmIds) {
    for (const size of CLUSTER_SIZES) print(row(measureOne(algorithm, size)));
  }
}

function measureOne(algorithm: AlgorithmId, size: number): string[] {
  const cluster = makeCluster(size);
  const scheduler = makeScheduler(algorithm);
  const decide = () => {
    scheduler.begin(cluster.snapshot);
    const contest = scheduler.contest(cluster.eligible);
    placeNext(contest, cluster);
    return contest;
  };
  decide();
  let at = 0;
  const one = usPerCall((measure) => {
    at = (at + 7) % size;
    heartbeat(cluster, at);
    measure(decide);
  });
  const all = usPerCall((measure) => {
    for (let each = 0; each < size; each++) heartbeat(cluster, each);
    measure(decide);
  });
  const contest = decide();
  const still = usPerPlacement(contest, cluster);
  const pass = passMs(scheduler, cluster);
  const figures = [one, all, still, pass].map((figure) => figure.toFixed(2));
  return [algorithm, String(size), ...figures];
}

/** One more task on the row; the counters start again before they reach the end of the slots. */
function placeNext(contest: Contest, { snapshot }: Cluster): void {
  const selected = contest.best();
  const worker = snapshot.workers[selected]!;
  worker.activeTasks = (worker.activeTasks + 1) % worker.slots;
  worker.assignedSinceHeartbeat = worker.activeTasks;
  contest.take(selected);
}

/** A new measurement of everything, as a heartbeat brings it; one task in ten heartbeats has ended. */
function heartbeat({ snapshot, next }: Cluster, selected: number): void {
  const worker = snapshot.workers[selected]!;
  const { observed } = worker;
  worker.observed = {
    ...measured(next),
    completed: observed.completed + (next() < 0.1 ? 1 : 0),
    failed: observed.failed,
    busySeconds: observed.busySeconds,
    smoothedTaskMs: observed.smoothedTaskMs,
    energyJoules: observed.energyJoules,
  };
  worker.activeTasks = 0;
  worker.assignedSinceHeartbeat = 0;
  snapshot.version++;
}

function passMs(scheduler: Scheduler, cluster: Cluster): number {
  const { snapshot, eligible } = cluster;
  for (const worker of snapshot.workers) {
    worker.slots = Math.ceil(PASS_TASKS / eligible.length) + 4;
    worker.activeTasks = 0;
    worker.assignedSinceHeartbeat = 0;
  }
  heartbeat(cluster, 0);
  const from = performance.now();
  scheduler.begin(snapshot);
  const contest = scheduler.contest(eligible);
  for (let task = 0; task < PASS_TASKS; task++) {
    const selected = contest.best();
    const worker = snapshot.workers[selected];
    if (worker === undefined) throw new Error('a pass ended before its tasks did');
    worker.activeTasks++;
    worker.assignedSinceHeartbeat++;
    contest.take(selected);
    if (worker.activeTasks === worker.slots) contest.drop(selected);
  }
  return performance.now() - from;
}

/** Only what is handed to `measure` counts. The clock is read twice per call: about 0.1 µs. */
function usPerCall(call: (measure: (work: () => void) => void) => void): number {
  let elapsed = 0;
  let calls = 0;
  const measure = (work: () => void) => {
    const from = performance.now();
    work();
    elapsed += performance.now() - from;
  };
  for (let warmUp = 0; warmUp < 20; warmUp++) call(measure);
  elapsed = 0;
  const end = performance.now() + 2 * BUDGET_MS;
  for (;;) {
    call(measure);
    calls++;
    if (elapsed > BUDGET_MS || performance.now() > end) return (1_000 * elapsed) / calls;
  }
}

function usPerPlacement(contest: Contest, cluster: Cluster): number {
  for (let warmUp = 0; warmUp < 1_000; warmUp++) placeNext(contest, cluster);
  let calls = 0;
  let elapsed = 0;
  const from = performance.now();
  for (; elapsed < BUDGET_MS; elapsed = performance.now() - from) {
    for (let index = 0; index < 1_024; index++) placeNext(contest, cluster);
    calls += 1_024;
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
      ...measured(next),
      completed: Math.floor(1_000 * next()),
      failed: Math.floor(20 * next()),
      busySeconds: 1_000 * next(),
      smoothedTaskMs: 1_000 * next(),
      energyJoules: 5_000 * next(),
    },
  }));
  return { snapshot: { workers, version: 0 }, eligible: new Uint8Array(size).fill(1), next };
}

function measured(next: () => number) {
  return {
    cpuLoadPercent: 100 * next(),
    ramAvailableMb: 16_000 * next(),
    batteryLevelPercent: 100 * next(),
    batteryCharging: next() < 0.5,
    networkLatencyMs: 200 * next(),
    networkBandwidthMbps: 1_000 * next(),
  };
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
