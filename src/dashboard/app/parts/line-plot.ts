// Draws a chart on its canvas. The only module that knows the library, and loaded when a chart is first shown.

import uPlot from 'uplot';
import type { ChartFrame } from './chart-frame.ts';
import { linesOf } from './chart-scale.ts';
import type { TimeTick } from './chart-window.ts';
import { margins, sticksHeight } from './chart-geometry.ts';
import { shortened, measured } from '../text/numbers.ts';

export interface PlotView {
  readonly frame: ChartFrame;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly top: number;
  readonly ticks: readonly TimeTick[];
  readonly hasSticks: boolean;
  readonly width: number;
  readonly height: number;
}

export interface Plot {
  readonly show: (view: PlotView) => void;
  readonly destroy: () => void;
}

export function createPlot(box: HTMLElement, first: PlotView): Plot {
  let view = first;
  let plot = make();

  function make(): uPlot {
    return new uPlot(
      optionsOf(() => view, box),
      dataOf(view),
      box,
    );
  }
  return {
    show(next) {
      const before = view;
      view = next;
      if (shapeOf(before.frame) !== shapeOf(next.frame)) {
        plot.destroy();
        plot = make();
        return;
      }
      if (before.width !== next.width || before.height !== next.height) plot.setSize(next);
      plot.setData(dataOf(next));
    },
    destroy: () => plot.destroy(),
  };
}

/** Whatever else changes needs no new plot. */
function shapeOf({ lines }: ChartFrame): string {
  return lines
    .map(({ colour, isArea, isDashed, band }) => [colour, isArea, isDashed, band === null].join())
    .join(';');
}

/** With a point at each end of the window: the scale is there though nothing was measured. */
function dataOf({ frame: { times, lines }, fromMs, untilMs }: PlotView): uPlot.AlignedData {
  const left = Math.min(fromMs, (times[0] ?? fromMs) - 1);
  const right = Math.max(untilMs, (times.at(-1) ?? untilMs) + 1);
  const padded = (values: readonly (number | null)[]): (number | null)[] => [null, ...values, null];
  return [
    [left, ...times, right],
    ...lines.flatMap(({ mean, band }) =>
      band === null ? [padded(mean)] : [padded(mean), padded(band.most), padded(band.least)],
    ),
  ];
}

function optionsOf(view: () => PlotView, box: HTMLElement): uPlot.Options {
  const { frame, width, height } = view();
  const token = (name: string): string => getComputedStyle(box).getPropertyValue(name).trim();
  const faded = (name: string, alpha: number): string => token(name).replace(/\)$/, ` / ${alpha})`);
  const font = `12px ${token('--sans')}`;
  const axisInk = (): string => token('--ink-3');
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  for (const { colour, isArea, isDashed, band } of frame.lines) {
    series.push({
      stroke: () => token(colour),
      width: 1.6,
      ...(isDashed ? { dash: [6, 3] } : {}),
      ...(isArea ? { fill: () => faded(colour, 0.15), fillTo: 0 } : {}),
      points: { show: true, size: 3, fill: () => token(colour), filter: alone },
    });
    if (band === null) continue;
    bands.push({ series: [series.length, series.length + 1], fill: () => faded(colour, 0.25) });
    const unseen: uPlot.Series = { width: 0, points: { show: false } };
    series.push(unseen, { ...unseen });
  }
  return {
    width,
    height,
    padding: [margins.top, margins.right, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    series,
    bands,
    scales: {
      x: { time: false, range: () => [view().fromMs, view().untilMs] },
      y: { range: () => [-below(view()), view().top] },
    },
    axes: [
      {
        size: margins.bottom,
        gap: 8,
        font,
        stroke: axisInk,
        grid: { show: false },
        ticks: { show: false },
        splits: () => view().ticks.map(({ atMs }) => atMs),
        values: () => view().ticks.map(({ text }) => text),
      },
      {
        size: margins.left,
        gap: 6,
        font,
        stroke: axisInk,
        grid: { stroke: () => token('--line'), width: 1 },
        ticks: { show: false },
        splits: () => [...linesOf(view().top)],
        values: (_plot, splits) => splits.map((at) => (at < 1e5 ? measured(at) : shortened(at))),
      },
    ],
    hooks: {
      draw: [
        (plot) => {
          drawSticks(plot, view(), token);
          drawHollow(plot, view(), token);
        },
      ],
    },
  };
}

/** So much of the scale is below 0 that the sticks have their place there. */
function below({ top, hasSticks, height }: PlotView): number {
  if (!hasSticks) return 0;
  const inner = height - margins.top - margins.bottom;
  return (top * sticksHeight) / (inner - sticksHeight);
}

/** A line of one point has no length: it is drawn as a point. */
const alone: uPlot.Series.Points.Filter = (plot, place) => {
  const values = plot.data[place]!;
  const found: number[] = [];
  for (let at = 0; at < values.length; at++) {
    const isGap = (near: number): boolean => (values[near] ?? null) === null;
    if (!isGap(at) && isGap(at - 1) && isGap(at + 1)) found.push(at);
  }
  return found;
};

function drawSticks(plot: uPlot, view: PlotView, token: (name: string) => string): void {
  if (!view.hasSticks) return;
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  const base = Math.round(bbox.top + bbox.height) - 0.5 * ratio;
  const most = view.frame.sticks.reduce((found, { count }) => Math.max(found, count), 0);
  ctx.save();
  ctx.fillStyle = token('--line');
  ctx.fillRect(bbox.left, base, bbox.width, ratio);
  ctx.fillStyle = token('--failed');
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const { atMs, count } of view.frame.sticks) {
    const x = Math.round(plot.valToPos(atMs, 'x', true));
    const tall = Math.max(3, (sticksHeight - 10) * (count / Math.max(4, most))) * ratio;
    ctx.fillRect(x - ratio, base - tall, 2 * ratio, tall);
  }
  ctx.restore();
}

function drawHollow(plot: uPlot, { frame }: PlotView, token: (name: string) => string): void {
  const { ctx } = plot;
  ctx.save();
  ctx.lineWidth = 1.6 * uPlot.pxRatio;
  ctx.fillStyle = token('--surface');
  for (const { atMs, value, colour } of frame.hollow) {
    ctx.strokeStyle = token(colour);
    ctx.beginPath();
    const [x, y] = [plot.valToPos(atMs, 'x', true), plot.valToPos(value, 'y', true)];
    ctx.arc(x, y, 3 * uPlot.pxRatio, 0, 2 * Math.PI);
    ctx.fill();
    ctx.stroke();
  }
  ctx.restore();
}
