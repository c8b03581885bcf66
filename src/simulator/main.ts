// `npm run simulate -- --seed N` plays one seed and prints its report; `--seeds N` plays many.

import { parseArgs } from 'node:util';
import { addCounts, countLines, noCounts } from './coverage.ts';
import { firstSeedOfHosts } from './hosts/host-faults.ts';
import { addHostCounts, hostCountLines, noHostCounts } from './hosts/host-counts.ts';
import { simulate, SimulationFailure } from './simulation.ts';

const usage = `npm run simulate -- [--seed N | --seeds N [--from N] [--first]] [--quiet]

  --seed N    play one seed and print what happens
  --seeds N   play N seeds and print a summary (default 100)
  --from N    first of many seeds (default 1); from ${firstSeedOfHosts} on worlds have several hosts
  --first     stop at the first seed that fails
  --quiet     with --seed: only the summary`;

async function main(): Promise<number> {
  let values: ReturnType<typeof readArguments>;
  try {
    values = readArguments();
  } catch (error) {
    complain(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  if (values.help) {
    say(usage);
    return 0;
  }
  return values.seed === undefined ? playMany(values) : playOne(values.seed, values.quiet);
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      seeds: { type: 'string', default: '100' },
      from: { type: 'string', default: '1' },
      first: { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    seed: values.seed === undefined ? undefined : wholeNumber('--seed', values.seed),
    seeds: wholeNumber('--seeds', values.seeds),
    from: wholeNumber('--from', values.from),
    first: values.first,
    quiet: values.quiet,
    help: values.help,
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Error(`${name} takes a whole number, not "${text}".`);
  return Number(text);
}

async function playOne(seed: number, quiet: boolean): Promise<number> {
  try {
    const report = await simulate({
      seed,
      ...(quiet ? {} : { onLine: say }),
    });
    say(JSON.stringify(report));
    return 0;
  } catch (error) {
    return tell(error);
  }
}

async function playMany({
  seeds: count,
  from,
  first,
}: {
  readonly seeds: number;
  readonly from: number;
  readonly first: boolean;
}): Promise<number> {
  const startedAt = performance.now();
  let steps = 0;
  let lives = 0;
  const counts = noCounts();
  const hosts = noHostCounts();
  let failures = 0;
  let played = 0;
  for (let seed = from; seed < from + count; seed++) {
    if (first && failures > 0) break;
    played++;
    try {
      const report = await simulate({ seed });
      steps += report.steps;
      lives += report.coordinatorLives;
      addCounts(counts, report.counts);
      addHostCounts(hosts, report.hosts);
    } catch (error) {
      failures++;
      tell(error);
    }
    if (process.stderr.isTTY) process.stderr.write(`\r${seed - from + 1} of ${count} seeds`);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  if (process.stderr.isTTY) process.stderr.write('\r');
  for (const line of countLines(counts)) say(line);
  if (from + count > firstSeedOfHosts) for (const line of hostCountLines(hosts)) say(line);
  say(
    `${played} seeds, ${failures} failed, ${steps} steps, ${lives} lives of the coordinator, ${seconds.toFixed(1)} s`,
  );
  return failures === 0 ? 0 : 1;
}

function tell(error: unknown): number {
  const isOurs = error instanceof SimulationFailure;
  complain(isOurs ? error.message : String(error));
  if (isOurs && error.cause instanceof Error) complain(error.cause.stack ?? '');
  return 1;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function complain(line: string): void {
  process.stderr.write(`${line}\n`);
}

process.exitCode = await main();
