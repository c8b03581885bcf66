import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { signedPercent } from '../outcome/figures.ts';
import { parseScenario, readScenario, shippedScenarios } from '../scenario/read-scenario.ts';
import { htmlReport } from './html-report.ts';
import { jsonLines } from './json-lines.ts';
import { reportForm } from './report-of.ts';
import { reportStyle } from './report-style.ts';
import { commandOf, seedsText } from './run-again.ts';
import { madeComparison } from './testing/made-comparison.ts';

const nine = Array.from({ length: 9 }, (_, i) => `algorithm-${i + 1}`);
const lived = {
  file: 'night.trace.ndjson',
  sha256: 'a'.repeat(64),
  algorithm: 'fifo',
  makespan_seconds: 100,
  notes: ['The scheduler was configured anew in it.'],
} as const;
const override = '\u202e';

describe('a report', () => {
  test('is the same for the same comparison, byte for byte, and by the ending of its file', () => {
    const comparison = madeComparison();
    const report = htmlReport(comparison);
    expect(htmlReport(JSON.parse(JSON.stringify(comparison)))).toBe(report);
    expect(reportForm('a/REPORT.HTML')(comparison)).toBe(report);
    expect(() => reportForm('report.pdf')).toThrow('ends in .html, .json or .csv, not as');
  });

  test('tells decision times apart, and that they do not repeat, only when they were measured', () => {
    const plain = htmlReport(madeComparison());
    expect(plain).not.toMatch(/[Dd]ecision time|decision-time/);
    const timed = htmlReport(madeComparison({ hasDecisionTimes: true }));
    expect(timed).toContain('these figures do not repeat');
    expect(timed).toContain('makes the same report, but for the decision times,');
    expect(timed).toContain('--decision-time --out report.html');
    // The last contender is the first of the ranking: 4 µs in the middle, 12 on average.
    expect(timed).toMatch(
      /<bdi>edas<\/bdi><\/th><td class="number">1 200<\/td><td class="number">12<\/td><td class="number">4<\/td><td class="number">8<\/td><td class="number">0.2<\/td><td class="number">4<\/td>/,
    );
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
    // In the contents, in the table, and in that for narrow places.
    expect(report.match(/href="#scenario-\d"/g)).toHaveLength(9);
    expect(report).toContain('best, or cannot be told from the best, in 3 of 3 scenarios');
    // Made ones are the better the later they are named: edas stands first.
    expect(report).toMatch(
      /<th scope="col">scenario<\/th><th scope="col" class="number"><bdi>edas/,
    );
    expect(report).toContain('<b><bdi>edas</bdi></b> has the best mean in all.');
    const ids = [...report.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('of several scenarios says how far each contender is from the best, and at most', () => {
    const comparison = madeComparison({ scenarios: ['one', 'two', 'three'], seeds: 30 });
    const report = htmlReport(comparison);
    const [, table = ''] = /<table class="summary">([^]*?)<\/table>/.exec(report)!;
    const far = comparison.scenarios.map(
      ({ measures }) => measures.makespan_seconds.contenders[0]!.against_best!.relative!,
    );
    const cells = [...table.matchAll(/<td class="number worse[^"]*">([^<]*)</g)].map(
      ([, text]) => text,
    );
    for (const each of far) expect(cells).toContain(signedPercent(each));
    const [, foot = ''] = /farthest from the best<\/th>(.*?)<\/tr>/.exec(table)!;
    expect(foot).toContain(`<td class="number">${signedPercent(Math.max(...far))}</td>`);
    // Nobody can tell apart what one seed says.
    const single = htmlReport(madeComparison({ scenarios: ['one', 'two'], seeds: 1 }));
    expect(single).not.toMatch(/<td class="number worse/);
    expect(single).toMatch(/<td class="number same">/);
  });

  test('of many contenders has narrow tables on paper', () => {
    const of = (contenders: readonly string[]) =>
      htmlReport(madeComparison({ scenarios: ['one', 'two'], contenders, seeds: 2 }));
    expect(of(nine)).toContain('<section aria-labelledby="summary">');
    expect(of([...nine, 'own-tenth'])).toContain(
      '<section aria-labelledby="summary" class="many">',
    );
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

  test('a trace is named by its file and its SHA-256, and its description not as a scenario', () => {
    const comparison = madeComparison({
      scenarios: ['night', 'night'],
      trace: { ...lived, file: "last 'night'.trace.ndjson" },
    });
    expect(commandOf(comparison)).toContain(
      `muster compare './last '\\''night'\\''.trace.ndjson' './last '\\''night'\\''-2.trace.ndjson' `,
    );
    const report = htmlReport(comparison);
    expect(report).toContain(
      `they are needed as they were: <code>last &#39;night&#39;.trace.ndjson</code> (SHA-256 <code class="hash">${lived.sha256}</code>)`,
    );
    expect(report).toContain('SHA-256 of the definition or trace');
    expect(report).toContain('What the trace says of itself');
    expect(report).not.toContain('Save the definition');
  });

  test.each([
    // Of made comparisons the fastest contender is the last, with a mean that nobody knows before.
    [
      lived,
      /In life it took <b>100 s<\/b> under fifo\. Played again under it, it takes [\d.]+ s on average, [\d.]+ % longer: /,
    ],
    [{ ...lived, makespan_seconds: 1000 }, /[\d.]+ s on average, [\d.]+ % shorter: /],
    [{ ...lived, algorithm: 'mabac' as const }, /under mabac, which does not take part here/],
    [{ ...lived, makespan_seconds: null }, /Not all of its jobs ended in it/],
    [{ ...lived, makespan_seconds: 0 }, /In life it took <b>0 s<\/b> under fifo\. /],
  ])('a report of a trace says what happened in life: %#', (trace, sentence) => {
    const report = htmlReport(madeComparison({ trace }));
    expect(report).toMatch(sentence);
    expect(report).toContain('The scheduler was configured anew in it.');
    expect(report).toContain('nothing of another night');
    expect(report).toContain('<dd>Recorded devices and jobs in virtual time');
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
