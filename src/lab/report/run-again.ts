// What is needed to make the same report again: version, command, contenders, seeds and definitions.

import type { Comparison, ContenderOrigin, ScenarioComparison } from '../compare/comparison.ts';
import { jsonLines } from './json-lines.ts';
import { folded } from './figure.ts';
import { markup, type Markup, name, nothing } from './markup.ts';

export function runAgain(comparison: Comparison, heading: string): Markup {
  const { muster, contenders, scenarios } = comparison;
  const own = scenarios.filter((each) => !each.is_shipped);
  const modules = contenders.flatMap((each) => ('file' in each ? [each] : []));
  return markup`<section aria-labelledby="again"><h2 id="again">${heading}</h2>
<p>With Muster ${muster} this makes the same figures, on any number of cores, in any time zone:</p>
<pre tabindex="0" role="region" aria-label="Command">${commandOf(comparison)}</pre>
${
  own.length === 0
    ? nothing
    : markup`<p>${own.some(isPlayable) ? markup`Save the definition of ${own.filter(isPlayable).map((each, i) => markup`${i === 0 ? '' : ', '}${name(each.scenario)} as <code>${fileOf(each)}</code>`)} first. ` : nothing}${own.some((each) => !isPlayable(each)) ? markup`Traces are not in this report: they are needed as they were.` : nothing}</p>
`
}${
  modules.length === 0
    ? nothing
    : markup`<p>Schedulers of one’s own, by the SHA-256 of their files (not of what those import): ${modules.map((each, i) => markup`${i === 0 ? '' : ', '}${moduleWords(each)}`)}.</p>
`
}<table class="facts"><caption>What was played</caption><thead><tr><th scope="col">scenario</th><th scope="col" class="number">seeds</th><th scope="col" class="number">runs</th><th scope="col">SHA-256 of the definition</th></tr></thead><tbody>${scenarios.map(
    (each) =>
      markup`<tr><th scope="row">${name(each.scenario)}</th><td class="number">${seedsText(each.seeds)}</td><td class="number">${each.runs.length}${each.missing === 0 ? '' : ` of ${each.runs.length + each.missing}`}</td><td><code class="hash">${each.definition_sha256}</code></td></tr>
`,
  )}</tbody></table></section>
`;
}

/** `number` is that of the scenario. */
export function definitionOf(
  { definition, definition_sha256 }: ScenarioComparison,
  number: number,
): Markup {
  return folded({
    summary: 'Definition, with every default',
    content: markup`<pre tabindex="0" role="region" aria-label="Definition of scenario ${number}">${jsonLines(definition)}</pre><p class="soft">SHA-256 of it as JSON without spaces: <code class="hash">${definition_sha256}</code></p>`,
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
  return [
    'muster compare',
    ...scenarios.map((each) => (each.is_shipped ? each.scenario : `./${fileOf(each)}`)),
    `--algorithms ${algorithms.join(',')}`,
    ...modules.map((file) => `--scheduler ${quoted(`./${file}`)}`),
    `--seeds ${seeds.length}`,
    ...(seeds[0] === 1 || seeds.length === 0 ? [] : [`--first-seed ${seeds[0]!}`]),
    '--out report.html',
  ].join(' ');
}

/** A name for its definition that is safe in a shell. */
function fileOf({ scenario }: ScenarioComparison): string {
  const safe = scenario.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '');
  return `${safe === '' ? 'scenario' : safe}.json`;
}

/** Of a trace only what it says of itself is known. */
function isPlayable({ definition }: ScenarioComparison): boolean {
  return typeof definition === 'object' && definition !== null && 'jobs' in definition;
}

function moduleWords(origin: Extract<ContenderOrigin, { readonly file: string }>): Markup {
  return markup`<code>${origin.file}</code> <code class="hash">${origin.sha256}</code>`;
}

/** As a shell takes it, when it is more than letters. */
function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
