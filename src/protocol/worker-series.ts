// What a worker has measured in the last minutes, at even steps.

export const workerSeriesNames = ['cpu', 'ram', 'battery'] as const;

export type WorkerSeriesName = (typeof workerSeriesNames)[number];

export const secondsPerPoint = 5;
/** Five minutes. */
export const mostSeriesPoints = 60;

/** Those that were asked for, each oldest first; null: nothing was measured then. */
export interface WorkerSeries
  extends Readonly<Partial<Record<WorkerSeriesName, readonly (number | null)[]>>> {
  /** Where the newest point ends. */
  readonly until: string;
  readonly seconds_per_point: number;
}
