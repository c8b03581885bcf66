// What is needed to make the same report again: version, command, contenders, seeds and definitions.

import type { Comparison, ScenarioComparison } from '../compare/comparison.ts';
import { jsonLines } from './json-lines.ts';
import { folded } from './figure.ts';
import { markup, type Markup, name, nothing } from './markup.ts';

export function runAgain(comparison: Comparison): Markup {
  const { muster, scenarios } = comparison;
  const but = hasDecisionTimes(scenarios) ? ', but for the decision times' : '';
  return markup`<section aria-labelledby="again"><h2 id="again">Run it again</h2>
<p>With Muster ${muster} this makes the same report${but}, on any number of cores, in any time zone:</p>
<pre tabindex="0" role="region" aria-label="Command">${commandOf(comparison)}</pre>
${neededFiles(comparison)}<table class="facts"><caption>What was played</caption><thead><tr><th scope="col">scenario</th><th scope="col" class="number">seeds</th><th scope="col" class="number">runs</th><th scope="col">SHA-256 of the ${scenarios.some(isTrace) ? 'definition or trace' : 'definition'}</th></tr></thead><tbody>${scenarios.map(
    (each) =>
      markup`<tr><th scope="row">${name(each.scenario)}</th><td class="number">${seedsText(each.seeds)}</td><td class="number">${runsText(each)}</td><td><code class="hash">${each.trace?.sha256 ?? each.definition_sha256}</code></td></tr>
`,
  )}</tbody></table></section>
`;
}

function runsText({ runs, missing }: ScenarioComparison): string {
  return missing === 0 ? String(runs.length) : `${runs.length} of ${runs.length + missing}`;
}

/** What must lie in the folder in which the command is given. */
function neededFiles({ scenarios, contenders }: Comparison): Markup {
  const files = fileNames(scenarios);
  const definitions = scenarios.flatMap((each, i) =>
    each.is_shipped || isTrace(each)
      ? []
      : [markup`${name(each.scenario)} as <code>${files[i]!}</code>`],
  );
  const traces = scenarios.flatMap((each, i) =>
    each.trace === null
      ? []
      : [
          markup`<code>${files[i]!}</code> (SHA-256 <code class="hash">${each.trace.sha256}</code>)`,
        ],
  );
  const modules = contenders.flatMap((each) =>
    'file' in each
      ? [markup`<code>${each.file}</code> (SHA-256 <code class="hash">${each.sha256}</code>)`]
      : [],
  );
  return markup`${
    definitions.length === 0
      ? nothing
      : markup`<p>Save the definition of ${withCommas(definitions)} first.</p>
`
  }${
    traces.length === 0
      ? nothing
      : markup`<p>Traces are not in this report, they are needed as they were: ${withCommas(traces)}.</p>
`
  }${
    modules.length === 0
      ? nothing
      : markup`<p>Schedulers of one’s own are needed as they were, with all that they import: ${withCommas(modules)}.</p>
`
  }`;
}

function withCommas(items: readonly Markup[]): Markup {
  return markup`${items.map((each, i) => [i === 0 ? '' : ', ', each])}`;
}

/** `number` is that of the scenario. */
export function definitionOf(
  { definition, definition_sha256, trace }: ScenarioComparison,
  number: number,
): Markup {
  const [summary, hash] =
    trace === null
      ? [
          'Definition, with every default',
          markup`SHA-256 of it as JSON without spaces: <code class="hash">${definition_sha256}</code>`,
        ]
      : [
          'What the trace says of itself',
          markup`The trace itself is <code>${trace.file}</code>, SHA-256 of the file: <code class="hash">${trace.sha256}</code>`,
        ];
  return folded({
    summary,
    content: markup`<pre tabindex="0" role="region" aria-label="${summary}, scenario ${number}">${jsonLines(definition)}</pre><p class="soft">${hash}</p>`,
  });
}

/** `1 to 30`, `1, 2, 5` */
export function seedsText(seeds: readonly number[]): string {
  const [first] = seeds;
  if (first === undefined) return 'none';
  const isRow = seeds.every((seed, i) => seed === first + i);
  if (isRow) return seeds.length === 1 ? String(first) : `${first} to ${seeds.at(-1)!}`;
  return seeds.join(', ');
}

/** Without the folders of the machine on which it was made. */
export function commandOf({ scenarios, contenders, seeds }: Comparison): string {
  const algorithms = contenders.flatMap((each) => ('algorithm' in each ? [each.algorithm] : []));
  const modules = contenders.flatMap((each) => ('file' in each ? [each.file] : []));
  const files = fileNames(scenarios);
  return [
    'muster compare',
    ...scenarios.map((each, i) => (each.is_shipped ? each.scenario : quoted(`./${files[i]!}`))),
    `--algorithms ${algorithms.join(',')}`,
    ...modules.map((file) => `--scheduler ${quoted(`./${file}`)}`),
    ...seedFlags(seeds ?? [], scenarios),
    ...(hasDecisionTimes(scenarios) ? ['--decision-time'] : []),
    '--out report.html',
  ].join(' ');
}

function hasDecisionTimes(scenarios: readonly ScenarioComparison[]): boolean {
  return scenarios.some((each) => each.decision_times !== undefined);
}

/** Where they differ, scenarios say themselves how many they are. */
function seedFlags(
  seeds: readonly number[],
  scenarios: readonly ScenarioComparison[],
): readonly string[] {
  const first = seeds[0] ?? scenarios.flatMap((each) => each.seeds)[0] ?? 1;
  return [
    ...(seeds.length === 0 ? [] : [`--seeds ${seeds.length}`]),
    ...(first === 1 ? [] : [`--first-seed ${first}`]),
  ];
}

/** By scenario, a name for its definition that is safe in a shell, or that of its trace; no two are the same. */
function fileNames(scenarios: readonly ScenarioComparison[]): readonly string[] {
  const taken = new Set<string>();
  return scenarios.map(({ scenario, trace }) => {
    const safe = scenario.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '');
    const whole = trace?.file ?? `${safe === '' ? 'scenario' : safe}.json`;
    const [ending = ''] = /(\.trace)?\.[a-z]+$/.exec(whole) ?? [];
    const base = whole.slice(0, whole.length - ending.length);
    let found = whole;
    for (let more = 2; taken.has(found); more++) found = `${base}-${more}${ending}`;
    taken.add(found);
    return found;
  });
}

/** Of a trace only what it says of itself is in a report. */
function isTrace({ trace }: ScenarioComparison): boolean {
  return trace !== null;
}

/** As a shell takes it, when it is more than letters. */
function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
