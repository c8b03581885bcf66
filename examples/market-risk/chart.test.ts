import { expect, test } from 'vitest';
import { marketRiskChart } from './chart.ts';
import { combineMarketRisk } from './combine.ts';
import { prepareMarketRisk } from './prepare.ts';
import { runInOneProcess } from './single-process.ts';

const summary = combineMarketRisk(
  runInOneProcess(prepareMarketRisk({ tasks: 4, paths: 5_000 }).inputs),
);
const svg = marketRiskChart(summary);

/** Enough of XML for a chart: tags, quoted attributes that are not repeated, five entities. */
function assertWellFormed(xml: string): void {
  const open: string[] = [];
  const pieces = /<(\/?)(\w+)((?: [\w:-]+="[^"<]*")*)(\/?)>|([^<]+)|([^])/g;
  for (const [piece, closing, name = '', attributes = '', empty, content] of xml.matchAll(pieces)) {
    if (content !== undefined) {
      expect(content.replace(/&(amp|lt|gt|quot|apos);/g, '')).not.toContain('&');
      expect(open.length > 0 || content.trim() === '', `text outside: ${content}`).toBe(true);
    } else if (name === '') {
      throw new Error(`Not XML: ${piece}`);
    } else if (closing) {
      expect(open.pop()).toBe(name);
    } else {
      const names = [...attributes.matchAll(/ ([\w:-]+)=/g)].map((match) => match[1]);
      expect(new Set(names).size).toBe(names.length);
      if (!empty) open.push(name);
    }
  }
  expect(open).toEqual([]);
}

test('the chart is well-formed XML and needs nothing from outside', () => {
  assertWellFormed(svg);
  expect(() => assertWellFormed('<svg><g></svg>')).toThrow('expected');
  expect(() => assertWellFormed('<svg>S&P</svg>')).toThrow('expected');
  expect(svg).not.toMatch(/NaN|Infinity|undefined|href|url\(|@import|<script/);
  expect(svg.match(/https?:[^"]*/g)).toEqual(['http://www.w3.org/2000/svg']);
});

test('the chart carries title, axes, percentiles, loss and source as text', () => {
  const labels = [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map((match) => match[1]);
  expect(labels).toContain('S&amp;P 500, 10 years ahead: what 1.00 becomes');
  expect(labels).toContain('Share of paths');
  expect(labels).toContain('End value of 1.00 (logarithmic scale)');
  expect(labels).toEqual(expect.arrayContaining(['5 %', '25 %', 'median', '75 %', '95 %']));
  for (const { factor } of summary.outcomes) expect(labels).toContain(factor.toFixed(2));
  expect(labels).toContain(`${(summary.probabilityOfLoss * 100).toFixed(1)} %`);
  expect(labels).toEqual(expect.arrayContaining(['0.5', '1.0', '2.0']));
  expect(labels.some((label) => label?.startsWith('Source: S&amp;P 500 price index'))).toBe(true);
});

test('loss and gain meet at 1.00, and all bars stand on the axis', () => {
  const bars = [
    ...svg.matchAll(/class="(loss|gain)" x="(.+?)" y="(.+?)" width="(.+?)" height="(.+?)"/g),
  ];
  expect(bars.length).toBeGreaterThan(40);
  const kinds = bars.map((bar) => bar[1]);
  expect(kinds.lastIndexOf('loss')).toBe(kinds.indexOf('gain') - 1);
  const edge = /x="([\d.]+)"[^>]*>1\.0</.exec(svg)?.[1];
  const firstGain = bars.find((bar) => bar[1] === 'gain')?.[2];
  expect(Math.abs(Number(firstGain) - Number(edge))).toBeLessThan(1);
  for (const [, , , y, , height] of bars) expect(Number(y) + Number(height)).toBeCloseTo(404, 1);
});

test('a distribution of a single value still makes a chart', () => {
  const flat = { ...summary, growth: { width: 1 / 50, first: 3, counts: [9], total: 9 } };
  const chart = marketRiskChart(flat);
  assertWellFormed(chart);
  expect(chart).not.toMatch(/NaN|Infinity/);
});
