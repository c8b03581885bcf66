// Compares contenders on scenarios: every one of them plays every scenario with the same seeds.

import { createHash } from 'node:crypto';
import type { Bounds } from '../outcome/bounds.ts';
import { definitionOf, hasManyJobs, type Playable } from '../playable.ts';
import { choiceOf, compareMeasures, decidingMeasure } from './assemble.ts';
import type { Cell, CellResult, ContenderOfCell } from './cell.ts';
import { playCells, type PoolOptions } from './cell-pool.ts';
import type { Comparison, ScenarioComparison } from './comparison.ts';
import { verdictOf } from './verdict.ts';

export interface NamedContender {
  readonly name: string;
  readonly contender: ContenderOfCell;
}

export interface CompareOptions extends PoolOptions {
  readonly scenarios: readonly Playable[];
  readonly contenders: readonly NamedContender[];
  readonly seeds: readonly number[];
  /** Version of Muster. */
  readonly version: string;
}

export async function compare(options: CompareOptions): Promise<Comparison> {
  const { scenarios, contenders, seeds, version } = options;
  // Seed by seed: what is there when it is interrupted can be compared.
  const cells = scenarios.flatMap((scenario) =>
    seeds.flatMap((seed) =>
      contenders.map(
        ({ contender }, i): Cell => ({ scenario, contender, seed, wantsBounds: i === 0 }),
      ),
    ),
  );
  const results = await playCells(cells, options);
  const perScenario = seeds.length * contenders.length;
  return {
    comparison: 1,
    muster: version,
    scenarios: scenarios.map((scenario, i) =>
      assemble(scenario, options, results.slice(i * perScenario, (i + 1) * perScenario)),
    ),
  };
}

/** `results` by seed, then by contender. */
function assemble(
  scenario: Playable,
  { contenders, seeds: asked }: CompareOptions,
  results: readonly (CellResult | undefined)[],
): ScenarioComparison {
  const width = contenders.length;
  const rows = asked.map((seed, i) => ({
    seed,
    results: results.slice(i * width, (i + 1) * width),
  }));
  const whole = rows.flatMap(({ seed, results: row }) => {
    const found = row.flatMap((result) => result ?? []);
    return found.length === width ? [{ seed, found }] : [];
  });
  const seeds = whole.map(({ seed }) => seed);
  const names = contenders.map(({ name }) => name);
  const runs = names.flatMap((contender, place) =>
    whole.map(({ seed, found }) => ({ contender, seed, measures: found[place]!.measures })),
  );
  const bounds = whole.map(({ seed, found }) => ({ seed, ...(found[0]!.bounds as Bounds) }));
  const compared = { contenders: names, seeds, runs };
  const measures = compareMeasures(compared);
  const choice = choiceOf(compared, bounds, measures.makespan_seconds);
  const deciding = decidingMeasure(measures.makespan_seconds.best === null, hasManyJobs(scenario));
  const { about, scenario: name } = scenario;
  const definition = definitionOf(scenario);
  return {
    scenario: name,
    about,
    definition,
    definition_sha256: createHash('sha256').update(JSON.stringify(definition)).digest('hex'),
    seeds,
    contenders: names,
    bounds,
    runs,
    missing: asked.length * width - runs.length,
    measures,
    deciding_measure: deciding,
    choice,
    verdict: verdictOf(deciding, measures[deciding], choice),
  };
}
