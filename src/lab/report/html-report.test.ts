import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseScenario, readScenario, shippedScenarios } from '../scenario/read-scenario.ts';
import { htmlReport } from './html-report.ts';
import { jsonLines } from './json-lines.ts';
import { reportForm } from './report-of.ts';
import { reportStyle } from './report-style.ts';
import { commandOf, seedsText } from './run-again.ts';
import { madeComparison } from './testing/made-comparison.ts';

const nine = Array.from({ length: 9 }, (_, i) => `algorithm-${i + 1}`);
const override = '\u202e';

describe('a report', () => {
  test('is the same for the same comparison, byte for byte, and by the ending of its file', () => {
    const comparison = madeComparison();
    const report = htmlReport(comparison);
    expect(htmlReport(JSON.parse(JSON.stringify(comparison)))).toBe(report);
    expect(reportForm('a/REPORT.HTML')(comparison)).toBe(report);
    expect(() => reportForm('report.pdf')).toThrow('ends in .html, .json or .csv, not as');
  });

  test('may load nothing but its own style', () => {
    const report = htmlReport(madeComparison());
    const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(report)!;
    const [, style = ''] = /<style>([^]*)<\/style>/.exec(report)!;
    const hash = createHash('sha256').update(style).digest('base64');
    expect(policy.replaceAll('&#39;', "'")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
    );
    expect(report).not.toMatch(/<script|\ssrc=|https?:|url\(|@import| style="| on\w+="/);
  });

  test('of nine contenders and thirty seeds is smaller than 400 kB', () => {
    const report = htmlReport(madeComparison({ contenders: nine, seeds: 30 }));
    expect(Buffer.byteLength(report)).toBeLessThan(400_000);
  });

  test('of thousands of seeds draws quantiles, and does not grow with them', () => {
    const report = htmlReport(madeComparison({ contenders: ['fifo', 'edas'], seeds: 1000 }));
    expect(report).toContain('200 dots are quantiles of the 1000 seeds');
    expect(Buffer.byteLength(report)).toBeLessThan(100_000);
  });

  test('leaves what comes from outside text, and shows signs that turn text around', () => {
    const report = htmlReport(
      madeComparison({
        scenarios: [`<script>alert(1)</script>"'&${override}gnp.exe`],
        about: '</p><img src=x onerror=alert(1)>',
        contenders: ['fifo', 'own-<b>bold</b>'],
        definition: { jobs: [{ job: '</pre><script>' }] },
      }),
    );
    expect(report).not.toMatch(/<script|<img|<b>bold/);
    expect(report).not.toContain(override);
    expect(report).toContain(
      '<bdi>&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;\\u202egnp.exe</bdi>',
    );
    expect(report).toContain('&lt;/pre&gt;&lt;script&gt;');
  });

  test('says what is missing when it ended early, and when nothing is there', () => {
    const early = htmlReport(madeComparison({ missing: 6 }));
    expect(early).toContain('6 of 36 runs are not there');
    const none = htmlReport(madeComparison({ seeds: 0, missing: 30 }));
    expect(none).toContain('Nothing could be compared');
    expect(none).not.toContain('<figure');
    expect(none).not.toMatch(/NaN|Infinity|undefined/);
  });

  test('goes by the throughput where runs did not end, and by the turnaround of many jobs', () => {
    const endless = htmlReport(madeComparison({ hasNoEnd: true }));
    expect(endless).toContain('Figure 1. Throughput of each contender');
    expect(endless).toContain('Not measured: makespan.');
    const many = htmlReport(madeComparison({ hasManyJobs: true }));
    expect(many).toContain('Figure 1. Mean turnaround of jobs of each contender');
    expect(many).not.toContain('lower bound 80');
    for (const report of [endless, many]) expect(report).not.toMatch(/NaN|Infinity|undefined/);
  });

  test('counts no seed in which somebody did not end', () => {
    const report = htmlReport(madeComparison({ hasNoEnd: [2, 5] }));
    expect(report).toContain('one of 8 seeds (in the other 2 of 10 somebody has no value)');
    const dots = [...report.matchAll(/class="dots" d="([^"]*)"/g)].map(([, path]) => path);
    expect(dots).toHaveLength(6);
    for (const path of dots) expect(path!.match(/h\.01/g)).toHaveLength(8);
  });

  test('has no figure of differences for a contender that is alone, or a single seed', () => {
    const alone = htmlReport(madeComparison({ contenders: ['fifo'] }));
    expect(alone).not.toContain('Difference to');
    const single = htmlReport(madeComparison({ seeds: 1 }));
    expect(single).not.toContain('Difference to');
    expect(single).not.toContain('> worse </span>');
    for (const report of [alone, single]) expect(report).not.toMatch(/NaN|Infinity|undefined/);
  });

  test('of several scenarios has a summary with the best of each, and a way to each', () => {
    const report = htmlReport(madeComparison({ scenarios: ['one', 'two', 'three'] }));
    expect(report).toContain('<h2 id="summary">');
    expect(report.match(/href="#scenario-\d"/g)).toHaveLength(6);
    expect(report).toContain('best, or cannot be told from the best, in 3 of 3 scenarios');
    const ids = [...report.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('says at each figure how many seeds it is of', () => {
    const report = htmlReport(madeComparison({ hasNoEnd: [2, 5] }));
    expect(report).toMatch(/Figure 1\. [^<]*, by mean rank \(n = 8\)/);
    expect(report).toMatch(/in the same seeds \(n = 8\)/);
    expect(report).toContain('The other measures (n = 10)');
  });

  test('cuts no label of an axis off', () => {
    // A million joules has nine letters of up to seven pixels.
    const report = htmlReport(madeComparison({ contenders: ['a', 'b'], seeds: 4, joules: 1e4 }));
    const panels = [...report.matchAll(/viewBox="0 0 244 [^]*?<\/svg>/g)].map(([svg]) => svg);
    const labels = panels.flatMap((svg) => [
      ...svg.matchAll(/class="tick" x="([\d.]+)" [^>]*>([^<]*)</g),
    ]);
    expect(labels.some(([, , label]) => label!.length === 9)).toBe(true);
    for (const [, x, label] of labels) {
      expect(Number(x) + (label!.length * 7) / 2).toBeLessThanOrEqual(244.1);
      expect(Number(x) - (label!.length * 7) / 2).toBeGreaterThanOrEqual(-0.1);
    }
  });

  test('has headings that leave no level out', () => {
    const report = htmlReport(madeComparison({ scenarios: ['one', 'two'] }));
    const levels = [...report.matchAll(/<h(\d)/g)].map(([, level]) => Number(level));
    expect(levels[0]).toBe(1);
    levels.slice(1).forEach((level, i) => expect(level).toBeLessThanOrEqual(levels[i]! + 1));
  });
});

describe('to run it again', () => {
  test('the command names what was asked for, without folders', () => {
    const comparison = madeComparison({
      scenarios: ['my; rm -rf ~'],
      contenders: ['fifo', 'own-x'],
    });
    expect(commandOf(comparison)).toBe(
      'muster compare ./my-rm--rf.json --algorithms fifo --scheduler ./own-x.ts --seeds 10 --out report.html',
    );
    const [first] = comparison.scenarios;
    const shipped = { ...first!, scenario: 'few-tasks', is_shipped: true };
    expect(commandOf({ ...comparison, seeds: [5, 6], scenarios: [shipped] })).toMatch(
      /^muster compare few-tasks .*--seeds 2 --first-seed 5 /,
    );
  });

  test('definitions of scenarios that are called alike have files of their own', () => {
    const comparison = madeComparison({ scenarios: ['a b', 'a/b', '?'] });
    expect(commandOf(comparison)).toMatch(
      /^muster compare .\/a-b.json .\/a-b-2.json .\/scenario.json /,
    );
    expect(htmlReport(comparison)).toContain('<bdi>a/b</bdi> as <code>a-b-2.json</code>');
  });

  test('a trace is named as what is needed, and its description not as a scenario', () => {
    const report = htmlReport(madeComparison({ definition: { trace: 'night.ndjson', jobs: 12 } }));
    expect(report).toContain('Traces are not in this report');
    expect(report).not.toContain('Save the definition');
  });

  test.each(shippedScenarios())(
    'the definition of %s that a report shows is that scenario',
    (name) => {
      const scenario = readScenario(name, '.');
      const again = parseScenario(jsonLines(scenario), name, '.');
      expect(JSON.stringify(again)).toBe(JSON.stringify(scenario));
    },
  );

  test('seeds are told in short', () => {
    expect(seedsText([])).toBe('none');
    expect(seedsText([7])).toBe('7');
    expect(seedsText([1, 2, 3])).toBe('1 to 3');
    expect(seedsText([1, 2, 5])).toBe('1, 2, 5');
  });
});

test('colours are those of the dashboard, in both themes', () => {
  const sheet = readFileSync(
    join(import.meta.dirname, '../../dashboard/app/look/tokens.css'),
    'utf8',
  );
  const values = new Set(sheet.match(/oklch\([^)]*\)/g));
  const own = reportStyle.match(/oklch\([^)]*\)/g)!;
  expect(own.length).toBeGreaterThan(15);
  for (const value of own) expect(values).toContain(value);
});
