// The decision matrix: one column per criterion, one row per worker of the snapshot, eligible or
// not. `read` fills it from what the heartbeats said; `project` puts the tasks assigned since then
// on top of the load. Scratch space of one scheduler: typed arrays that only grow, written in place.

import { criterionIds, type WorkerView } from '../core/snapshot.ts';
import { meanOfKnown } from './column.ts';
import { loadFloorPercent } from './criteria.ts';
import { withRoom } from './method.ts';
import { readAssignedPercent, readColumns } from './readings.ts';

const cpuColumn = criterionIds.indexOf('cpu');
const throughputColumn = criterionIds.indexOf('throughput');
const loadColumn = criterionIds.indexOf('load');

export class DecisionMatrix {
  rows = 0;
  /** In the order of `criterionIds`; may be longer than `rows`. */
  readonly columns: Float64Array<ArrayBuffer>[] = criterionIds.map(() => new Float64Array(0));
  readonly #imputed: Uint8Array[] = criterionIds.map(() => new Uint8Array(0));
  readonly #isPresent = new Uint8Array(criterionIds.length);
  /** The load at the heartbeat, from which the projection starts. */
  #loadAtHeartbeat = new Float64Array(0);
  /** What was projected onto each row, in percent of its CPU. */
  #assigned = new Float64Array(0);

  /** False for a column that no worker reports: it is left out. */
  isPresent(column: number): boolean {
    return this.#isPresent[column] === 1;
  }

  /** The worker does not say; the mean of the others stands in. */
  isImputed(column: number, row: number): boolean {
    return this.#imputed[column]![row] === 1;
  }

  isProjected(column: number, row: number): boolean {
    return isProjectable(column) && this.isPresent(column) && this.#assigned[row]! > 0;
  }

  read(workers: readonly WorkerView[]): void {
    this.#resize(workers.length);
    readColumns(workers, this.columns);
    for (let column = 0; column < this.columns.length; column++) this.#impute(column);
    this.#loadAtHeartbeat.set(this.columns[loadColumn]!);
    for (let row = 0; row < this.rows; row++) this.#setLoad(row, 0);
  }

  /** Brings load and CPU availability up to date; true when a row has changed. */
  project(workers: readonly WorkerView[]): boolean {
    if (!this.isPresent(loadColumn)) return false;
    const assigned = this.#assigned;
    let isChanged = false;
    for (let row = 0; row < workers.length; row++) {
      const percent = readAssignedPercent(workers[row]!);
      if (percent === assigned[row]) continue;
      this.#setLoad(row, percent);
      isChanged = true;
    }
    return isChanged;
  }

  #setLoad(row: number, assignedPercent: number): void {
    const load = Math.min(100, this.#loadAtHeartbeat[row]! + assignedPercent);
    this.#assigned[row] = assignedPercent;
    this.columns[cpuColumn]![row] = 100 - load;
    this.columns[loadColumn]![row] = Math.max(loadFloorPercent, load);
  }

  #resize(rows: number): void {
    this.rows = rows;
    for (let column = 0; column < this.columns.length; column++) {
      this.columns[column] = withRoom(this.columns[column]!, rows);
      const capacity = this.columns[column]!.length;
      if (this.#imputed[column]!.length < capacity) {
        this.#imputed[column] = new Uint8Array(capacity);
      }
    }
    this.#loadAtHeartbeat = withRoom(this.#loadAtHeartbeat, rows);
    this.#assigned = withRoom(this.#assigned, rows);
  }

  #impute(column: number): void {
    const values = this.columns[column]!;
    const imputed = this.#imputed[column]!;
    let missing = 0;
    for (let row = 0; row < this.rows; row++) {
      imputed[row] = Number.isNaN(values[row]!) ? 1 : 0;
      missing += imputed[row]!;
    }
    this.#isPresent[column] = missing < this.rows ? 1 : 0;
    if (missing === 0) return;
    if (column === throughputColumn && missing === this.rows) {
      // Nobody has finished a task. That is known, and the same for everybody.
      this.#isPresent[column] = 1;
      values.fill(0, 0, this.rows);
      imputed.fill(0, 0, this.rows);
      return;
    }
    const mean = meanOfKnown(values, this.rows);
    for (let row = 0; row < this.rows; row++) if (imputed[row] === 1) values[row] = mean;
  }
}

/** The columns that change between two heartbeats. */
export function isProjectable(column: number): boolean {
  return column === cpuColumn || column === loadColumn;
}
