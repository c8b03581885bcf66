// What a chart draws: its lines, thinned to the pixels that there are, on the window that it shows.

import { downSample, stepLength, sumSteps } from './down-sampling.ts';
import { spreadOf } from './chart-spread.ts';

export interface ChartLine {
  readonly name: string;
  /** One for each bucket; null: nothing was measured. */
  readonly values: readonly (number | null)[];
  /** Name of a token, as `completed`; without one lines have those of the criteria, in their order. */
  readonly colour?: string;
  /** Filled down to 0. */
  readonly isArea?: boolean;
}

export interface ChartData {
  /** Begins of the buckets, ascending, in ms; one that is missing is a gap. */
  readonly times: readonly number[];
  readonly bucketMs: number;
  /** Beyond eight: their median, the band of nine of ten, and the chosen one. */
  readonly lines: readonly ChartLine[];
  readonly chosen?: string | undefined;
  /** Counts, as sticks on a base line of their own. */
  readonly failures?: readonly number[] | undefined;
}

export interface ChartWindow {
  readonly fromMs: number;
  readonly untilMs: number;
  /** Of the plot, in pixels. */
  readonly width: number;
  /** Buckets that end later are not over. */
  readonly nowMs: number;
}

export interface DrawnLine {
  readonly name: string;
  readonly colour: string;
  readonly isArea: boolean;
  readonly isDashed: boolean;
  readonly mean: readonly (number | null)[];
  /** Null where each step is one bucket: there is nothing between least and most. */
  readonly band: {
    readonly least: readonly (number | null)[];
    readonly most: readonly (number | null)[];
  } | null;
}

export interface ChartFrame {
  readonly stepMs: number;
  readonly times: readonly number[];
  readonly lines: readonly DrawnLine[];
  /** Of buckets that are not over, drawn hollow. */
  readonly hollow: readonly {
    readonly atMs: number;
    readonly value: number;
    readonly colour: string;
  }[];
  readonly sticks: readonly { readonly atMs: number; readonly count: number }[];
  /** Of all that is seen. */
  readonly most: number;
}

export const mostLines = 8;

export function frameOf(data: ChartData, window: ChartWindow): ChartFrame {
  const { bucketMs } = data;
  const { fromMs, untilMs, width, nowMs } = window;
  const stepMs = stepLength(bucketMs, (untilMs - fromMs) / Math.max(1, width));
  // A step more on each side, so that lines go on to the edges.
  const first = data.times.findIndex((time) => time > fromMs - 2 * stepMs);
  const begin = first < 0 ? data.times.length : first;
  const isSeen = (time: number): boolean => time < untilMs + stepMs;
  const end = data.times.findLastIndex((time) => isSeen(time) && time + bucketMs <= nowMs) + 1;
  const times = data.times.slice(begin, end);
  const cut = (line: ChartLine): ChartLine => ({ ...line, values: line.values.slice(begin, end) });
  const lines = data.lines.length > mostLines ? [] : data.lines.map(cut);
  const drawn =
    data.lines.length > mostLines
      ? summary(data.lines.map(cut), data.chosen, { times, stepMs })
      : lines.map((line, place) => drawnLine(line, place, { times, stepMs, bucketMs }));
  const open = data.times.slice(end).filter(isSeen);
  const hollow = open.flatMap((time, behind) =>
    lines.flatMap((_, place) => {
      const value = data.lines[place]!.values[end + behind] ?? null;
      const atMs = time + Math.min(bucketMs, Math.max(0, nowMs - time)) / 2;
      return value === null || atMs > untilMs
        ? []
        : [{ atMs, value, colour: drawn[place]!.colour }];
    }),
  );
  const { failures } = data;
  const sticks =
    failures === undefined
      ? []
      : sumSteps(failures.slice(begin, end + open.length), {
          times: data.times.slice(begin, end + open.length),
          stepMs,
        }).filter(({ count }) => count > 0);
  return {
    stepMs,
    times: downSample([], { times, stepMs }).times,
    lines: drawn,
    hollow,
    sticks,
    most: mostOf(drawn, hollow),
  };
}

interface Stepping {
  readonly times: readonly number[];
  readonly stepMs: number;
}

function drawnLine(
  { name, values, colour, isArea = false }: ChartLine,
  place: number,
  { times, stepMs, bucketMs }: Stepping & { readonly bucketMs: number },
): DrawnLine {
  const { mean, least, most } = downSample(values, { times, stepMs });
  return {
    name,
    colour: colour ?? `c${(place % mostLines) + 1}`,
    isArea,
    isDashed: colour === undefined && place % 2 === 1,
    mean,
    band: stepMs === bucketMs ? null : { least, most },
  };
}

function summary(
  lines: readonly ChartLine[],
  chosen: string | undefined,
  stepping: Stepping,
): readonly DrawnLine[] {
  const { median, low, high } = spreadOf(lines.map(({ values }) => values));
  const plain = { isArea: false, isDashed: false };
  const middle: DrawnLine = {
    ...plain,
    name: `median of ${lines.length}`,
    colour: 'ink-3',
    mean: downSample(median, stepping).mean,
    band: { least: downSample(low, stepping).least, most: downSample(high, stepping).most },
  };
  const one = lines.find(({ name }) => name === chosen);
  if (one === undefined) return [middle];
  const { mean } = downSample(one.values, stepping);
  return [middle, { ...plain, name: one.name, colour: 'ink', mean, band: null }];
}

function mostOf(lines: readonly DrawnLine[], hollow: ChartFrame['hollow']): number {
  let most = 0;
  for (const { value } of hollow) most = Math.max(most, value);
  for (const { mean, band } of lines) {
    for (const value of band?.most ?? mean) if (value !== null) most = Math.max(most, value);
  }
  return most;
}
