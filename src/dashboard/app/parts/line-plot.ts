// Draws a chart over time on its canvas: axes, lines with what they leave out, what failed below them, and hollow what
// is not over.

import { measured, shortened } from '../text/numbers.ts';
import type { Tokens } from './canvas.ts';
import type { ChartFrame, DrawnLine } from './chart-frame.ts';
import { margins, sticksHeight } from './chart-geometry.ts';
import { linesOf } from './chart-scale.ts';
import { timeTicks } from './chart-window.ts';

export interface PlotView {
  readonly frame: ChartFrame;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly top: number;
  readonly hasSticks: boolean;
  readonly width: number;
  readonly height: number;
}

type Context = CanvasRenderingContext2D;

const lineWidth = 1.6;
const dash = [6, 3];
/** Between the plot and the texts of its axes. */
const gaps = { left: 6, bottom: 8 };

export function drawPlot(context: Context, token: Tokens, view: PlotView): void {
  const plot = plotOf(context, view);
  drawAxes(context, token, view, plot);
  context.save();
  context.beginPath();
  // A line at the very edge keeps its width.
  context.rect(plot.left, plot.top - lineWidth, plot.width, plot.height + 2 * lineWidth);
  context.clip();
  for (const line of view.frame.lines) drawLine(context, token, line, view.frame.times, plot);
  if (view.hasSticks) drawSticks(context, token, view.frame, plot);
  context.restore();
  drawHollow(context, token, view.frame, plot);
}

interface PlotPlace {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly x: (atMs: number) => number;
  readonly y: (value: number) => number;
  /** On whole pixels of the screen, where lines along an axis are sharp. */
  readonly sharp: (at: number) => number;
}

function plotOf(context: Context, view: PlotView): PlotPlace {
  const { fromMs, untilMs, top, hasSticks } = view;
  const width = view.width - margins.left - margins.right;
  const height = view.height - margins.top - margins.bottom;
  const above = height - (hasSticks ? sticksHeight : 0);
  const ratio = context.getTransform().a;
  return {
    left: margins.left,
    top: margins.top,
    width,
    height,
    x: (atMs) => margins.left + ((atMs - fromMs) / (untilMs - fromMs)) * width,
    y: (value) => margins.top + above * (1 - value / top),
    sharp: (at) => Math.round(at * ratio) / ratio,
  };
}

function drawAxes(context: Context, token: Tokens, view: PlotView, plot: PlotPlace): void {
  const { fromMs, untilMs, top } = view;
  context.font = `12px ${token('sans')}`;
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (const value of linesOf(top)) {
    const y = plot.y(value);
    context.fillStyle = token('line');
    context.fillRect(plot.left, plot.sharp(y), plot.width, 1);
    context.fillStyle = token('ink-3');
    const text = value < 1e5 ? measured(value) : shortened(value);
    context.fillText(text, plot.left - gaps.left, y);
  }
  context.textAlign = 'center';
  context.textBaseline = 'top';
  for (const { atMs, text } of timeTicks(fromMs, untilMs, plot.width)) {
    context.fillText(text, plot.x(atMs), plot.top + plot.height + gaps.bottom);
  }
}

function drawLine(
  context: Context,
  token: Tokens,
  { colour, isArea, isDashed, mean, band }: DrawnLine,
  times: readonly number[],
  { x, y }: PlotPlace,
): void {
  const along = (values: readonly (number | null)[], places: readonly number[]): void => {
    for (const place of places) context.lineTo(x(times[place]!), y(values[place]!));
  };
  const fill = (alpha: number): void => {
    context.globalAlpha = alpha;
    context.fill();
    context.globalAlpha = 1;
  };
  context.fillStyle = token(colour);
  context.strokeStyle = token(colour);
  for (const places of band === null ? [] : stretchesOf(band.most)) {
    context.beginPath();
    along(band!.most, places);
    along(band!.least, places.toReversed());
    fill(0.25);
  }
  context.lineWidth = lineWidth;
  context.lineJoin = 'round';
  context.setLineDash(isDashed ? dash : []);
  for (const places of stretchesOf(mean)) {
    const [first, last] = [places[0]!, places.at(-1)!];
    context.beginPath();
    if (first === last) {
      // A line of one point has no length.
      context.arc(x(times[first]!), y(mean[first]!), 1.5, 0, 2 * Math.PI);
      context.fill();
      continue;
    }
    if (isArea) {
      along(mean, places);
      context.lineTo(x(times[last]!), y(0));
      context.lineTo(x(times[first]!), y(0));
      fill(0.15);
      context.beginPath();
    }
    along(mean, places);
    context.stroke();
  }
  context.setLineDash([]);
}

/** Places of values that follow each other: a gap is a gap. */
function stretchesOf(values: readonly (number | null)[]): readonly (readonly number[])[] {
  const stretches: number[][] = [];
  for (const [place, value] of values.entries()) {
    if (value === null) continue;
    if ((values[place - 1] ?? null) === null) stretches.push([]);
    stretches.at(-1)!.push(place);
  }
  return stretches;
}

function drawSticks(
  context: Context,
  token: Tokens,
  { sticks }: ChartFrame,
  { left, top, width, height, x, sharp }: PlotPlace,
): void {
  const base = top + height;
  const most = sticks.reduce((found, { count }) => Math.max(found, count), 4);
  context.fillStyle = token('line');
  context.fillRect(left, sharp(base) - 1, width, 1);
  context.fillStyle = token('failed');
  for (const { atMs, count } of sticks) {
    const tall = Math.max(3, (sticksHeight - 10) * (count / most));
    context.fillRect(sharp(x(atMs)) - 1, base - 1 - tall, 2, tall);
  }
}

function drawHollow(
  context: Context,
  token: Tokens,
  { hollow }: ChartFrame,
  { x, y }: PlotPlace,
): void {
  context.lineWidth = lineWidth;
  context.fillStyle = token('surface');
  for (const { atMs, value, colour } of hollow) {
    context.strokeStyle = token(colour);
    context.beginPath();
    context.arc(x(atMs), y(value), 3, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }
}
