// A comparison as one page that needs nothing else: no script, no request, the same bytes for the same comparison.

import { createHash } from 'node:crypto';
import type { Comparison } from '../compare/comparison.ts';
import { markup, Markup, name, nothing, sentence } from './markup.ts';
import { readingNotes } from './reading-notes.ts';
import { reportStyle } from './report-style.ts';
import { runAgain, seedsText } from './run-again.ts';
import { scenarioSection } from './scenario-section.ts';
import { summary } from './summary.ts';

export function htmlReport(comparison: Comparison): string {
  const { scenarios } = comparison;
  const isAlone = scenarios.length === 1;
  const title = isAlone
    ? `${scenarios[0]!.scenario}: schedulers compared`
    : `${scenarios.length} scenarios: schedulers compared`;
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Muster ${comparison.muster}">
<title>${title}</title>
<style>${new Markup(reportStyle)}</style>
</head>
<body>
<main>
${head(comparison)}
${isAlone ? nothing : markup`${summary(comparison)}${contents(comparison)}`}
${scenarios.map((each, i) => scenarioSection(each, { number: i + 1, isAlone }))}
${readingNotes(comparison)}
${runAgain(comparison)}
</main>
</body>
</html>
`;
  return page.text;
}

/** What the page may load: nothing but the style that is in it. */
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(reportStyle).digest('base64')}'; base-uri 'none'; form-action 'none'`;

function head({ muster, contenders, seeds, scenarios }: Comparison): Markup {
  const [first] = scenarios;
  const alone = scenarios.length === 1 ? first : undefined;
  const counted = `${contenders.length} ${contenders.length === 1 ? 'contender' : 'contenders'}`;
  const title = alone === undefined ? markup`${scenarios.length} scenarios` : name(alone.scenario);
  const about =
    alone === undefined ? nothing : markup`<p class="about">${sentence(alone.about, [])}</p>`;
  return markup`<header><p class="kicker">Schedulers compared</p>
<h1>${title}</h1>
${about}
<p class="facts-line">${counted} · ${seedsOf(seeds)} · played in virtual time by Muster ${muster}</p></header>`;
}

function seedsOf(seeds: Comparison['seeds']): string {
  if (seeds === null) return 'seeds as each scenario says';
  return `${seeds.length === 1 ? 'seed' : 'seeds'} ${seedsText(seeds)}`;
}

function contents({ scenarios }: Comparison): Markup {
  return markup`<nav aria-labelledby="contents"><h2 id="contents">Contents</h2><ol>${scenarios.map(
    (each, i) => markup`<li><a href="#scenario-${i + 1}">${name(each.scenario)}</a></li>
`,
  )}<li><a href="#notes">How to read this</a></li><li><a href="#again">Run it again</a></li></ol></nav>
`;
}
