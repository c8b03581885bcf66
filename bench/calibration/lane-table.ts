// Which processes belong to which device, in memory that the thread of the throttle reads: first a word that is 0
// as long as it goes on, then the process ids of each lane, closed by a 0.

export type LaneTable = Int32Array<SharedArrayBuffer>;

/** Process ids of one lane, the 0 behind them included. */
const placesInLane = 16;

export function newLaneTable(lanes: number): LaneTable {
  const words = 1 + lanes * placesInLane;
  return new Int32Array(new SharedArrayBuffer(words * Int32Array.BYTES_PER_ELEMENT));
}

export function setPids(table: LaneTable, lane: number, pids: readonly number[]): void {
  const from = 1 + lane * placesInLane;
  for (let i = 0; i < placesInLane - 1; i++) Atomics.store(table, from + i, pids[i] ?? 0);
}

export function pidsOf(table: LaneTable, lane: number): readonly number[] {
  const from = 1 + lane * placesInLane;
  const pids: number[] = [];
  for (let place = from; ; place++) {
    const pid = Atomics.load(table, place);
    if (pid === 0) return pids;
    pids.push(pid);
  }
}

/** The thread wakes, lets all go on and ends. */
export function end(table: LaneTable): void {
  Atomics.store(table, 0, 1);
  Atomics.notify(table, 0);
}

export function isEnded(table: LaneTable): boolean {
  return Atomics.load(table, 0) !== 0;
}

/** For so long, or until the end. Blocks the thread. */
export function sleep(table: LaneTable, forMs: number): void {
  Atomics.wait(table, 0, 0, forMs);
}
