// Makes the job: the program with the history inside, and one small input a task.
//
//   node examples/market-risk/prepare.ts DIRECTORY     writes program.js and inputs.ndjson there

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readHistory } from './history.ts';
import { type Input, programSource } from './program.ts';

export type Options = {
  /** Tasks of the job. */
  readonly tasks?: number;
  /** Simulated paths a task. */
  readonly paths?: number;
  /** How far ahead, in months. */
  readonly months?: number;
  /** Months drawn together. Twelve keep a year's momentum and its turbulence in one piece. */
  readonly block?: number;
  /** Same seed, same answer. 32 bits count. */
  readonly seed?: number;
};

export type Job = {
  readonly name: string;
  readonly program: { readonly kind: 'javascript'; readonly source: string };
  readonly inputs: readonly Input[];
};

export function prepareMarketRisk(options: Options = {}): Job {
  const { tasks = 400, paths = 50_000, months = 120, block = 12, seed = 2000 } = options;
  for (const [name, value] of Object.entries({ tasks, paths, months, block })) {
    if (!(Number.isSafeInteger(value) && value > 0)) {
      throw new RangeError(`${name} must be a whole number above 0, not ${value}`);
    }
  }
  return {
    name: 'market-risk',
    program: { kind: 'javascript', source: programSource(readHistory()) },
    inputs: Array.from({ length: tasks }, (_, stream) => ({ seed, stream, paths, months, block })),
  };
}

if (import.meta.main) {
  const directory = process.argv[2];
  if (directory === undefined) throw new Error('Usage: prepare.ts DIRECTORY');
  const { program, inputs } = prepareMarketRisk();
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'program.js'), program.source);
  writeFileSync(
    join(directory, 'inputs.ndjson'),
    inputs.map((input) => `${JSON.stringify(input)}\n`).join(''),
  );
  process.stderr.write(`${inputs.length} inputs and their program are in ${directory}\n`);
}
