// Draws the bars of a Gantt on its canvas.

import type { Tokens } from './canvas.ts';
import { type GanttBar, type PlacedRow, rowHeight } from './gantt-rows.ts';
import { fillFailed, fillHatched, fillLined, outline } from './textures.ts';
import type { Span, TimeScale } from './time-scale.ts';

const leastWidth = 2;
const labelFrom = 40;
const marksFrom = 12;
const gap = 1.5;

export interface BarBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Null: it is not in the span. */
export function boxOf(
  { from, to }: GanttBar,
  { y }: PlacedRow,
  scale: TimeScale,
  nowMs: number,
): BarBox | null {
  const end = to ?? Math.max(nowMs, from);
  if (end < scale.span.from || from > scale.span.to) return null;
  const left = scale.x(Math.max(from, scale.span.from));
  const right = scale.x(Math.min(end, scale.span.to));
  return { x: left, y, width: Math.max(leastWidth, right - left - gap), height: rowHeight };
}

/** Null: all of the span is drawn. */
export function undrawnBox(
  undrawn: Span | null,
  { span, x }: TimeScale,
  place: Pick<BarBox, 'y' | 'height'>,
): BarBox | null {
  if (undrawn === null || undrawn.to <= span.from || undrawn.from >= span.to) return null;
  const left = x(Math.max(span.from, undrawn.from));
  return { ...place, x: left, width: x(Math.min(span.to, undrawn.to)) - left };
}

export function drawBars(
  context: CanvasRenderingContext2D,
  rows: readonly PlacedRow[],
  { scale, nowMs, token }: { scale: TimeScale; nowMs: number; token: Tokens },
): void {
  for (const row of rows) {
    for (const bar of row.bars) {
      const box = boxOf(bar, row, scale, nowMs);
      if (box === null) continue;
      drawBar(context, bar, box, token);
      if (box.width >= marksFrom) drawMarks(context, bar, box, scale, token);
    }
  }
}

function drawBar(
  context: CanvasRenderingContext2D,
  { kind, colour, label }: GanttBar,
  box: BarBox,
  token: Tokens,
): void {
  const { x, y, width, height } = box;
  switch (kind) {
    case 'failed':
      fillFailed(context, box, token);
      break;
    case 'assigned':
      fillHatched(context, box, token(colour ?? 'assigned'));
      break;
    case 'superseded':
      fillLined(context, box, token(colour ?? 'cancelled'));
      break;
    case 'lost':
      context.setLineDash([3, 2]);
      outline(context, box, token(colour ?? 'ink-3'));
      context.setLineDash([]);
      context.fillStyle = token('failed');
      context.fillRect(x + width - 1, y - 1, 2, height + 2);
      break;
    case 'completed':
    case 'running':
      context.globalAlpha = kind === 'completed' && colour === undefined ? 0.55 : 1;
      context.fillStyle = token(colour ?? kind);
      context.beginPath();
      context.roundRect(x, y, width, height, 1.5);
      context.fill();
      context.globalAlpha = 1;
  }
  if (label !== undefined && width >= labelFrom) drawLabel(context, label, box, token);
}

function drawLabel(
  context: CanvasRenderingContext2D,
  label: string,
  { x, y, width, height }: BarBox,
  token: Tokens,
): void {
  context.save();
  context.beginPath();
  context.rect(x, y, width - 3, height);
  context.clip();
  context.font = `500 10px ${token('sans')}`;
  context.textBaseline = 'middle';
  // An edge of the colour of the page keeps it readable on every colour.
  context.lineWidth = 3;
  context.lineJoin = 'round';
  context.strokeStyle = token('surface');
  context.strokeText(label, x + 5, y + height / 2 + 0.5);
  context.fillStyle = token('ink');
  context.fillText(label, x + 5, y + height / 2 + 0.5);
  context.restore();
}

function drawMarks(
  context: CanvasRenderingContext2D,
  { marks = [] }: GanttBar,
  box: BarBox,
  scale: TimeScale,
  token: Tokens,
): void {
  const middle = box.y + box.height / 2;
  let last = Number.NEGATIVE_INFINITY;
  context.fillStyle = token('ink');
  context.strokeStyle = token('surface');
  context.lineWidth = 1;
  for (const at of marks) {
    const x = scale.x(at);
    // Those that would lie upon each other are one.
    if (x < box.x || x > box.x + box.width + gap || x - last < 7) continue;
    last = x;
    context.beginPath();
    context.moveTo(x, middle - 3.5);
    context.lineTo(x + 3.5, middle);
    context.lineTo(x, middle + 3.5);
    context.lineTo(x - 3.5, middle);
    context.closePath();
    context.stroke();
    context.fill();
  }
}
