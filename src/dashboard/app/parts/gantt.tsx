// Who did what when: bars in rows, grouped by device. One tab stop; arrows move from bar to bar, and what is under
// them is read.

import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import { clock, roughDuration } from '../text/times.ts';
import { cutName } from '../text/cut-name.ts';
import { counted } from '../text/words.ts';
import { useCanvas } from './canvas.ts';
import { boxOf, drawBars, undrawnBox } from './gantt-drawing.ts';
import {
  barNear,
  type BarPlace,
  busySpans,
  type GanttArrow,
  type GanttGroup,
  moveBar,
  type MoveKey,
  moveKeys,
  type PlacedRow,
  placeRows,
  rowHeight,
} from './gantt-rows.ts';
import {
  idleStretches,
  type Span,
  ticksOf,
  type TimeScale,
  timeScale,
  zoomed,
} from './time-scale.ts';
import type { ChartMark } from './chart-marks.ts';
import { GanttMarks } from './gantt-marks.tsx';
import { Undrawn } from './gantt-undrawn.tsx';
import { fillHatched } from './textures.ts';
import { useWidth } from './use-width.ts';

interface GanttProps {
  /** What it shows, as its finding. */
  readonly label: string;
  readonly groups: readonly GanttGroup[];
  readonly arrows?: readonly GanttArrow[];
  readonly span: Span;
  /** Bars that go on reach to here. */
  readonly nowMs: number;
  /** Absent: it cannot be zoomed. Null: back to the span that moves along. */
  readonly onSpan?: (span: Span | null) => void;
  readonly onOpen?: (href: string) => void;
  /** What stands at the right edge where the bars that go on end; `now` by default. */
  readonly endName?: string;
  /** What was then is not told, or not all of it. */
  readonly undrawn?: Span | null;
  /** What happened to all of them at once. */
  readonly marks?: readonly ChartMark[];
  /** Long stretches in which nothing happens are shown as they are. */
  readonly isUnfolded?: boolean;
}

const noMarks: readonly ChartMark[] = [];
const axis = 22;
const bottomAxis = 20;
const smallFrom = 520;
const tickApart = 84;
const dragFrom = 6;
const near = 5;

