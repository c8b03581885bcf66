// A chart over time: lines with the band of what they leave out, what failed below them, and what happened as marks.
// It moves at its own pace, and stands still while somebody looks closely.

import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { coordinatorTime } from '../store/clock.ts';
import { pausedAtMs } from '../store/freshness.ts';
import { grouped, measured, unknown, withUnit } from '../text/numbers.ts';
import { clock, wholeDuration } from '../text/times.ts';
import { Button } from './button.tsx';
import { type Tokens, useCanvas } from './canvas.ts';
import { bucketAt, cursorMs } from './chart-cursor.ts';
import { type ChartData, type DrawnLine, frameOf, mostLines } from './chart-frame.ts';
import { margins } from './chart-geometry.ts';
import { type ChartMark, placeMarks } from './chart-marks.ts';
import { type HeldTop, holdTop } from './chart-scale.ts';
import { liveEdge, nextMoveIn } from './chart-window.ts';
import { drawPlot } from './line-plot.ts';

export type { ChartMark } from './chart-marks.ts';

interface LineChartProps extends ChartData {
  /** What it shows, as a sentence: its finding, not its kind. */
  readonly label: string;
  readonly unit: string;
  /** The length of what is seen. */
  readonly windowMs: number;
  /** Its end; absent: it is live. */
  readonly untilMs?: number;
  readonly marks?: readonly ChartMark[];
  /** The top of a fixed scale; absent: a round one that holds what is seen. */
  readonly most?: number;
  /** The least. */
  readonly height?: number;
}

interface Zoom {
  readonly fromMs: number;
  readonly untilMs: number;
}

const leastMoveMs = 40;
const calmMoveMs = 1_000;
const leastDrag = 6;

export function LineChart(props: LineChartProps) {
  const {
    label,
    unit,
    windowMs,
    untilMs,
    marks = [],
    most,
    height: least = 236,
    bucketMs,
    times,
  } = props;
  const box = useRef<HTMLDivElement>(null);
  const top = useRef<HeldTop | null>(null);
  const { width, height } = useRoom(box, least);
  const [isHeld, setHeld] = useState(false);
  const [zoom, setZoom] = useState<Zoom | null>(null);
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | null>(null);
  const inner = Math.max(1, width - margins.left - margins.right);
  const isLive = untilMs === undefined;
  const edge = useLiveEdge(windowMs / inner, isLive && !isHeld && zoom === null);
  const until = zoom?.untilMs ?? untilMs ?? edge;
  const from = zoom?.fromMs ?? until - windowMs;
  const frame = useMemo(
    () => frameOf(props, { fromMs: from, untilMs: until, width: inner, nowMs: coordinatorTime() }),
    [from, until, inner, times, props.lines, props.failures, props.chosen],
  );
  top.current = holdTop(top.current, frame.most, performance.now());
  const shownTop = most ?? top.current.top;
  const hasSticks = props.failures !== undefined;
  const draw = useCallback(
    (context: CanvasRenderingContext2D, token: Tokens) =>
      drawPlot(context, token, {
        frame,
        fromMs: from,
        untilMs: until,
        top: shownTop,
        hasSticks,
        width,
        height,
      }),
    [frame, from, until, shownTop, hasSticks, width, height],
  );
  const canvas = useCanvas({ width, height, draw });

  const timeAt = (x: number): number => from + ((until - from) * x) / inner;
  const pointed = (event: PointerEvent): number => {
    const { left } = (event.currentTarget as Element).getBoundingClientRect();
    return Math.min(inner, Math.max(0, event.clientX - left));
  };
  const move = (event: PointerEvent): void => {
    const x = pointed(event);
    cursorMs.value = timeAt(x);
    if (drag !== null) setDrag({ ...drag, to: x });
  };
  const release = (): void => {
    if (drag !== null && Math.abs(drag.to - drag.from) > leastDrag) {
      const [a, b] = [timeAt(drag.from), timeAt(drag.to)];
      if (Math.abs(b - a) > 3 * bucketMs) {
        setZoom({ fromMs: Math.min(a, b), untilMs: Math.max(a, b) });
      }
    }
    setDrag(null);
  };
  const leave = (): void => {
    cursorMs.value = null;
    setDrag(null);
  };
  const press = (event: KeyboardEvent): void => {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === 'Escape') {
      cursorMs.value = null;
      setZoom(null);
    } else if (way !== undefined) {
      const at = cursorMs.value ?? until;
      cursorMs.value = Math.min(until, Math.max(from, at + way * stepOf(bucketMs, from, until)));
    } else return;
    event.preventDefault();
  };
  const placed = placeMarks(marks, { fromMs: from, untilMs: until, width: inner });
  return (
    <figure
      class="chart"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => {
        setHeld(false);
        cursorMs.value = null;
      }}
    >
      <div class="drawn" ref={box} style={{ minHeight: `${least}px` }}>
        <canvas ref={canvas} />
        {!hasSticks ? null : (
          <span class="failed-axis" style={{ bottom: `${margins.bottom - 6}px` }}>
            failed
          </span>
        )}
        <div
          class="over"
          style={{
            left: `${margins.left}px`,
            top: `${margins.top}px`,
            width: `${inner}px`,
            bottom: `${margins.bottom}px`,
          }}
          role="img"
          aria-label={label}
          tabIndex={0}
          onPointerMove={move}
          onPointerDown={(event) => {
            if (event.pointerType === 'mouse' && event.button === 0) {
              const x = pointed(event);
              setDrag({ from: x, to: x });
            }
          }}
          onPointerUp={release}
          onPointerLeave={leave}
          onDblClick={() => setZoom(null)}
          onKeyDown={press}
        >
          {placed.lines.map((x) => (
            <i key={x} class="mark-line" style={{ left: `${x}px` }} />
          ))}
          {placed.texts.map(({ x, text, more, all, width: room, isBefore }) => (
            <span
              key={x}
              class={isBefore ? 'mark before' : 'mark'}
              title={all}
              style={{
                [isBefore ? 'right' : 'left']: `${isBefore ? inner - x : x}px`,
                maxWidth: `${room}px`,
              }}
            >
              {more === 0 ? text : `${text}, ${more} more`}
            </span>
          ))}
          {drag === null ? null : (
            <i
              class="drag"
              style={{
                left: `${Math.min(drag.from, drag.to)}px`,
                width: `${Math.abs(drag.to - drag.from)}px`,
              }}
            />
          )}
          <Cursor {...props} from={from} until={until} inner={inner} unit={unit} />
        </div>
        {isLive && (isHeld || zoom !== null) ? (
          <span class="go-live">
            <Button
              isSmall
              onPress={() => {
                setZoom(null);
                setHeld(false);
              }}
            >
              Go live
            </Button>
          </span>
        ) : null}
      </div>
      <Key
        lines={frame.lines}
        isSummary={props.lines.length > mostLines}
        stepMs={frame.stepMs > bucketMs ? frame.stepMs : null}
      />
    </figure>
  );
}

