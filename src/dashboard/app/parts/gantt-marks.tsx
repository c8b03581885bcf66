// What happened to all rows of a Gantt at once: a line through them, with its name where there is room for it.

import type { ChartMark } from './chart-marks.ts';
import type { TimeScale } from './time-scale.ts';

const leastBetween = 80;

interface GanttMarksProps {
  readonly marks: readonly ChartMark[];
  readonly scale: TimeScale;
  readonly top: number;
  readonly height: number;
}

export function GanttMarks({ marks, scale, top, height }: GanttMarksProps) {
  const { from, to } = scale.span;
  const seen = marks
    .filter(({ atMs }) => atMs >= from && atMs <= to)
    .map(({ atMs, text, short = text }) => ({ atMs, text, short, x: scale.x(atMs) }))
    .toSorted((a, b) => a.x - b.x);
  return (
    <g>
      {seen.map(({ atMs, text, short, x }, place) => (
        <g key={atMs}>
          <path class="marked" d={`M${x} ${top - 6}V${height}`}>
            <title>{text}</title>
          </path>
          {(seen[place + 1]?.x ?? scale.right) - x < leastBetween ? null : (
            <text class="note" x={x + 4} y={top + 6}>
              {short}
            </text>
          )}
        </g>
      ))}
    </g>
  );
}
