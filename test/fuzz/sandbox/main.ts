// `npm run fuzz:sandbox -- --programs N --seed N` runs programs that a grammar makes in the realm of a
// sandbox child, and prints every hole with the program that shows it. Exit code 1 when there is one.

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type Find, fuzz, type FuzzOptions, type FuzzReport, replay } from './fuzzer.ts';
import { functionText } from './program-tree.ts';
import { inProcess, type StartRunner } from './trial.ts';

const usage = `npm run fuzz:sandbox -- [--programs N] [--seed N] [--finds N] [--no-reduce] [--at-once N] [--in WHERE]
npm run fuzz:sandbox -- --seed N --program N[,N…]

  --programs N   how many programs are made and run (default 20000)
  --seed N       what they follow from (default 1)
  --finds N      stop after so many different holes (default 3)
  --no-reduce    print what was found as it was made
  --at-once N    how many children run them (default: one per core)
  --in WHERE     process (default), or browser: the thread in a frame of a real browser
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
  if (options.place === 'process') return play(options, inProcess);
  // Only here: it loads a browser and a bundler.
  const { FuzzingBrowser } = await import('./fuzzing-frame.ts');
  const browser = await FuzzingBrowser.open();
  try {
    return await play(options, browser.start);
  } finally {
    await browser.close();
  }
}

function play(options: ReturnType<typeof readArguments>, start: StartRunner): Promise<number> {
  const { seed, numbers } = options;
  return numbers === null ? fuzzMany({ ...options, start }) : playAgain(seed, numbers, start);
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      programs: { type: 'string', default: '20000' },
      seed: { type: 'string', default: '1' },
      finds: { type: 'string', default: '3' },
      reduce: { type: 'boolean', default: true },
      'at-once': { type: 'string', default: `${availableParallelism()}` },
      in: { type: 'string', default: 'process' },
      program: { type: 'string' },
    },
    allowNegative: true,
  });
  if (values.in !== 'process' && values.in !== 'browser') {
    throw new Error(`--in takes process or browser, not "${values.in}".`);
  }
  const numbers = values.program?.split(',').map((text) => wholeNumber('--program', text));
  return {
    programs: wholeNumber('--programs', values.programs),
    seed: wholeNumber('--seed', values.seed),
    finds: wholeNumber('--finds', values.finds),
    isReducing: values.reduce,
    atOnce: Math.max(1, wholeNumber('--at-once', values['at-once'])),
    numbers: numbers ?? null,
    place: values.in,
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Error(`${name} takes a whole number, not "${text}".`);
  return Number(text);
}

async function fuzzMany(
  options: Omit<FuzzOptions, 'onFind' | 'onProgress'> & { readonly place: string },
): Promise<number> {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / secondMs;
  const everySeconds = process.stderr.isTTY ? 1 : 20;
  let toldAt = 0;
  const report = await fuzz({
    ...options,
    onFind: (find) => tell(find, options.place),
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

function tell({ sentences, seed, numbers, programs, after }: Find, place: string): void {
  const where = place === 'process' ? '' : ` --in ${place}`;
  const who = numbers.length === 0 ? 'without any program' : `program ${numbers.join(', ')}`;
  console.log(`\nFIND (seed ${seed}, ${who}, after ${after}):`);
  for (const sentence of sentences) console.log(`- ${sentence}`);
  for (const program of programs) console.log(functionText(program));
  if (numbers.length > 0) {
    console.log(
      `Again: npm run fuzz:sandbox -- --seed ${seed} --program ${numbers.join()}${where}\n`,
    );
  }
}

async function playAgain(
  seed: number,
  numbers: readonly number[],
  start: StartRunner,
): Promise<number> {
  const { programs, outcome } = await replay(seed, numbers, start);
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
