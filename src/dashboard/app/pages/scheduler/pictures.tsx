// The pictures of the methods: bars against an average or an optimum, columns around a border, dots on an axis.

import { criterionIds } from '../../../../protocol/criteria.ts';
import type { RankedWorkerResource } from '../../../../protocol/scheduling-info.ts';
import { colourOf } from '../../look/criterion-colours.ts';
import { borderColumns } from './border-columns.ts';
import { headOf, signed } from './criteria.ts';
import { scoreText } from './findings.ts';
import { methodOf } from './methods.ts';
import { scoreAxis } from './score-axis.ts';
import { optimumOf, type Segment, stackedBars } from './stacked-bars.ts';
import { measured } from '../../text/numbers.ts';
import { cutName } from '../../text/cut-name.ts';

export interface PictureProps {
  readonly algorithm: string;
  /** Best first. */
  readonly rows: readonly RankedWorkerResource[];
  readonly width: number;
  /** What it shows, in a sentence. */
  readonly finding: string;
  readonly nameOf: (id: string) => string;
}

/** In less room nothing can be read. */
export const leastWidth = 240;
const rowHeight = 21;
const barHeight = 12;
const top = 26;
const right = 56;

export function partsOf({ worker_id: key, criteria, details }: RankedWorkerResource) {
  const parts = criterionIds.flatMap((id) => {
    const cell = criteria[id];
    return cell === undefined || cell.weight === 0 ? [] : [[id, cell.contribution] as const];
  });
  return { key, parts, details };
}

/** edas, aras, wrr: what each criterion contributes, one after the other. */
export function BarsPicture({ algorithm, rows, width, finding, nameOf }: PictureProps) {
  const left = leftOf(width);
  const room = { x: left, width: width - left - right };
  const made = rows.map(partsOf);
  const isAras = algorithm === 'aras';
  const optimum = isAras ? optimumOf(made) : null;
  const all = optimum === null ? made : [{ key: '', parts: optimum.parts }, ...made];
  const { zero, unit, bars } = stackedBars(all, {
    ...room,
    ...(optimum === null ? {} : { least: optimum.sum }),
  });
  const line = optimum === null ? zero : zero + optimum.sum * unit;
  const height = top + all.length * rowHeight + 6;
  const isSmall = width < 500;
  const rowOf = (place: number) => rows[optimum === null ? place : place - 1];
  return (
    <Svg {...{ width, height, finding }}>
      {algorithm === 'edas' ? (
        <>
          <text x={zero - 8} y="12" text-anchor="end">
            {isSmall ? 'worse' : 'worse than average'}
          </text>
          <text x={zero + 8} y="12">
            {isSmall ? 'better' : 'better than average'}
          </text>
        </>
      ) : (
        <text x={isAras ? line : left} y="12" text-anchor={isAras ? 'end' : 'start'}>
          {isAras ? 'the optimum' : 'made of'}
        </text>
      )}
      <text x={width} y="12" text-anchor="end">
        {algorithm === 'wrr' ? 'share' : 'score'}
      </text>
      {bars.map(({ key, segments, end }, place) => {
        const row = rowOf(place);
        const y = top + place * rowHeight;
        return (
          <g key={key}>
            <RowHint text={toldOf(algorithm, row, nameOf)} {...{ y, width }} />
            <RowName {...{ row, y, left, nameOf }} />
            {isAras && end < line - 2 ? (
              <path class="gap" d={`M${end + 3} ${y + 10.5}H${line}`} />
            ) : null}
            <g opacity={row === undefined || row.eligible ? 1 : 0.4}>
              <Segments segments={segments} y={y + 4} />
            </g>
            <text class="score" x={width} y={y + 15} text-anchor="end">
              {row === undefined ? '1.00' : scoreText(algorithm, row)}
            </text>
          </g>
        );
      })}
      {algorithm === 'wrr' ? null : <path class="line" d={`M${line} ${top - 6}V${height - 4}`} />}
    </Svg>
  );
}

function Segments({ segments, y }: { readonly segments: readonly Segment[]; readonly y: number }) {
  return segments.map(({ criterion, x, width }) => (
    <rect
      key={criterion}
      x={x}
      y={y}
      // A thin line between neighbours.
      width={Math.max(0.5, width - 1)}
      height={barHeight}
      fill={colourOf(criterion)}
    />
  ));
}

const namesBelow = 104;

/** mabac: the border is the line of the water. */
export function BorderPicture({ rows, width, finding, nameOf }: PictureProps) {
  const height = 260;
  const left = 52;
  const made = rows.map((row) => ({ ...partsOf(row), score: row.score ?? 0 }));
  const room = { x: left, width: width - left, top: 12, height: height - 24 };
  const { border, columns } = borderColumns(made, room);
  return (
    <Svg {...{ width, height: height + namesBelow, finding }}>
      <rect class="below" x={left} y={border} width={width - left} height={height - border} />
      <text x="0" y="22">
        above
      </text>
      <text x="0" y={border + 4} class="name">
        border
      </text>
      <text x="0" y={Math.max(border + 22, height - 4)}>
        below
      </text>
      {columns.map(({ key, x, width: wide, y, dots }, place) => {
        const row = rows[place]!;
        return (
          <g key={key}>
            <RowHint
              text={toldOf('mabac', row, nameOf)}
              {...{ x, width: wide, height: height + namesBelow }}
            />
            <rect
              class="sum"
              x={x}
              y={Math.min(y, border)}
              width={wide}
              height={Math.abs(y - border)}
              opacity={row.eligible ? 1 : 0.5}
            />
            <path class="cap" d={`M${x} ${y}h${wide}`} />
            {dots.map(({ criterion, x: dotX, y: dotY }) => (
              <circle key={criterion} cx={dotX} cy={dotY} r="3.4" fill={colourOf(criterion)} />
            ))}
            <text
              class={row.selected ? 'name chosen' : 'name'}
              transform={`translate(${x + wide / 2 - 4} ${height + 8}) rotate(90)`}
            >
              {cutName(nameOf(key), 13)}
            </text>
          </g>
        );
      })}
      <path class="line" d={`M${left} ${border}H${width}`} />
    </Svg>
  );
}