export function Gantt(props: GanttProps) {
  const { label, groups, arrows = [], span, nowMs, onSpan, onOpen, isUnfolded = false } = props;
  const { endName = 'now', undrawn = null, marks = noMarks } = props;
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [chosen, setChosen] = useState<string | null>(null);
  const [hovered, setHovered] = useState<string | null>(null);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const isSmall = width < smallFrom;
  const left = isSmall ? 84 : 148;
  const { rows, height } = useMemo(() => placeRows(groups, axis), [groups]);
  const scale = useMemo(() => {
    // What is not drawn is not idle.
    const unknown = undrawn === null ? [] : [undrawn];
    const idle = isUnfolded ? [] : idleStretches([...unknown, ...busySpans(groups, nowMs)], span);
    return timeScale(span, { left, right: Math.max(left + 20, width - 6) }, idle);
  }, [groups, span.from, span.to, left, width, isUnfolded, nowMs, undrawn]);
  const hidden = useMemo(
    () => undrawnBox(undrawn, scale, { y: axis - 4, height: height - axis + 8 }),
    [undrawn, scale, height],
  );
  const draw = useCallback(
    (context: CanvasRenderingContext2D, token: (name: string) => string) => {
      if (hidden !== null) fillHatched(context, hidden, token('line'));
      drawBars(context, rows, { scale, nowMs, token });
    },
    [rows, scale, nowMs, hidden],
  );
  const canvas = useCanvas({ width, height, draw });

  const place = placeOf(rows, chosen);
  const at = (event: { readonly clientX: number; readonly clientY: number }) => {
    const edge = canvas.current!.getBoundingClientRect();
    return { x: event.clientX - edge.left, y: event.clientY - edge.top };
  };
  const barUnder = (point: { x: number; y: number }): BarPlace | null => {
    const row = rows.findIndex(({ y }) => point.y >= y - 1 && point.y < y + rowHeight + 1);
    if (row < 0 || point.x < left - near) return null;
    const reach = (scale.at(point.x + near) - scale.at(point.x - near)) / 2;
    const bar = barNear(rows[row], scale.at(point.x), reach, nowMs);
    return bar === null ? null : { row, bar };
  };
  const open = (found: BarPlace | null): void => {
    const href = found === null ? undefined : rows[found.row]?.bars[found.bar]?.href;
    if (href !== undefined) onOpen?.(href);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    if (moveKeys.includes(event.key)) {
      const next = moveBar(rows, place, event.key as MoveKey, nowMs);
      setChosen(next === null ? null : rows[next.row]!.bars[next.bar]!.id);
    } else if (event.key === 'Enter') open(place);
    else if (onSpan !== undefined && '+-0'.includes(event.key)) {
      const bar = place === null ? null : rows[place.row]!.bars[place.bar]!;
      const middle = bar === null ? (span.from + span.to) / 2 : (bar.from + (bar.to ?? nowMs)) / 2;
      onSpan(event.key === '0' ? null : zoomed(span, middle, event.key === '+' ? 0.5 : 2));
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shown = placeOf(rows, hovered) ?? place;
  const told = shown === null ? null : rows[shown.row]!.bars[shown.bar]!;
  const outlined =
    shown === null || told === null ? null : boxOf(told, rows[shown.row]!, scale, nowMs);
  return (
    <div class="gantt" ref={box}>
      <div
        class="chart"
        role="application"
        aria-roledescription="chart of times"
        aria-label={`${label} Arrows move from bar to bar.`}
        tabIndex={0}
        style={{ height: `${height + bottomAxis}px` }}
        onKeyDown={press}
        onPointerMove={(event) => {
          const point = at(event);
          if (drag === null) {
            const found = barUnder(point);
            setHovered(found === null ? null : rows[found.row]!.bars[found.bar]!.id);
          } else setDrag({ ...drag, to: point.x });
        }}
        onPointerLeave={() => setHovered(null)}
        onPointerDown={(event) => {
          const { x } = at(event);
          if (onSpan === undefined || event.pointerType !== 'mouse' || event.button !== 0) return;
          if (x < left) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ from: x, to: x });
        }}
        onPointerUp={(event) => {
          const point = at(event);
          const wide = drag !== null && Math.abs(drag.to - drag.from) >= dragFrom;
          setDrag(null);
          if (drag !== null && wide) {
            const [from, to] = [drag.from, drag.to].toSorted((a, b) => a - b) as [number, number];
            onSpan?.({ from: scale.at(from), to: scale.at(to) });
            return;
          }
          const found = barUnder(point);
          setChosen(found === null ? null : rows[found.row]!.bars[found.bar]!.id);
          if (event.pointerType === 'mouse') open(found);
        }}
      >
        <canvas ref={canvas} style={{ width: `${width}px`, height: `${height}px` }} />
        <svg width={width} height={height + bottomAxis} aria-hidden="true">
          <Axis
            scale={scale}
            height={height}
            endName={span.to >= nowMs - 5_000 ? endName : null}
            isSmall={isSmall}
          />
          <Undrawn box={hidden} />
          <GanttMarks marks={marks} scale={scale} top={axis} height={height} />
          <Names rows={rows} isSmall={isSmall} width={left} />
          <Notes rows={rows} scale={scale} width={width} />
          <Arrows arrows={arrows} rows={rows} scale={scale} />
          {outlined === null ? null : (
            <rect
              class="chosen"
              x={outlined.x - 1.5}
              y={outlined.y - 1.5}
              width={outlined.width + 3}
              height={outlined.height + 3}
              rx="2"
            />
          )}
          {drag === null ? null : (
            <rect
              class="drag"
              x={Math.min(drag.from, drag.to)}
              y={axis - 4}
              width={Math.abs(drag.to - drag.from)}
              height={height - axis + 8}
            />
          )}
        </svg>
      </div>
      <p class="told" aria-live="polite">
        {told?.told ?? ''}
        {told?.href === undefined || hovered === told.id ? null : (
          <a class="link reach" href={told.href}>
            Open
          </a>
        )}
      </p>
    </div>
  );
}

function placeOf(rows: readonly PlacedRow[], id: string | null): BarPlace | null {
  if (id === null) return null;
  for (const [row, { bars }] of rows.entries()) {
    const bar = bars.findIndex((each) => each.id === id);
    if (bar >= 0) return { row, bar };
  }
  return null;
}

interface AxisProps {
  readonly scale: TimeScale;
  readonly height: number;
  readonly endName: string | null;
  readonly isSmall: boolean;
}

