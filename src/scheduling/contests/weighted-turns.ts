// Turns in proportion to weights, by virtual time: Waldspurger (1995), Lottery and Stride Scheduling,
// MIT/LCS/TR-667, with the first stride halved, which is the rule of Webster and Sainte-Laguë.
//
//   credit_i = earned_i - taken_i, in tasks: a task of a contest lets each worker in it earn w_i / W
//   V        = sum over the tasks of a contest of 1 / W, its clock
//   key_i    = (taken_i + 1/2 - credit_i at entry) / w_i + V at entry; the smallest key has the turn
//
// A contest of weights 3 and 1 goes a b a a: the second turn is a tie, and goes to the one with fewer
// active tasks. A worker that is not in a contest, or has been dropped from it, earns nothing there. A
// worker that is in several earns in each of them, and pays for its tasks once. So workers that are in
// the same contests form a group: they earn by the same clock, the sum of the clocks of their contests,
// and keep their order among each other, in one heap.

import type { WorkerView } from '../../core/snapshot.ts';
import { isAhead } from './best-row.ts';
import { withRoom } from '../methods/method.ts';
import { RowHeap } from './row-heap.ts';
import type { Contest } from '../scheduler.ts';

export class WeightedTurns {
  workers: readonly WorkerView[] = [];
  keys = new Float64Array(0);
  places = new Int32Array(0);
  /** Whole numbers. When only rows of weight 0 are left, each of them counts as 1. */
  #weights = new Float64Array(0);
  /** Credit of the row when it entered its group; the clock of the group then; tasks since then. */
  #credits = new Float64Array(0);
  #entries = new Float64Array(0);
  #taken = new Float64Array(0);
  /** The group of the row; -1 when it is in no contest. */
  #groupOf = new Int32Array(0);
  #groups: Group[] = [];
  /** Heaps by number of the group; kept from pass to pass. */
  readonly #heaps: RowHeap[] = [];

  /** Weights and credits by row of `workers`. Ends all contests; `settle` comes before. */
  begin(workers: readonly WorkerView[], weights: Float64Array, credits: Float64Array): void {
    const rows = workers.length;
    this.workers = workers;
    this.#weights = withRoom(this.#weights, rows);
    this.#credits = withRoom(this.#credits, rows);
    this.#entries = withRoom(this.#entries, rows);
    this.#taken = withRoom(this.#taken, rows).fill(0, 0, rows);
    this.keys = withRoom(this.keys, rows);
    if (this.places.length < rows) {
      this.places = new Int32Array(this.keys.length);
      this.#groupOf = new Int32Array(this.keys.length);
    }
    this.#groupOf.fill(-1, 0, rows);
    this.#groups = [];
    for (let row = 0; row < rows; row++) {
      this.#weights[row] = weights[row]!;
      this.#credits[row] = credits[row]!;
    }
  }

