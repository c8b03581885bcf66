// The distribution as one SVG file: no script, no font, nothing from outside. Its colours follow
// the reader's light or dark setting. The axis is logarithmic: doubling and halving are as far apart.

import type { Summary } from './combine.ts';
import { bins, type Histogram, quantile } from './histogram.ts';
import { grouped, monthName, percent, title } from './table.ts';

const WIDTH = 880;
const HEIGHT = 500;
const PLOT = { left: 64, right: 856, top: 136, bottom: 404 };
const BINS_PER_BAR = 2;

export function marketRiskChart(summary: Summary): string {
  const scale = scaleOf(summary.growth);
  const { history, paths, months, block } = summary;
  const heading = `${title(summary)}: what 1.00 becomes`;
  const method =
    `${grouped(paths)} simulated paths of ${months} months, drawn in blocks of ${block} from ` +
    `${history.months} monthly returns, ${monthName(history.from)} to ${monthName(history.to)}`;
  const source = `Source: ${history.source}. Prices only: no dividends, inflation, taxes or fees.`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" ` +
      `width="${WIDTH}" height="${HEIGHT}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escaped(heading)}</title>`,
    `<desc id="description">${escaped(description(summary))}</desc>`,
    STYLE,
    `<rect class="paper" width="${WIDTH}" height="${HEIGHT}"/>`,
    text(24, 38, 'heading', heading),
    text(24, 62, 'note', method),
    ...shareAxis(scale),
    ...bars(scale),
    ...factorAxis(scale),
    ...markers(summary, scale),
    ...legend(summary),
    text(24, HEIGHT - 18, 'note', source),
    '</svg>',
    '',
  ].join('\n');
}

const STYLE = `<style>
  text { font: 13px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; }
  text { fill: #1f2933; }
  .paper { fill: #ffffff; }
  .heading { font-size: 20px; font-weight: 600; }
  .note, .tick { fill: #5c6b7a; }
  .note { font-size: 12px; }
  .strong { font-weight: 600; }
  .middle { text-anchor: middle; }
  .end { text-anchor: end; }
  .grid { stroke: #e3e8ee; }
  .axis { stroke: #8896a5; }
  .marker { stroke: #1f2933; stroke-dasharray: 3 3; }
  .median { stroke-dasharray: none; stroke-width: 2; }
  .loss { fill: #d1603d; }
  .gain { fill: #2f7fb8; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e4e9ee; }
    .paper { fill: #14191f; }
    .note, .tick { fill: #98a5b3; }
    .grid { stroke: #2a323b; }
    .axis { stroke: #6b7885; }
    .marker { stroke: #e4e9ee; }
    .loss { fill: #e2805f; }
    .gain { fill: #4f9fd6; }
  }
</style>`;

type Bar = { readonly from: number; readonly to: number; readonly share: number };

type Scale = {
  readonly bars: readonly Bar[];
  readonly from: number;
  readonly to: number;
  readonly topShare: number;
  readonly shareStep: number;
  readonly x: (log: number) => number;
  readonly y: (share: number) => number;
};

/** Leaves out the outermost 1 in 2 000 on either side: a few paths would squeeze all others. */
function scaleOf(growth: Histogram): Scale {
  const barWidth = growth.width * BINS_PER_BAR;
  const from = Math.floor(quantile(growth, 0.0005) / barWidth) * barWidth;
  const to = Math.ceil(quantile(growth, 0.9995) / barWidth) * barWidth;
  const shown = barsOf(growth).filter((bar) => bar.from > from - 1e-9 && bar.to < to + 1e-9);
  const highest = Math.max(...shown.map((bar) => bar.share));
  const shareStep = niceStep(highest / 4);
  const topShare = Math.ceil(highest / shareStep) * shareStep;
  return {
    bars: shown,
    from,
    to,
    topShare,
    shareStep,
    x: (log) => PLOT.left + ((log - from) / (to - from)) * (PLOT.right - PLOT.left),
    y: (share) => PLOT.bottom - (share / topShare) * (PLOT.bottom - PLOT.top),
  };
}

