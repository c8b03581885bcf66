// docs/reference/simulation.md is compared with what is written.

import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { compare } from '../../../src/lab/compare/compare.ts';
import { namedContenders } from '../../../src/lab/compare/named-contenders.ts';
import { algorithmContender } from '../../../src/lab/contender.ts';
import { attemptsText } from '../../../src/lab/outcome/attempts-text.ts';
import { runsCsv } from '../../../src/lab/report/runs-csv.ts';
import { readScenario } from '../../../src/lab/scenario/read-scenario.ts';
import { simulate, type Simulated } from '../../../src/lab/simulation.ts';

const page = readFileSync(
  new URL('../../../docs/reference/simulation.md', import.meta.url),
  'utf8',
);
const scenario = readScenario('few-tasks', '.');
const own = 'examples/schedulers/earliest-finish.ts';

/** The fields that a section of the page tells, in its order. */
function documented(title: string): readonly string[] {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${title}\n`))!;
  const rows = section.matchAll(/^\| (`[^|]*) \|/gm);
  return [...rows].flatMap(([, names = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );
}

/** What a section of its own tells, or is as somebody wrote it. */
const told = new Set([
  'measures',
  'bounds',
  'scenarios[].definition',
  'scenarios[].runs[].measures',
]);

/** `jobs[].name` for every field of a value; fields by measure as `measures.*`. */
function* pathsOf(value: unknown, path = ''): Generator<string> {
  const isDeep = typeof value === 'object' && value !== null && !told.has(path);
  const items = Array.isArray(value) ? value.filter((each) => typeof each === 'object') : [];
  if (!isDeep || (Array.isArray(value) && items.length === 0)) {
    yield path;
    return;
  }
  if (Array.isArray(value)) {
    for (const each of items) yield* pathsOf(each, `${path}[]`);
    return;
  }
  for (const [key, each] of Object.entries(value)) {
    const name = path === 'scenarios[].measures' ? '*' : key;
    yield* pathsOf(each, path === '' ? name : `${path}.${name}`);
  }
}

/** What is null in one place and more in another is told by its fields. */
function fieldsOf(value: unknown): readonly string[] {
  const paths = [...new Set(pathsOf(value))];
  return paths.filter((path) => !paths.some((other) => other.startsWith(`${path}.`)));
}

let simulated: Simulated;

beforeAll(async () => {
  const contender = algorithmContender('fifo');
  simulated = await simulate({ scenario, seed: 1, contender, version: 'test' });
});

test('the page has every measure and bound, as they are named and ordered in files', () => {
  const { measures, bounds } = simulated.simulation;
  expect(documented('Measures')).toEqual(Object.keys(measures));
  expect(documented('Bounds')).toEqual(Object.keys(bounds!));
});

test('the page has every field of a simulation, and no other', () => {
  expect(documented('`muster simulate --json`').toSorted()).toEqual(
    fieldsOf(simulated.simulation).toSorted(),
  );
});

test('the page has every column of the attempts, in their order', () => {
  const { plan, played } = simulated;
  const [head = ''] = [...attemptsText(plan, played, 'csv')].join('').split(/\r?\n/);
  expect(documented('`muster simulate --attempts FILE`')).toEqual(head.split(','));
});

test('the page has every field of a comparison, and every column of its runs', async () => {
  const contenders = await namedContenders('fifo', [own], '.');
  const rounds = [{ scenario, seeds: [1, 2] }];
  const comparison = await compare({ rounds, contenders, version: 'test', threads: 1 });
  const bounds = documented('Bounds').map((each) => `scenarios[].bounds[].${each}`);
  expect([...documented('`muster compare --json`'), ...bounds].toSorted()).toEqual(
    fieldsOf(comparison).toSorted(),
  );
  const [head = ''] = runsCsv(comparison).split(/\r?\n/);
  expect([
    ...documented('`muster compare --out FILE.csv`'),
    ...documented('Bounds'),
    ...documented('Measures'),
  ]).toEqual(head.split(','));
});