/** All others: a dot for each on the axis of what they compare. */
export function AxisPicture({ algorithm, rows, width, finding, nameOf }: PictureProps) {
  const left = leftOf(width);
  const room = { x: left + 8, width: width - left - right - 16 };
  const { dots, ticks } = scoreAxis(
    rows.map(({ worker_id: key, score, rank }) => ({ key, score: score ?? rank })),
    room,
  );
  const height = top + rows.length * rowHeight + 6;
  return (
    <Svg {...{ width, height, finding }}>
      <text x="0" y="12">
        {methodOf(algorithm).score ?? 'place'}
      </text>
      {ticks.map(({ value, x }) => (
        <g key={value}>
          <path class="grid" d={`M${x} ${top - 6}V${height - 4}`} />
          <text x={x} y="12" text-anchor="middle">
            {measured(value)}
          </text>
        </g>
      ))}
      {rows.map((row, place) => {
        const y = top + place * rowHeight;
        const { x } = dots[place]!;
        return (
          <g key={row.worker_id}>
            <RowHint text={toldOf(algorithm, row, nameOf)} {...{ y, width }} />
            <RowName {...{ row, y, left, nameOf }} />
            <path class="gap" d={`M${room.x} ${y + 10.5}H${x}`} />
            <circle
              class={row.selected ? 'dot chosen' : 'dot'}
              cx={x}
              cy={y + 10.5}
              r={row.selected ? 5.5 : 4.5}
              opacity={row.eligible ? 1 : 0.4}
            />
            <text class="score" x={width} y={y + 15} text-anchor="end">
              {scoreText(algorithm, row)}
            </text>
          </g>
        );
      })}
    </Svg>
  );
}

/** All scores, where not all have a row of their own. */
export function ScoreStrip({ rows, width, finding }: Omit<PictureProps, 'nameOf' | 'algorithm'>) {
  const { dots, ticks } = scoreAxis(
    rows.map(({ worker_id: key, score, rank }) => ({ key, score: score ?? rank })),
    { x: 14, width: width - 28 },
  );
  return (
    <Svg {...{ width, height: 38, finding }}>
      {ticks.map(({ value, x }) => (
        <text key={value} x={x} y="36" text-anchor="middle">
          {measured(value)}
        </text>
      ))}
      {dots.map(({ key, x }, place) => (
        <circle
          key={key}
          class={rows[place]!.selected ? 'dot chosen' : 'dot faint'}
          cx={x}
          cy="11"
          r={rows[place]!.selected ? 5.5 : 4}
        />
      ))}
    </Svg>
  );
}

interface SvgProps {
  readonly width: number;
  readonly height: number;
  readonly finding: string;
  readonly children: preact.ComponentChildren;
}

export function Svg({ width, height, finding, children }: SvgProps) {
  return (
    <svg
      class="scheduler-picture"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={finding}
    >
      {children}
    </svg>
  );
}

function toldOf(
  algorithm: string,
  row: RankedWorkerResource | undefined,
  nameOf: (id: string) => string,
): string {
  if (row === undefined) return 'optimum';
  const parts = partsOf(row).parts.map(([id, value]) => `${headOf(id)} ${signed(value)}`);
  const why = row.reasons.map(({ text }) => text);
  return [`${nameOf(row.worker_id)}: ${scoreText(algorithm, row)}`, ...parts, ...why].join(', ');
}

interface RowHintProps {
  readonly text: string;
  readonly x?: number;
  readonly y?: number;
  readonly width: number;
  readonly height?: number;
}

/** What a row tells whoever points at it or touches it, wherever in it. */
export function RowHint({ text, height = rowHeight, ...place }: RowHintProps) {
  return (
    <>
      <title>{text}</title>
      <rect class="surface" height={height} {...place} />
    </>
  );
}

interface RowNameProps {
  /** Absent: the optimum. */
  readonly row: RankedWorkerResource | undefined;
  readonly y: number;
  readonly left: number;
  readonly nameOf: (id: string) => string;
}

function RowName({ row, y, left, nameOf }: RowNameProps) {
  const name = row === undefined ? 'optimum' : nameOf(row.worker_id);
  const isChosen = row === undefined || row.selected;
  return (
    <text class={isChosen ? 'name chosen' : 'name'} x="0" y={y + 15}>
      {cutName(name, left > 120 ? 21 : 12)}
    </text>
  );
}

export function leftOf(width: number): number {
  return width < 500 ? 92 : 156;
}
