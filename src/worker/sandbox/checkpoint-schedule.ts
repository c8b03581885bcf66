// When a checkpoint is due. By default every sqrt(2 · C · M), with C the cost of a checkpoint and M the
// mean time between losses (Young, 1974; Daly, 2006), from 5 s to 300 s, and so that checkpoints take at
// most 5 % of the run time. A job's own interval is kept exactly, whatever it costs. Nothing here reads
// a clock.

const shortestMs = 5_000;
const longestMs = 300_000;
const largestShare = 0.05;
/** Weight of the newest measurement in the mean. */
const smoothing = 0.3;

export function intervalMsOf(costMs: number, meanTimeBetweenLossesMs: number): number {
  const best = Math.sqrt(2 * costMs * meanTimeBetweenLossesMs);
  return Math.min(longestMs, Math.max(shortestMs, best));
}

/** Cost of the checkpoints of one program in this child, over all of its attempts. */
export class CheckpointCost {
  /** The job's own interval; null: it follows from the cost. */
  readonly ownIntervalMs: number | null;
  meanTimeBetweenLossesMs: number;
  #writeMs: number | null = null;
  #packMs: number | null = null;

  constructor(ownIntervalMs: number | null, meanTimeBetweenLossesMs: number) {
    this.ownIntervalMs = ownIntervalMs;
    this.meanTimeBetweenLossesMs = meanTimeBetweenLossesMs;
  }

  /** Time to write a state as JSON, send it to the agent and pack it there; 0 before the first. */
  get totalMs(): number {
    return (this.#writeMs ?? 0) + (this.#packMs ?? 0);
  }

  get intervalMs(): number {
    return this.ownIntervalMs ?? intervalMsOf(this.totalMs, this.meanTimeBetweenLossesMs);
  }

  noteWritten(ms: number): void {
    this.#writeMs = smoothed(this.#writeMs, ms);
  }

  notePacked(ms: number): void {
    this.#packMs = smoothed(this.#packMs, ms);
  }
}

/** When the checkpoints of one attempt are due. */
export class CheckpointSchedule {
  readonly #cost: CheckpointCost;
  readonly #startedAt: number;
  #dueAt: number;
  #spentMs = 0;

  constructor(cost: CheckpointCost, startedAt: number) {
    this.#cost = cost;
    this.#startedAt = startedAt;
    this.#dueAt = startedAt + cost.intervalMs;
  }

  isDue(now: number): boolean {
    if (now < this.#dueAt) return false;
    if (this.#cost.ownIntervalMs !== null) return true;
    const runMs = (this.#spentMs + this.#cost.totalMs) / largestShare;
    const affordableAt = this.#startedAt + runMs;
    if (now >= affordableAt) return true;
    this.#dueAt = affordableAt;
    return false;
  }

  /** A checkpoint was taken, due or not. */
  taken(beganAt: number, endedAt: number): void {
    this.#spentMs += endedAt - beganAt;
    const { ownIntervalMs, intervalMs } = this.#cost;
    // At a job's own interval, a checkpoint that comes somewhat late does not delay those after it.
    const isOnBeat = ownIntervalMs !== null && beganAt - this.#dueAt < ownIntervalMs;
    const from = isOnBeat && beganAt >= this.#dueAt ? this.#dueAt : beganAt;
    this.#dueAt = from + intervalMs;
  }

  /** Adds the time that the agent needed to pack a checkpoint. */
  charge(ms: number): void {
    this.#spentMs += ms;
  }
}

function smoothed(mean: number | null, measured: number): number {
  return mean === null ? measured : mean + smoothing * (measured - mean);
}
