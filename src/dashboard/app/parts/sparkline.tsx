// The last minutes of one number, on a fixed scale; its newest value stands beside it as text.

interface SparklineProps {
  /** Oldest first; null where nothing was told: a gap. */
  readonly values: readonly (number | null)[];
  /** The top of the scale; the bottom is 0. */
  readonly most: number;
}

const width = 88;
const height = 22;

export function Sparkline({ values, most }: SparklineProps) {
  const at = (value: number, place: number): string => {
    const x = values.length < 2 ? width : (place * width) / (values.length - 1);
    const y = height - 1 - (Math.min(most, Math.max(0, value)) / most) * (height - 2);
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  };
  let line = '';
  let isDown = false;
  for (const [place, value] of values.entries()) {
    if (value !== null) line += `${isDown ? 'L' : 'M'}${at(value, place)}`;
    isDown = value !== null;
  }
  const last = values.at(-1);
  return (
    <svg
      class="sparkline"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      aria-hidden="true"
    >
      <path class="floor" d={`M0 ${height - 0.5}H${width}`} />
      <path class="line" d={line} />
      {last === null || last === undefined ? null : (
        <circle cx={width - 1.5} cy={at(last, values.length - 1).split(' ')[1]} r="1.8" />
      )}
    </svg>
  );
}
