// Compares contenders on scenarios: every one of them plays every scenario with the same seeds.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Bounds } from '../outcome/bounds.ts';
import { decisionTimeOf } from '../outcome/decision-times.ts';
import type { ComparedMeasure } from '../outcome/measures.ts';
import { readScenario, shippedScenarios } from '../scenario/read-scenario.ts';
import { definitionOf, hasManyJobs, type Playable, traceOf } from '../playable.ts';
import { choiceOf, compareMeasures, decidingMeasure, usualMeasure } from './assemble.ts';
import type { Cell, CellResult, ContenderOfCell } from './cell.ts';
import { playCells, type PoolOptions } from './cell-pool.ts';
import type { Comparison, ContenderOrigin, ScenarioComparison } from './comparison.ts';
import { sayEnds } from './run-ends.ts';
import { verdictOf } from './verdict.ts';

export interface NamedContender {
  readonly name: string;
  readonly contender: ContenderOfCell;
}

/** A scenario, and the seeds with which all contenders play it. */
export interface Round {
  readonly scenario: Playable;
  readonly seeds: readonly number[];
}

export interface CompareOptions extends PoolOptions {
  readonly rounds: readonly Round[];
  readonly contenders: readonly NamedContender[];
  /** Version of Muster. */
  readonly version: string;
  /** Times how long decisions take: the one thing in a comparison that does not repeat. */
  readonly wantsDecisionTimes?: boolean | undefined;
}

export async function compare(options: CompareOptions): Promise<Comparison> {
  const { rounds, contenders, version, wantsDecisionTimes = false } = options;
  // Seed by seed: what is there when it is interrupted can be compared.
  const cells = rounds.map(({ scenario, seeds }) =>
    seeds.flatMap((seed) =>
      contenders.map(
        ({ contender }, i): Cell => ({
          scenario,
          contender,
          seed,
          wantsBounds: i === 0,
          wantsDecisionTimes,
        }),
      ),
    ),
  );
  const origins = contenders.map(originOf);
  const results = await playCells(cells.flat(), options);
  let from = 0;
  return {
    comparison: 1,
    muster: version,
    seeds: commonSeeds(rounds),
    contenders: origins,
    scenarios: rounds.map((round, i) => {
      const to = from + cells[i]!.length;
      const own = results.slice(from, to);
      from = to;
      return assemble(round, contenders, own);
    }),
  };
}

/** So many, one after the other. */
export function seedsFrom(first: number, length: number): readonly number[] {
  return Array.from({ length }, (_, i) => first + i);
}

/** Null where scenarios are played with seeds of their own. */
function commonSeeds(rounds: readonly Round[]): readonly number[] | null {
  const all = rounds.map(({ seeds }) => seeds);
  const isCommon = all.every((seeds) => seeds.join() === all[0]!.join());
  return isCommon ? (all[0] ?? null) : null;
}

function originOf({ name, contender }: NamedContender): ContenderOrigin {
  if ('algorithm' in contender) return { name, algorithm: contender.algorithm };
  const { file } = contender;
  return { name, file: basename(file), sha256: sha256(readFileSync(file)) };
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

function isShipped(scenario: Playable): boolean {
  const { scenario: name } = scenario;
  if (!shippedScenarios().includes(name)) return false;
  return JSON.stringify(readScenario(name, '.')) === JSON.stringify(scenario);
}

/** `results` by seed, then by contender. */
function assemble(
  { scenario, seeds: asked }: Round,
  contenders: readonly NamedContender[],
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
  const times = names.map((contender, place) =>
    decisionTimeOf(
      contender,
      whole.flatMap(({ found }) => found[place]!.decisionTimes ?? []),
    ),
  );
  const hasTimes = whole.some(({ found }) => found[0]!.decisionTimes !== null);
  const compared = { contenders: names, seeds, runs };
  const measures = compareMeasures(compared);
  const deciding = decidingMeasure(measures, hasManyJobs(scenario));
  const choice = choiceOf(compared, bounds, { measures, deciding });
  const { about, scenario: name } = scenario;
  const definition = definitionOf(scenario);
  return {
    scenario: name,
    is_shipped: isShipped(scenario),
    trace: traceOf(scenario),
    about,
    definition,
    definition_sha256: sha256(JSON.stringify(definition)),
    seeds,
    contenders: names,
    bounds,
    runs,
    missing: asked.length * width - runs.length,
    measures,
    deciding_measure: deciding,
    choice,
    verdict: [
      ...(seeds.length === 0 ? [] : verdictOf({ deciding, measures, choice, runs })),
      ...sayEnds({ contenders: names, seeds: seeds.length, runs }),
    ],
    ...(hasTimes && { decision_times: times }),
  };
}

/** The measure by which the scenario is judged when nothing else is asked for. */
export function usualMeasureOf(scenario: Playable): ComparedMeasure {
  return usualMeasure(hasManyJobs(scenario));
}
