import { expect, test } from 'vitest';
import type { ChartFrame, DrawnLine } from './chart-frame.ts';
import { drawPlot, type PlotView } from './line-plot.ts';

/** What is drawn, in order, with the colour and the transparency of it. */
function drawn(frame: Partial<ChartFrame>, more: Partial<PlotView> = {}) {
  const told: string[] = [];
  let path: string[] = [];
  const round = (numbers: readonly number[]): string => numbers.map((n) => Math.round(n)).join(' ');
  const context = {
    fillStyle: '',
    strokeStyle: '',
    globalAlpha: 1,
    getTransform: () => ({ a: 1 }),
    save() {},
    restore() {},
    clip() {},
    rect() {},
    setLineDash(dash: readonly number[]) {
      if (dash.length > 0) told.push('dashed');
    },
    beginPath() {
      path = [];
    },
    lineTo: (x: number, y: number) => path.push(round([x, y])),
    arc: (x: number, y: number, radius: number) => path.push(`o ${round([x, y, radius])}`),
    stroke: () => told.push(`stroke ${context.strokeStyle}: ${path.join(', ')}`),
    fill: () => told.push(`fill ${context.fillStyle} ${context.globalAlpha}: ${path.join(', ')}`),
    fillRect: (...box: readonly number[]) => told.push(`box ${context.fillStyle}: ${round(box)}`),
    fillText: (text: string, x: number, y: number) => told.push(`text ${text}: ${round([x, y])}`),
  };
  const view: PlotView = {
    frame: {
      stepMs: 1_000,
      times: [0, 1_000, 2_000, 3_000, 4_000],
      lines: [],
      hollow: [],
      sticks: [],
      most: 8,
      ...frame,
    },
    fromMs: 0,
    untilMs: 4_000,
    top: 10,
    hasSticks: false,
    // A plot of 400 by 100 pixels, that begins at 44, 26.
    width: 454,
    height: 152,
    ...more,
  };
  drawPlot(context as unknown as CanvasRenderingContext2D, (name) => name, view);
  return told;
}

const line = (mean: DrawnLine['mean'], more: Partial<DrawnLine> = {}): DrawnLine => ({
  name: 'completed',
  colour: 'completed',
  isArea: false,
  isDashed: false,
  mean,
  band: null,
  ...more,
});

test('a gap parts a line, and a point without neighbours is a dot', () => {
  const told = drawn({ lines: [line([10, 5, null, 0, null])] });
  expect(told.filter((each) => each.includes('completed'))).toEqual([
    'stroke completed: 44 26, 144 76',
    'fill completed 1: o 344 126 2',
  ]);
});

test('an area is filled down to 0 and no further', () => {
  const told = drawn({ lines: [line([10, 5, 5, null, null], { isArea: true })] });
  expect(told.filter((each) => each.includes('completed'))).toEqual([
    'fill completed 0.15: 44 26, 144 76, 244 76, 244 126, 44 126',
    'stroke completed: 44 26, 144 76, 244 76',
  ]);
});

test('what a line leaves out is a band around it', () => {
  const band = { most: [10, 8, null, null, null], least: [2, 0, null, null, null] };
  const told = drawn({ lines: [line([5, 5, null, null, null], { band })] });
  expect(told).toContain('fill completed 0.25: 44 26, 144 46, 144 126, 44 106');
});

test('failures stand on a base line of their own, below the 0 of the lines', () => {
  const sticks = [
    { atMs: 1_000, count: 8 },
    { atMs: 2_000, count: 4 },
  ];
  const told = drawn({ sticks, lines: [line([0, 0, 0, 0, 0])] }, { hasSticks: true });
  expect(told).toContain('stroke completed: 44 92, 144 92, 244 92, 344 92, 444 92');
  expect(told.slice(-3)).toEqual([
    'box line: 44 125 400 1',
    'box failed: 143 101 2 24',
    'box failed: 243 113 2 12',
  ]);
});

test('what is not over is hollow', () => {
  const told = drawn({ hollow: [{ atMs: 4_000, value: 5, colour: 'completed' }] });
  expect(told.slice(-2)).toEqual(['fill surface 1: o 444 76 3', 'stroke completed: o 444 76 3']);
});

test('the axes tell values at their lines, and times below', () => {
  const told = drawn({}, { untilMs: 60_000 });
  expect(told).toContain('box line: 44 126 400 1');
  expect(told).toContain('text 0: 38 126');
  expect(told).toContain('text 10: 38 26');
  expect(told.filter((each) => each.endsWith(' 134')).length).toBeGreaterThan(2);
});
