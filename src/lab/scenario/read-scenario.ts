// Reads a scenario: a file, or the name of one that is shipped. What is wrong with it is told in a sentence that
// names the place.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultWeights } from '../../core/snapshot.ts';
import { JsonScanner } from '../../protocol/json-scanner.ts';
import { findAmountFault } from './check-amounts.ts';
import { sayIssue } from './say-issue.ts';
import type { Scenario } from './scenario.ts';
import { scenarioSchema } from './scenario-schema.ts';

/** The scenario cannot be read or is not one: the message says why, for people. */
export class ScenarioFault extends Error {
  override readonly name = 'ScenarioFault';
}

const shippedFolder = fileURLToPath(new URL('../scenarios/', import.meta.url));
const mostBytes = 64 * 1024 * 1024;

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
    // Some editors begin a file with a byte order mark.
    const text = readFileSync(path, 'utf8').replace(/^\ufeff/, '');
    if (text.length > mostBytes) throw new ScenarioFault(`${path} is larger than 64 MB.`);
    return text;
  } catch (error) {
    if (error instanceof ScenarioFault) throw error;
    throw new ScenarioFault(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Every `{"file": …}` becomes `{"one_of": […]}`. */
function withFiles(value: unknown, name: string, folder: string): unknown {
  if (Array.isArray(value)) return value.map((each) => withFiles(each, name, folder));
  if (typeof value !== 'object' || value === null) return value;
  const { file } = value as { file?: unknown };
  if (typeof file === 'string' && Object.keys(value).length === 1) {
    return { one_of: readNumbers(resolve(folder, file), file, name) };
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, withFiles(each, name, folder)]),
  );
}

function readNumbers(path: string, file: string, name: string): readonly number[] {
  const lines = readText(path)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const numbers = lines.map(Number);
  const wrong = numbers.findIndex((number) => !Number.isFinite(number) || number < 0);
  if (wrong >= 0) {
    throw new ScenarioFault(
      `${name}: ${file} has "${lines[wrong]}", which is no number of at least 0.`,
    );
  }
  if (numbers.length === 0) throw new ScenarioFault(`${name}: ${file} has no numbers.`);
  return numbers;
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