  /** Writes the present credit of each worker, in tasks. */
  settle(credits: Float64Array): void {
    const clocks = Float64Array.from(this.#groups, (group) => this.#clockOf(group));
    const units = Float64Array.from(this.#groups, unitsOf);
    for (let row = 0; row < this.workers.length; row++) {
      const group = this.#groupOf[row]!;
      credits[row] =
        group < 0 ? this.#credits[row]! : this.#credit(row, clocks[group]!, units[group]!);
    }
  }

  creditOf(row: number): number {
    const group = this.#groups[this.#groupOf[row]!];
    if (group === undefined) return this.#credits[row]!;
    return this.#credit(row, this.#clockOf(group), unitsOf(group));
  }

  open(eligible: Uint8Array): Contest {
    const contest = new WeightedContest(this);
    const targets = new Map<number, number>();
    let key = Number.NaN;
    let to = -1;
    let heap: RowHeap | undefined;
    let clock = contest.clockOf(false);
    const { keys } = this;
    const weights = this.#weights;
    const credits = this.#credits;
    const groupOf = this.#groupOf;
    for (let row = 0; row < this.workers.length; row++) {
      if (eligible[row] !== 1) continue;
      const isZero = weights[row] === 0;
      const weight = isZero ? 1 : weights[row]!;
      const from = groupOf[row]!;
      const keyOfRow = 2 * from + (isZero ? 1 : 0);
      if (keyOfRow !== key) {
        key = keyOfRow;
        to = this.#target(targets, key, contest);
        ({ heap } = this.#groups[to]!);
        clock = contest.clockOf(isZero);
      }
      // The new clock stands at 0, so a row that comes from another group keeps entry and key.
      if (from < 0) {
        this.#entries[row] = 0;
        this.#taken[row] = 0;
        keys[row] = (0.5 - credits[row]!) / weight;
      }
      groupOf[row] = to;
      heap?.add(row);
      clock.weight += weight;
    }
    for (const from of targets.keys()) this.#thin(from >> 1);
    for (const each of targets.values()) this.#groups[each]!.heap.arrange(this);
    return contest;
  }

  /** The new group of rows that join a contest; `key`: twice their group, plus 1 for weights of 0. */
  #target(targets: Map<number, number>, key: number, contest: WeightedContest): number {
    const known = targets.get(key);
    if (known !== undefined) return known;
    const from = this.#groups[key >> 1];
    const to = this.#addGroup([...(from?.contests ?? []), contest], (key & 1) === 1);
    targets.set(key, to);
    return to;
  }

  /** The row that a contest among the eligible would name now, or -1. */
  nextOf(eligible: Uint8Array): number {
    for (const isZero of [false, true]) {
      const first = new Map<number, number>();
      for (let row = 0; row < this.workers.length; row++) {
        if (eligible[row] !== 1 || (this.#weights[row] === 0) !== isZero) continue;
        const group = this.#groupOf[row]!;
        if (group < 0) this.keys[row] = (0.5 - this.#credits[row]!) / this.#weight(row);
        const other = first.get(group);
        if (other === undefined || this.#isBefore(row, other)) first.set(group, row);
      }
      const best = this.#earliest([...first.values()]);
      if (best >= 0) return best;
    }
    return -1;
  }

  best(contest: WeightedContest, except: readonly number[]): number {
    if (except.length === 0) return this.#firstOf(contest);
    const left = except.filter((row) => this.#isIn(contest, row));
    for (const row of left) this.#heapOf(row).remove(row, this);
    const best = this.#firstOf(contest);
    for (const row of left) this.#heapOf(row).push(row, this);
    return best < 0 && left.length > 0 ? this.#firstOf(contest) : best;
  }

  take(contest: WeightedContest, row: number): void {
    contest.clockOf(this.#weights[row] === 0).tasks++;
    if (this.#groupOf[row]! < 0) {
      this.#credits[row]! -= 1;
      return;
    }
    this.#taken[row]! += 1;
    this.#setKey(row);
    this.#heapOf(row).move(row, this);
  }

  drop(contest: WeightedContest, row: number): void {
    if (!this.#isIn(contest, row)) return;
    const from = this.#groups[this.#groupOf[row]!]!;
    from.heap.remove(row, this);
    const credit = this.creditOf(row);
    contest.clockOf(from.isZero).lighten(this.#weight(row));
    const others = from.contests.filter((each) => each !== contest);
    this.#groupOf[row] = -1;
    this.#credits[row] = credit;
    if (others.length === 0) return;
    const to = this.#findGroup(others, from.isZero) ?? this.#addGroup(others, from.isZero);
    this.#enter(row, this.#clockOf(this.#groups[to]!), credit);
    this.#groupOf[row] = to;
    this.#groups[to]!.heap.push(row, this);
  }

  #isIn(contest: WeightedContest, row: number): boolean {
    const group = this.#groups[this.#groupOf[row] ?? -1];
    return group?.contests.includes(contest) ?? false;
  }

  #heapOf(row: number): RowHeap {
    return this.#groups[this.#groupOf[row]!]!.heap;
  }

  #enter(row: number, clock: number, credit: number): void {
    this.#entries[row] = clock;
    this.#credits[row] = credit;
    this.#taken[row] = 0;
    this.#setKey(row);
  }

  #setKey(row: number): void {
    const due = this.#taken[row]! + 0.5 - this.#credits[row]!;
    this.keys[row] = this.#entries[row]! + due / this.#weight(row);
  }

  #weight(row: number): number {
    return this.#weights[row] === 0 ? 1 : this.#weights[row]!;
  }

  /**
   * As long as the same workers compete, credits are whole multiples of 1 / units. A credit close to such a
   * multiple is rounded to it, so that rounding errors do not add up however many tasks pass.
   */
  #credit(row: number, clock: number, units: number): number {
    const earned = this.#weight(row) * (clock - this.#entries[row]!);
    const credit = this.#credits[row]! + earned - this.#taken[row]!;
    if (!(units < mostUnits)) return credit;
    const whole = Math.floor(credit * units + 0.5);
    return Math.abs(credit * units - whole) < nextTo ? whole / units : credit;
  }

  #clockOf({ contests, isZero }: Group): number {
    let time = 0;
    for (const contest of contests) time += contest.clockOf(isZero).now;
    return time;
  }

  #firstOf({ groups }: WeightedContest): number {
    // The common case, without making a list.
    const only = groups[0];
    if (groups.length === 1 && only !== undefined) return only.heap.size > 0 ? only.heap.first : -1;
    for (const isZero of [false, true]) {
      const first: number[] = [];
      for (const group of groups) {
        if (group.isZero === isZero && group.heap.size > 0) first.push(group.heap.first);
      }
      const best = this.#earliest(first);
      if (best >= 0) return best;
    }
    return -1;
  }

  /** The row that comes first among the first rows of groups with different clocks. */
  #earliest(rows: readonly number[]): number {
    if (rows.length < 2) return rows[0] ?? -1;
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    for (const row of rows) {
      const group = this.#groups[this.#groupOf[row]!];
      const due = this.keys[row]! - (group === undefined ? 0 : this.#clockOf(group));
      if (due < least || (due === least && isAhead(this.workers[row]!, this.workers[best]!))) {
        best = row;
        least = due;
      }
    }
    return best;
  }

  #isBefore(a: number, b: number): boolean {
    if (this.keys[a] !== this.keys[b]) return this.keys[a]! < this.keys[b]!;
    return isAhead(this.workers[a]!, this.workers[b]!);
  }

  #findGroup(contests: readonly WeightedContest[], isZero: boolean): number | undefined {
    const found = this.#groups.findIndex(
      (group) =>
        group.isZero === isZero &&
        group.contests.length === contests.length &&
        group.contests.every((contest, index) => contest === contests[index]),
    );
    return found < 0 ? undefined : found;
  }

  #addGroup(contests: readonly WeightedContest[], isZero: boolean): number {
    const heap = (this.#heaps[this.#groups.length] ??= new RowHeap());
    heap.size = 0;
    const group: Group = { contests, isZero, heap };
    for (const contest of contests) contest.groups.push(group);
    return this.#groups.push(group) - 1;
  }

  /** Removes from a group's heap the rows that have moved to another group. */
  #thin(index: number): void {
    const group = this.#groups[index];
    if (group === undefined) return;
    group.heap.thin((row) => this.#groupOf[row] === index);
    group.heap.arrange(this);
  }
}

