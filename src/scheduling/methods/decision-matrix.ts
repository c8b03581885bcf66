// The decision matrix: one column per criterion, one row per worker of the snapshot, eligible or
// not. `follow` reads the workers whose heartbeat is new, and puts the tasks assigned since onto the
// load; everything else stays as it was. Nothing is added up incrementally but whole numbers, so the
// matrix equals one that was read from scratch, to the last bit.
//
// Scratch space of one scheduler: typed arrays that only grow, written in place.

import {
  criterionIds,
  type Observed,
  type Snapshot,
  type WorkerView,
} from '../../core/snapshot.ts';
import { loadFloorPercent } from './criteria.ts';
import { withRoom } from './method.ts';
import {
  at,
  clusterFailureRate,
  readAssignedPercent,
  readWorker,
  smoothFailureRate,
} from './readings.ts';

const width = criterionIds.length;

export class DecisionMatrix {
  rows = 0;
  /** In the order of `criterionIds`; may be longer than `rows`. */
  readonly columns: Float64Array<ArrayBuffer>[] = emptyColumns();
  readonly #hasProjection: boolean;
  /** What each row was read from: a worker without a new heartbeat is not read again. */
  #observed: (Observed | undefined)[] = [];
  #types: (string | undefined)[] = [];
  readonly #missing: Uint8Array<ArrayBuffer>[] = criterionIds.map(() => new Uint8Array(0));
  readonly #missingCount = new Int32Array(width);
  readonly #isPresent = new Uint8Array(width);
  /** Columns with a new reading, and columns with any new value, in the last `follow` or since. */
  readonly #isRead = new Uint8Array(width);
  readonly #isChanged = new Uint8Array(width);
  readonly #reading = new Float64Array(width);
  /** Rows that the last `follow` has read; rows that have or had a projection. */
  readonly #newRows: number[] = [];
  readonly #projected: number[] = [];
  /** The load at the heartbeat, from which the projection starts. */
  #loadAtHeartbeat = new Float64Array(0);
  /** What was projected onto each row, in percent of its CPU. */
  #assigned = new Float64Array(0);
  /** Rows whose projection has changed since `follow`, with its value at that time. */
  readonly #moved = new Map<number, number>();
  #completed = new Float64Array(0);
  #failed = new Float64Array(0);
  /** Whole numbers: adding and subtracting them is exact. */
  #allCompleted = 0;
  #allFailed = 0;

  /** With `hasProjection` the load counts the tasks assigned since the heartbeat. */
  constructor(hasProjection: boolean) {
    this.#hasProjection = hasProjection;
  }

  /** False for a column that no worker reports: it is left out. */
  isPresent(column: number): boolean {
    return this.#isPresent[column] === 1;
  }

  /** 1 where the worker does not report the value, so that the mean of the others is used. */
  imputed(column: number): Uint8Array {
    const isNone = column === at.throughput && this.#missingCount[column] === this.rows;
    return isNone ? new Uint8Array(this.rows) : this.#missing[column]!.subarray(0, this.rows);
  }

