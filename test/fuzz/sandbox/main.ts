// `npm run fuzz:sandbox -- --programs N --seed N` runs programs that a grammar makes in the realm of a
// sandbox child, and prints every hole with the program that shows it. Exit code 1 when there is one.

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type Find, fuzz, type FuzzReport, replay } from './fuzzer.ts';
import { functionText } from './program-tree.ts';

const usage = `npm run fuzz:sandbox -- [--programs N] [--seed N] [--finds N] [--no-reduce] [--at-once N]
npm run fuzz:sandbox -- --seed N --program N[,N…]

  --programs N   how many programs are made and run (default 20000)
  --seed N       what they follow from (default 1)
  --finds N      stop after so many different holes (default 3)
  --no-reduce    print what was found as it was made
  --at-once N    how many children run them (default: one per core)
  --program N    run these programs of the seed alone, and print them`;

const secondMs = 1_000;

async function main(): Promise<number> {
  let options: ReturnType<typeof readArguments>;
  try {
    options = readArguments();
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  const { seed, numbers } = options;
  return numbers === null ? fuzzMany(options) : playAgain(seed, numbers);
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      programs: { type: 'string', default: '20000' },
      seed: { type: 'string', default: '1' },
      finds: { type: 'string', default: '3' },
      reduce: { type: 'boolean', default: true },
      'at-once': { type: 'string', default: `${availableParallelism()}` },
      program: { type: 'string' },
    },
    allowNegative: true,
  });
  const numbers = values.program?.split(',').map((text) => wholeNumber('--program', text));
  return {
    programs: wholeNumber('--programs', values.programs),
    seed: wholeNumber('--seed', values.seed),
    finds: wholeNumber('--finds', values.finds),
    isReducing: values.reduce,
    atOnce: Math.max(1, wholeNumber('--at-once', values['at-once'])),
    numbers: numbers ?? null,
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Error(`${name} takes a whole number, not "${text}".`);
  return Number(text);
}

async function fuzzMany(options: ReturnType<typeof readArguments>): Promise<number> {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / secondMs;
  const everySeconds = process.stderr.isTTY ? 1 : 20;
  let toldAt = 0;
  const report = await fuzz({
    ...options,
    onFind: tell,
    onProgress: (now) => {
      if (seconds() - toldAt < everySeconds) return;
      toldAt = seconds();
      const line = lineOf(now, seconds());
      process.stderr.write(process.stderr.isTTY ? `\r${line} ` : `${line}\n`);
    },
  });
  if (process.stderr.isTTY) process.stderr.write('\r');
  console.log(lineOf(report, seconds()));
  return report.finds.length === 0 ? 0 : 1;
}

function lineOf({ ran, finds, exhausted, refused }: FuzzReport, seconds: number): string {
  const aside = [
    ...(exhausted.length > 0
      ? [`${exhausted.length} ran out of time, memory or stack (${some(exhausted)})`]
      : []),
    ...(refused.length > 0 ? [`${refused.length} did not parse (${some(refused)})`] : []),
  ];
  const rate = Math.round(ran / seconds);
  return [`${ran} programs, ${finds.length} finds, ${rate}/s`, ...aside].join(', ');
}

function some(numbers: readonly number[]): string {
  return numbers.slice(0, 5).join(', ') + (numbers.length > 5 ? ', …' : '');
}

function tell({ sentences, seed, numbers, programs, after }: Find): void {
  const who = numbers.length === 0 ? 'without any program' : `program ${numbers.join(', ')}`;
  console.log(`\nFIND (seed ${seed}, ${who}, after ${after}):`);
  for (const sentence of sentences) console.log(`- ${sentence}`);
  for (const program of programs) console.log(functionText(program));
  if (numbers.length > 0) {
    console.log(`Again: npm run fuzz:sandbox -- --seed ${seed} --program ${numbers.join()}\n`);
  }
}

async function playAgain(seed: number, numbers: readonly number[]): Promise<number> {
  const { programs, outcome } = await replay(seed, numbers);
  for (const program of programs) console.log(functionText(program));
  switch (outcome.type) {
    case 'sound':
      console.log('Nothing is wrong afterwards.');
      return 0;
    case 'refused':
      console.log(`It does not parse: ${outcome.why}`);
      return 0;
    case 'exhausted':
      console.log('It ran out of time, memory or stack.');
      return 0;
    case 'found':
      for (const fault of outcome.faults) console.log(fault);
      return 1;
  }
}

process.exitCode = await main();
