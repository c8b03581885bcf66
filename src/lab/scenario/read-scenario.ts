// Reads a scenario: a file, or the name of one that is shipped. What is wrong with it is told in a sentence that
// names the place.

import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultWeights } from '../../core/snapshot.ts';
import { JsonScanner } from '../../protocol/json-scanner.ts';
import { findAmountFault } from './check-amounts.ts';
import { readGivenText } from './given-file.ts';
import { sayIssue } from './say-issue.ts';
import type { Scenario } from './scenario.ts';
import { ScenarioFault } from './scenario-fault.ts';
import { scenarioSchema } from './scenario-schema.ts';

const shippedFolder = fileURLToPath(new URL('../scenarios/', import.meta.url));
const mostBytes = 64_000_000;

/** Names of the scenarios that come with Muster, in order. */
export function shippedScenarios(): readonly string[] {
  return readdirSync(shippedFolder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => basename(name, '.json'))
    .sort();
}

/** `which`: the name of a shipped scenario, or the path of a file that ends in `.json`, in any case. */
export function readScenario(which: string, folder: string): Scenario {
  if (which.toLowerCase().endsWith('.ndjson')) {
    throw new ScenarioFault(
      `${which} is a trace, and here a scenario is needed: with a trace seeds decide little, so there is nothing to search in.`,
    );
  }
  if (!which.toLowerCase().endsWith('.json')) {
    const shipped = shippedScenarios();
    if (!shipped.includes(which)) {
      throw new ScenarioFault(
        `There is no scenario "${which}". Shipped ones: ${shipped.join(', ')}. ` +
          'A file of your own is named by its path and ends in .json, a trace in .ndjson.',
      );
    }
    return parseScenario(readText(join(shippedFolder, `${which}.json`)), which, shippedFolder);
  }
  const path = resolve(folder, which);
  return parseScenario(readText(path), which, dirname(path));
}

/** `name` is for messages; numbers that it keeps in files are looked for in `folder`. */
export function parseScenario(text: string, name: string, folder: string): Scenario {
  const json = parseJson(text, name);
  const parsed = scenarioSchema.safeParse(json);
  if (!parsed.success) throw new ScenarioFault(`${name}: ${sayIssue(parsed.error, json)}.`);
  const { weights = defaultWeights, ...written } = parsed.data;
  const scenario = withFiles(written, name, folder) as Omit<Scenario, 'weights'>;
  // Always the last: a definition that is written out and read again is the same, letter by letter.
  const found = { ...scenario, weights };
  checkNames(found, name);
  const fault = findAmountFault(found);
  if (fault !== null) throw new ScenarioFault(`${name}: ${fault.place} ${fault.sentence}.`);
  return found;
}

/** `JSON.parse` tells the place only sometimes. */
function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const scanner = new JsonScanner(new TextEncoder().encode(text));
    scanner.scan();
    throw new ScenarioFault(
      `${name} is ${scanner.problem ?? `no JSON: ${(error as Error).message}`}.`,
    );
  }
}

function readText(path: string): string {
  try {
    return readGivenText(path, mostBytes);
  } catch (error) {
    throw new ScenarioFault(`${path} ${(error as Error).message}.`);
  }
}

/** Every `{"file": …}` becomes `{"one_of": […]}`, that of arrivals `{"at_seconds": […]}`. */
function withFiles(value: unknown, name: string, folder: string, field = ''): unknown {
  // A label may be called as it likes.
  if (field === 'labels') return value;
  if (Array.isArray(value)) return value.map((each) => withFiles(each, name, folder));
  if (typeof value !== 'object' || value === null) return value;
  const { file } = value as { file?: unknown };
  if (typeof file === 'string' && Object.keys(value).length === 1) {
    const path = resolve(folder, file);
    return field === 'arrivals'
      ? { at_seconds: readMoments(path, file, name) }
      : { one_of: readNumbers(path, file, name, mostAmounts) };
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, withFiles(each, name, folder, key)]),
  );
}

/** As many and as large as the schema takes of those that are written down. */
const mostAmounts = 1_000_000;
const mostMoments = 100_000;
const largest = 1e9;

/** One a line; empty lines count for nothing. */
function readNumbers(path: string, file: string, name: string, most: number): readonly number[] {
  const numbers: number[] = [];
  readText(path)
    .split('\n')
    .forEach((line, i) => {
      const text = line.trim();
      if (text === '') return;
      const number = Number(text);
      if (!(number >= 0 && number <= largest)) {
        throw new ScenarioFault(
          `${name}: ${file} has "${text}" in line ${i + 1}, which is no number from 0 to 1 000 000 000.`,
        );
      }
      numbers.push(number);
    });
  if (numbers.length === 0) throw new ScenarioFault(`${name}: ${file} has no numbers.`);
  if (numbers.length > most) {
    throw new ScenarioFault(
      `${name}: ${file} has ${numbers.length} numbers; ${most} are the most that it may have.`,
    );
  }
  return numbers;
}

/** Times between arrivals, taken for moments, would make another scenario: they are seldom in order. */
function readMoments(path: string, file: string, name: string): readonly number[] {
  const moments = readNumbers(path, file, name, mostMoments);
  const early = moments.findIndex((moment, i) => i > 0 && moment < moments[i - 1]!);
  if (early > 0) {
    throw new ScenarioFault(
      `${name}: ${file} has ${moments[early]} after ${moments[early - 1]}. Arrivals are seconds from the ` +
        'beginning on, in ascending order, not the times between them.',
    );
  }
  return moments;
}

/** Two of one name would be drawn from the same chance. */
function checkNames({ devices, jobs }: Scenario, name: string): void {
  for (const [what, names] of [
    ['classes of devices', devices.map((kind) => kind.class)],
    ['jobs', jobs.map((kind) => kind.job)],
  ] as const) {
    const twice = names.find((each, i) => names.indexOf(each) !== i);
    if (twice !== undefined) throw new ScenarioFault(`${name}: two ${what} are named "${twice}".`);
  }
}
