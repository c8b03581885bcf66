// Reads a scenario: a file, or the name of one that is shipped. What is wrong with it is told in a sentence that
// names the place.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { defaultWeights } from '../../core/snapshot.ts';
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

/** `which`: the name of a shipped scenario, or the path of a file that ends in `.json`. */
export function readScenario(which: string, folder: string): Scenario {
  if (!which.endsWith('.json')) {
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
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new ScenarioFault(`${name} is no JSON: ${(error as Error).message}`);
  }
  const parsed = scenarioSchema.safeParse(json);
  if (!parsed.success) throw new ScenarioFault(`${name}: ${sayIssue(parsed.error)}`);
  const { weights = defaultWeights, ...written } = parsed.data;
  const scenario = withFiles(written, name, folder) as Omit<Scenario, 'weights'>;
  // Always the last: a definition that is written out and read again is the same, letter by letter.
  const found = { ...scenario, weights };
  checkNames(found, name);
  return found;
}

function readText(path: string): string {
  try {
    const text = readFileSync(path, 'utf8');
    if (text.length > mostBytes) throw new ScenarioFault(`${path} is larger than 64 MB.`);
    return text;
  } catch (error) {
    if (error instanceof ScenarioFault) throw error;
    throw new ScenarioFault(`${path} cannot be read: ${(error as Error).message}`);
  }
}

function sayIssue(error: z.ZodError): string {
  const issue = innermost(error.issues[0]!);
  const place = issue.path.map((part) =>
    typeof part === 'number' ? `[${part}]` : `.${String(part)}`,
  );
  const where = place.join('').replace(/^\./, '');
  return `${where === '' ? 'the file' : where}: ${issue.message}`;
}

type Issue = z.ZodError['issues'][number];

/** Where several forms are possible, the one that was meant tells what is wrong: the one whose fields are there. */
function innermost(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const meant = issue.errors.find((issues) => issues.every(isWithinForm));
  const first = meant?.[0];
  if (first === undefined) return { ...issue, message: noForm };
  return innermost({ ...first, path: [...issue.path, ...first.path] });
}

const noForm = 'is none of the forms that it may have (docs/guides/scenarios.md shows them)';

function isWithinForm({ code, path, ...issue }: Issue): boolean {
  if (code === 'unrecognized_keys') return path.length > 0;
  const isMissing = 'message' in issue && issue.message.endsWith('received undefined');
  return path.length > 0 && !(path.length === 1 && isMissing);
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