/** How close counts as equal, in units: more than rounding errors, and far less than matters to a worker. */
const nextTo = 1e-6;

/** Longest cycle for which credits are kept exact, in units: a longer one never comes to its end. */
const mostUnits = 2 ** 42;

class WeightedContest implements Contest {
  readonly groups: Group[] = [];
  readonly #turns: WeightedTurns;
  readonly #clock = new Clock();
  readonly #zeroClock = new Clock();

  constructor(turns: WeightedTurns) {
    this.#turns = turns;
  }

  best(except: readonly number[] = []): number {
    return this.#turns.best(this, except);
  }

  take(row: number): void {
    this.#turns.take(this, row);
  }

  drop(row: number): void {
    this.#turns.drop(this, row);
  }

  clockOf(isZero: boolean): Clock {
    return isZero ? this.#zeroClock : this.#clock;
  }
}

/** Workers that are in the same contests. */
interface Group {
  readonly contests: readonly WeightedContest[];
  readonly isZero: boolean;
  readonly heap: RowHeap;
}

/** Credits are multiples of 1 / this; NaN where no such number is known. */
function unitsOf({ contests, isZero }: Group): number {
  return contests.length === 1 ? contests[0]!.clockOf(isZero).weight : Number.NaN;
}

/** V of a contest: 1 / W per task. */
class Clock {
  weight = 0;
  /** Tasks since the weight last changed. They are counted because a sum of 1 / W would be rounded. */
  tasks = 0;
  #base = 0;

  get now(): number {
    return this.tasks === 0 ? this.#base : this.#base + this.tasks / this.weight;
  }

  lighten(weight: number): void {
    this.#base = this.now;
    this.tasks = 0;
    this.weight -= weight;
  }
}