  /** 1 where a row has tasks assigned since the heartbeat that count in this column. */
  projected(column: number): Uint8Array {
    const projected = new Uint8Array(this.rows);
    if (!isProjectable(column) || !this.isPresent(column)) return projected;
    for (let row = 0; row < this.rows; row++) if (this.#assigned[row]! > 0) projected[row] = 1;
    return projected;
  }

  /** Whether a heartbeat has changed the column. */
  isRead(column: number): boolean {
    return this.#isRead[column] === 1;
  }

  /** Whether a heartbeat or an assignment has changed the column. */
  isChanged(column: number): boolean {
    return this.#isChanged[column] === 1;
  }

  /** The column without projections. */
  atHeartbeat(column: number): Float64Array {
    if (!isProjectable(column)) return this.columns[column]!;
    const toValue = column === at.cpu ? availability : flooredLoad;
    return Float64Array.from(this.#loadAtHeartbeat.subarray(0, this.rows), toValue);
  }

  /** Runs `compute` on the matrix as the last `follow` left it. */
  asFollowed<T>(compute: () => T): T {
    const now = new Map<number, number>();
    for (const [row, percent] of this.#moved) {
      now.set(row, this.#assigned[row]!);
      this.#setLoad(row, percent);
    }
    const result = compute();
    for (const [row, percent] of now) this.#setLoad(row, percent);
    return result;
  }

  follow({ workers }: Snapshot): void {
    this.#moved.clear();
    if (workers.length === this.rows) {
      this.#isRead.fill(0);
      // Tasks assigned since the last `follow` count as a change of this one.
      for (let column = 0; column < width; column++) {
        if (!isProjectable(column)) this.#isChanged[column] = 0;
      }
    } else {
      this.#forget(workers.length);
    }
    const isCounted = this.#readRows(workers);
    if (isCounted) this.#spreadFailureRate();
    for (let column = 0; column < width; column++) {
      if (this.isRead(column) && column !== at.cpu && column !== at.failure_rate) {
        this.#impute(column);
      }
    }
    this.#spreadLoad(workers);
    for (let column = 0; column < width; column++) {
      if (this.isRead(column)) this.#isChanged[column] = 1;
    }
  }

  /** Called when the statistics of the changed columns have been taken. */
  settle(): void {
    this.#isChanged.fill(0);
  }

  /** Brings load and CPU availability of a row up to date; true when they have changed. */
  project(worker: WorkerView, row: number): boolean {
    if (!this.#hasProjection || !this.isPresent(at.load)) return false;
    const percent = readAssignedPercent(worker);
    const before = this.#assigned[row]!;
    if (percent === before) return false;
    if (!this.#moved.has(row)) this.#moved.set(row, before);
    this.#setLoad(row, percent);
    this.#isChanged[at.cpu] = 1;
    this.#isChanged[at.load] = 1;
    return true;
  }

  /** Rows have shifted, so all of them are read anew. */
  #forget(rows: number): void {
    this.rows = rows;
    this.#observed = Array.from({ length: rows });
    this.#types = Array.from({ length: rows });
    for (let column = 0; column < width; column++) {
      this.columns[column] = withRoom(this.columns[column]!, rows).fill(0, 0, rows);
      const capacity = this.columns[column]!.length;
      if (this.#missing[column]!.length < capacity) {
        this.#missing[column] = new Uint8Array(capacity);
      }
      this.#missing[column]!.fill(0, 0, rows);
    }
    this.#missingCount.fill(0);
    this.#loadAtHeartbeat = withRoom(this.#loadAtHeartbeat, rows).fill(0, 0, rows);
    this.#assigned = withRoom(this.#assigned, rows).fill(0, 0, rows);
    this.#completed = withRoom(this.#completed, rows).fill(0, 0, rows);
    this.#failed = withRoom(this.#failed, rows).fill(0, 0, rows);
    this.#allCompleted = 0;
    this.#allFailed = 0;
    this.#isRead.fill(1);
  }

  /** True when the counts behind the failure rate may have changed. */
  #readRows(workers: readonly WorkerView[]): boolean {
    const observed = this.#observed;
    const types = this.#types;
    let isCounted = this.isRead(at.failure_rate);
    this.#newRows.length = 0;
    this.#projected.length = 0;
    const assigned = this.#assigned;
    for (let row = 0; row < workers.length; row++) {
      const worker = workers[row]!;
      const isProjected = worker.assignedSinceHeartbeat > 0 || assigned[row]! > 0;
      if (isProjected && this.#hasProjection) this.#projected.push(row);
      if (worker.observed === observed[row] && worker.type === types[row]) continue;
      this.#newRows.push(row);
      observed[row] = worker.observed;
      types[row] = worker.type;
      readWorker(worker, this.#reading);
      for (let column = 0; column < width; column++) {
        if (column !== at.cpu && column !== at.failure_rate) this.#put(column, row);
      }
      isCounted = this.#count(row, worker.observed) || isCounted;
    }
    return isCounted;
  }

  #put(column: number, row: number): void {
    const value = this.#reading[column]!;
    const values = this.#valuesOf(column);
    const missing = this.#missing[column]!;
    const isMissing = Number.isNaN(value) ? 1 : 0;
    if (isMissing !== missing[row]) {
      missing[row] = isMissing;
      this.#missingCount[column]! += isMissing === 1 ? 1 : -1;
      this.#isRead[column] = 1;
    }
    if (isMissing === 0 && values[row] !== value) {
      values[row] = value;
      this.#isRead[column] = 1;
    }
  }

  #count(row: number, { completed, failed }: Observed): boolean {
    const isSame = completed === this.#completed[row] && failed === this.#failed[row];
    if (isSame) return false;
    this.#allCompleted += completed - this.#completed[row]!;
    this.#allFailed += failed - this.#failed[row]!;
    this.#completed[row] = completed;
    this.#failed[row] = failed;
    return true;
  }

  /** The failure rate depends on the rate of the cluster, so a finished task anywhere changes every row. */
  #spreadFailureRate(): void {
    const ofCluster = clusterFailureRate(this.#allCompleted, this.#allFailed);
    const values = this.columns[at.failure_rate]!;
    const [completed, failed] = [this.#completed, this.#failed];
    let isChanged = false;
    for (let row = 0; row < this.rows; row++) {
      const rate = smoothFailureRate(completed[row]!, failed[row]!, ofCluster);
      if (rate === values[row]) continue;
      values[row] = rate;
      isChanged = true;
    }
    if (isChanged) this.#isRead[at.failure_rate] = 1;
    this.#isPresent[at.failure_rate] = this.rows > 0 ? 1 : 0;
  }

  #impute(column: number): void {
    const values = this.#valuesOf(column);
    const missing = this.#missing[column]!;
    const count = this.#missingCount[column]!;
    this.#isPresent[column] = count < this.rows ? 1 : 0;
    if (count === 0) return;
    // No worker has finished a task: the throughput is known to be 0, and the same for all.
    const isFresh = column === at.throughput && count === this.rows;
    if (isFresh) this.#isPresent[column] = this.rows > 0 ? 1 : 0;
    const mean = isFresh ? 0 : meanOfKnown(values, missing, this.rows);
    for (let row = 0; row < this.rows; row++) if (missing[row] === 1) values[row] = mean;
  }

  /** Load and CPU availability of the rows whose load or projection is new. */
  #spreadLoad(workers: readonly WorkerView[]): void {
    const isRead = this.isRead(at.load);
    this.#isPresent[at.cpu] = this.#isPresent[at.load]!;
    if (isRead) {
      this.#isRead[at.cpu] = 1;
      this.#missing[at.cpu]!.set(this.#missing[at.load]!);
      this.#missingCount[at.cpu] = this.#missingCount[at.load]!;
    }
    // Where a load is missing the mean is used, which may have changed.
    const isWhole = isRead && this.#missingCount[at.load]! > 0;
    let isChanged = isRead;
    if (isRead && !isWhole)
      for (const row of this.#newRows) this.#setLoad(row, this.#assigned[row]!);
    const isProjecting = this.#hasProjection && this.isPresent(at.load);
    const assigned = this.#assigned;
    if (isWhole) for (let row = 0; row < this.rows; row++) this.#setLoad(row, assigned[row]!);
    for (const row of this.#projected) {
      const percent = isProjecting ? readAssignedPercent(workers[row]!) : 0;
      if (percent === assigned[row]) continue;
      this.#setLoad(row, percent);
      isChanged = true;
    }
    if (!isChanged) return;
    this.#isChanged[at.cpu] = 1;
    this.#isChanged[at.load] = 1;
  }

  #setLoad(row: number, assignedPercent: number): void {
    const load = Math.min(100, this.#loadAtHeartbeat[row]! + assignedPercent);
    this.#assigned[row] = assignedPercent;
    this.columns[at.cpu]![row] = availability(load);
    this.columns[at.load]![row] = flooredLoad(load);
  }

  #valuesOf(column: number): Float64Array {
    return column === at.load ? this.#loadAtHeartbeat : this.columns[column]!;
  }
}

/** The columns that change between two heartbeats. */
function isProjectable(column: number): boolean {
  return column === at.cpu || column === at.load;
}

function availability(load: number): number {
  return 100 - load;
}

function flooredLoad(load: number): number {
  return Math.max(loadFloorPercent, load);
}

/** Mean of the rows that say something; exactly their value when they are all equal. */
function meanOfKnown(values: Float64Array, missing: Uint8Array, rows: number): number {
  let known = 0;
  let sum = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  for (let row = 0; row < rows; row++) {
    if (missing[row] === 1) continue;
    const x = values[row]!;
    known++;
    sum += x;
    if (x < min) min = x;
    if (x > max) max = x;
  }
  return known === 0 ? Number.NaN : Math.min(max, Math.max(min, sum / known));
}

function emptyColumns(): Float64Array<ArrayBuffer>[] {
  return criterionIds.map(() => new Float64Array(0));
}