/** Neighbouring bins in pairs; 0 (no gain, no loss) stays an edge. */
function barsOf(growth: Histogram): Bar[] {
  const width = growth.width * BINS_PER_BAR;
  const counts = new Map<number, number>();
  let bin = growth.first;
  for (const { count } of bins(growth)) {
    const bar = Math.floor(bin++ / BINS_PER_BAR);
    counts.set(bar, (counts.get(bar) ?? 0) + count);
  }
  return [...counts].map(([bar, count]) => ({
    from: bar * width,
    to: (bar + 1) * width,
    share: count / growth.total,
  }));
}

function niceStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  return power * (step / power > 5 ? 10 : step / power > 2 ? 5 : step / power > 1 ? 2 : 1);
}

function bars({ bars: shown, x, y }: Scale): string[] {
  return shown.map(({ from, to, share }) => {
    const kind = to < 1e-9 ? 'loss' : 'gain';
    const [left, top] = [x(from) + 0.5, y(share)];
    const size = `width="${px(x(to) - left - 0.5)}" height="${px(PLOT.bottom - top)}"`;
    return `<rect class="${kind}" x="${px(left)}" y="${px(top)}" ${size}/>`;
  });
}

function shareAxis({ topShare, shareStep, y }: Scale): string[] {
  const lines: string[] = [];
  for (let step = 1; step * shareStep < topShare + 1e-9; step++) {
    const at = y(step * shareStep);
    lines.push(line('grid', PLOT.left, at, PLOT.right, at));
    lines.push(text(PLOT.left - 8, at + 4, 'tick end', percent(step * shareStep, 0)));
  }
  return lines;
}

function factorAxis({ from, to, x }: Scale): string[] {
  const lines = [line('axis', PLOT.left, PLOT.bottom, PLOT.right, PLOT.bottom)];
  for (let power = Math.ceil(from / Math.LN2); power * Math.LN2 <= to; power++) {
    const at = x(power * Math.LN2);
    lines.push(line('axis', at, PLOT.bottom, at, PLOT.bottom + 6));
    const factor = 2 ** power;
    lines.push(text(at, PLOT.bottom + 22, 'tick middle', factor < 1 ? `${factor}` : `${factor}.0`));
  }
  const middle = (PLOT.left + PLOT.right) / 2;
  lines.push(
    text(middle, PLOT.bottom + 46, 'tick middle', 'End value of 1.00 (logarithmic scale)'),
    text(24, PLOT.top - 24, 'note', 'Share of paths'),
  );
  return lines;
}

function markers({ outcomes }: Summary, { x }: Scale): string[] {
  return outcomes.flatMap(({ percentile, factor }) => {
    const at = x(Math.log(factor));
    const name = percentile === 50 ? 'median' : `${percentile} %`;
    return [
      line(percentile === 50 ? 'marker median' : 'marker', at, PLOT.top - 16, at, PLOT.bottom),
      text(at, PLOT.top - 40, 'note middle', name),
      text(at, PLOT.top - 23, 'strong middle', factor.toFixed(2)),
    ];
  });
}

function legend({ probabilityOfLoss }: Summary): string[] {
  const [left, right, row] = [PLOT.left + 16, PLOT.right - 16, PLOT.top + 36];
  return [
    text(left, row, 'strong loss', percent(probabilityOfLoss)),
    text(left, row + 18, 'note', 'of paths end with a loss'),
    text(right, row, 'strong gain end', percent(1 - probabilityOfLoss)),
    text(right, row + 18, 'note end', 'end at 1.00 or above'),
  ];
}

function description({ outcomes, probabilityOfLoss }: Summary): string {
  const parts = outcomes.map(({ percentile, factor }) => `${percentile} %: ${factor.toFixed(2)}`);
  return `Percentiles of the end value: ${parts.join(', ')}. Loss: ${percent(probabilityOfLoss)}.`;
}

function text(x: number, y: number, classes: string, content: string): string {
  return `<text class="${classes}" x="${px(x)}" y="${px(y)}">${escaped(content)}</text>`;
}

function line(classes: string, x1: number, y1: number, x2: number, y2: number): string {
  return `<line class="${classes}" x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}"/>`;
}

function px(length: number): string {
  return String(Math.round(length * 100) / 100);
}

function escaped(content: string): string {
  return content.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
