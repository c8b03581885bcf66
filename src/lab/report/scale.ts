// The scale of an axis: where a value lies, and at which round values there are ticks.

import { decimalsOfStep, withDecimals } from '../outcome/figures.ts';

export interface Scale {
  /** Ends of the axis, both of them ticks. */
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly Tick[];
  /** In pixels. */
  readonly at: (value: number) => number;
}

export interface Tick {
  readonly value: number;
  readonly label: string;
}

export interface ScaleOptions {
  /** Pixels where the axis begins and ends. */
  readonly from: number;
  readonly to: number;
  /** At most about so many spaces between ticks. */
  readonly spaces: number;
}

/** Of values that are all finite; of one value: around it; of none: around 0. */
export function scaleOf(values: readonly number[], { from, to, spaces }: ScaleOptions): Scale {
  let low = Math.min(...(values.length === 0 ? [0] : values));
  let high = Math.max(...(values.length === 0 ? [0] : values));
  // Where little is lost by it, an axis begins at 0.
  if (low > 0 && low <= high * 0.4) low = 0;
  if (high < 0 && high >= low * 0.4) high = 0;
  // Closer than doubles could tell apart on the way to pixels: as one value.
  if (high - low <= Math.max(Math.abs(low), Math.abs(high)) * 1e-9) {
    const around = low === 0 ? 1 : Math.abs(low) * 0.05;
    [low, high] = [low - around, high + around];
  }
  const ticks = ticksOf(low, high, { from, to, spaces });
  [low, high] = [ticks[0]!.value, ticks.at(-1)!.value];
  return {
    low,
    high,
    ticks,
    at: (value) => from + ((value - low) / (high - low)) * (to - from),
  };
}

const letterPx = 7;

/** So many that their labels have room. */
function ticksOf(low: number, high: number, options: ScaleOptions): readonly Tick[] {
  const { from, to, spaces } = options;
  const step = roundStep((high - low) / spaces);
  // A hair of rounding makes no tick more.
  const first = Math.floor(low / step + 1e-6);
  const last = Math.ceil(high / step - 1e-6);
  const decimals = decimalsOfStep(step);
  const ticks = Array.from({ length: last - first + 1 }, (_, i): Tick => {
    const value = (first + i) * step;
    return { value, label: withDecimals(value, decimals) };
  });
  const letters = Math.max(...ticks.map(({ label }) => label.length));
  const hasRoom = (to - from) / (ticks.length - 1) >= letters * letterPx + 8;
  return hasRoom || spaces <= 1 ? ticks : ticksOf(low, high, { from, to, spaces: spaces - 1 });
}

/** The next of 1, 2, 5, 10, 20 … that is not below. */
function roundStep(least: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(least));
  const digit = [1, 2, 5, 10].find((each) => each >= least / magnitude - 1e-9)!;
  return digit * magnitude;
}