function Axis({ scale, height, endName, isSmall }: AxisProps) {
  const ticks = ticksOf(scale, isSmall ? 56 : tickApart);
  const isFine = ticks.some(({ at }) => at % 60_000 !== 0);
  const free = scale.right - (endName === null ? 0 : 46);
  return (
    <g>
      {ticks.map(({ at, x }) => (
        <g key={at}>
          <path class="line" d={`M${x} ${axis - 6}V${height}`} />
          {x > free ? null : <TickText at={at} x={x} height={height} isFine={isFine} />}
        </g>
      ))}
      {endName === null
        ? null
        : [10, height + 14].map((y) => (
            <text key={y} x={scale.right} y={y} text-anchor="end">
              {endName}
            </text>
          ))}
      {scale.folds.map(({ from, to, left, right }) => (
        <g key={from}>
          <path
            class="fold"
            d={`M${left + 3} ${axis - 6}V${height}M${right - 3} ${axis - 6}V${height}`}
          />
          <text class="folded" x={(left + right) / 2} y={(axis + height) / 2} text-anchor="middle">
            {roughDuration((to - from) / 1000)}
          </text>
        </g>
      ))}
    </g>
  );
}

interface TickTextProps {
  readonly at: number;
  readonly x: number;
  readonly height: number;
  readonly isFine: boolean;
}

function TickText({ at, x, height, isFine }: TickTextProps) {
  const text = clock(new Date(at));
  return (
    <>
      {[10, height + 14].map((y) => (
        <text key={y} x={x} y={y} text-anchor="middle">
          {isFine ? text : text.slice(0, 5)}
        </text>
      ))}
    </>
  );
}

interface NamesProps {
  readonly rows: readonly PlacedRow[];
  readonly isSmall: boolean;
  readonly width: number;
}

function Names({ rows, isSmall, width }: NamesProps) {
  const most = Math.floor((width - 12) / (isSmall ? 6.2 : 6.6));
  return (
    // Wide letters are cut off where the bars begin.
    <svg width={Math.max(0, width - 6)} height="100%">
      {rows.map(({ group, id, y }) => {
        if (group.rows[0]?.id !== id) return null;
        const middle = y + (group.rows.length * (rowHeight + 2)) / 2 + 3;
        const name = (
          <text class="name" x="0" y={middle}>
            {cutName(group.name, most)}
            <title>{group.name}</title>
          </text>
        );
        const more = group.more ?? 0;
        // Everybody finds them in the table behind it; here they are for the mouse.
        return group.href === undefined ? (
          <g key={id}>{name}</g>
        ) : (
          <g key={id}>
            <a href={group.href} tabindex={-1}>
              <rect
                class="reached"
                y={y - 4}
                width={width - 8}
                height={group.rows.length * (rowHeight + 2) + 6}
              />
              {name}
            </a>
            {more === 0 || group.rows.length < 3 ? null : (
              <text x="0" y={middle + 15}>
                {`${counted(more, 'slot')} more`}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

function Notes({
  rows,
  scale,
  width,
}: {
  readonly rows: readonly PlacedRow[];
  readonly scale: TimeScale;
  readonly width: number;
}) {
  return (
    <g>
      {rows.map(({ group, id, y }) => {
        const { note } = group;
        if (note === undefined || group.rows[0]?.id !== id) return null;
        if (note.at < scale.span.from || note.at > scale.span.to) return null;
        const x = scale.x(note.at) + 8;
        const isBeside = x + note.text.length * 6 < width;
        return (
          <text
            key={id}
            class={`note ${note.kind}`}
            x={isBeside ? x : scale.x(note.at) - 8}
            y={y + (group.rows.length * (rowHeight + 2)) / 2 + 3}
            text-anchor={isBeside ? 'start' : 'end'}
          >
            {note.text}
          </text>
        );
      })}
    </g>
  );
}

interface ArrowsProps {
  readonly arrows: readonly GanttArrow[];
  readonly rows: readonly PlacedRow[];
  readonly scale: TimeScale;
}

function Arrows({ arrows, rows, scale }: ArrowsProps) {
  const tops = new Map(rows.map(({ id, y }) => [id, y]));
  return (
    <g>
      {arrows.map(({ id, from, to, label, isHollow = false }) => {
        const [top, end] = [tops.get(from.row), tops.get(to.row)];
        if (top === undefined || end === undefined || to.at < scale.span.from) return null;
        const [x1, y1] = [scale.x(Math.max(from.at, scale.span.from)), top + rowHeight / 2];
        const [x2, y2] = [scale.x(to.at), end + rowHeight / 2];
        const bend = Math.min(30, Math.max(10, (x2 - x1) / 2));
        return (
          <g key={id} class={isHollow ? 'arrow hollow' : 'arrow'}>
            <path
              d={`M${x1} ${y1}C${x1 + 6} ${(y1 + y2) / 2},${x2 - bend} ${y2},${x2 - 5} ${y2}`}
            />
            <path class="head" d={`M${x2} ${y2}l-6-3.4v6.8z`} />
            <text x={x2 + 5} y={y2 + 3.6}>
              {label}
            </text>
          </g>
        );
      })}
    </g>
  );
}