/** What the lines are, where there is more than one; `stepMs`: where they are means, of which time. */
function Key({
  lines,
  isSummary,
  stepMs,
}: {
  readonly lines: readonly DrawnLine[];
  readonly isSummary: boolean;
  readonly stepMs: number | null;
}) {
  if (lines.length < 2 && !isSummary && stepMs === null) return null;
  return (
    <figcaption class="key">
      {(lines.length < 2 ? [] : lines).map(({ name, colour, isDashed }) => (
        <span key={name}>
          <i
            class="line-sample"
            style={{ borderTop: `2px ${isDashed ? 'dashed' : 'solid'} var(--${colour})` }}
          />
          {name}
        </span>
      ))}
      {isSummary ? (
        <span class="mute">band: nine of ten</span>
      ) : stepMs === null ? null : (
        <span class="mute">{`mean of ${wholeDuration(stepMs / 1000)}, band: least to most`}</span>
      )}
    </figcaption>
  );
}

interface CursorProps extends ChartData {
  readonly from: number;
  readonly until: number;
  readonly inner: number;
  readonly unit: string;
}

function Cursor({
  times,
  bucketMs,
  lines,
  failures,
  chosen,
  from,
  until,
  inner,
  unit,
}: CursorProps) {
  const at = cursorMs.value;
  if (at === null || at < from || at > until) return <span class="unseen" aria-live="polite" />;
  const place = bucketAt(times, bucketMs, at);
  const x = Math.round(((at - from) * inner) / (until - from));
  const shown = lines.length > mostLines ? lines.filter(({ name }) => name === chosen) : lines;
  const told = (value: number | null | undefined): string =>
    value === null || value === undefined ? unknown : withUnit(measured(value), unit);
  const begin = clock(new Date(place === null ? at : times[place]!));
  const rows = shown.map(({ name, values }) => ({
    name,
    text: told(place === null ? null : values[place]),
  }));
  const failed = failures === undefined || place === null ? 0 : (failures[place] ?? 0);
  const spoken = [
    begin,
    ...rows.map(({ name, text }) => `${name} ${text}`),
    ...(failed > 0 ? [`${grouped(failed)} failed`] : []),
  ].join(', ');
  return (
    <>
      <i class="cursor" style={{ left: `${x}px` }} />
      <span
        class="reading"
        aria-hidden="true"
        style={x > inner / 2 ? { right: `${inner - x + 8}px` } : { left: `${x + 8}px` }}
      >
        <b>{begin}</b>
        {rows.map(({ name, text }) => (
          <span key={name}>
            {rows.length > 1 ? `${name} ` : ''}
            {text}
          </span>
        ))}
        {failed === 0 ? null : <span class="bad">{`${grouped(failed)} failed`}</span>}
      </span>
      <span class="unseen" aria-live="polite">
        {spoken}
      </span>
    </>
  );
}

/** A hundred steps of the keys from edge to edge, whole buckets. */
function stepOf(bucketMs: number, from: number, until: number): number {
  return bucketMs * Math.max(1, Math.round((until - from) / 100 / bucketMs));
}

/** Where its place is higher than it has to be it fills it. */
function useRoom(box: { readonly current: HTMLElement | null }, least: number) {
  const [room, setRoom] = useState({ width: 0, height: least });
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect;
      setRoom({ width: Math.floor(width), height: Math.max(least, Math.floor(height)) });
    });
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, [least]);
  return room;
}

/** Moves by whole pixels while it may; of a paused page it stays where it was. */
function useLiveEdge(msPerPixel: number, moves: boolean): number {
  const isPaused = pausedAtMs.value !== null;
  const [edge, setEdge] = useState(() => liveEdge(coordinatorTime(), msPerPixel));
  useEffect(() => {
    if (!moves || isPaused) return;
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    let timer: ReturnType<typeof setTimeout>;
    const step = (): void => {
      const now = coordinatorTime();
      if (!document.hidden) setEdge(liveEdge(now, msPerPixel));
      const wait = Math.max(calm ? calmMoveMs : leastMoveMs, nextMoveIn(now, msPerPixel));
      timer = setTimeout(step, wait);
    };
    step();
    return () => clearTimeout(timer);
  }, [msPerPixel, moves, isPaused]);
  return edge;
}
