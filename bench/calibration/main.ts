// `npm run calibrate -- [--repetitions N] [--mixes A,B] [--algorithms A,B] [--measured FILE.json] [--out FILE.md]
// [--json]`: the same jobs on a real cluster of throttled workers and in the lab, side by side. It takes half an hour
// and wants a machine with two cores that do nothing else. Runs that the file has are not measured again, those that
// are are added to it; Ctrl-C ends it with what was measured until then.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { compareAll, rowsOf } from './calibration.ts';
import { type Contender, contenders } from './contenders.ts';
import { type Measured, type MeasuredRun, measuredSchema } from './measured.ts';
import { type Mix, mixes } from './mixes.ts';
import { probe } from './probe.ts';
import { runReal } from './real-run.ts';
import { markdownTable, textTable } from './table.ts';

const { values } = parseArgs({
  options: {
    repetitions: { type: 'string', default: '5' },
    mixes: { type: 'string', default: mixes.map(({ id }) => id).join(',') },
    algorithms: { type: 'string', default: contenders.map(({ name }) => name).join(',') },
    measured: { type: 'string' },
    out: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

const halt = new AbortController();
process.on('SIGINT', () => halt.abort(new Error('It was ended before anything was measured.')));

/** Those that were asked for, in the order of the list. */
function chosen<T>(list: readonly T[], idOf: (each: T) => string, asked: string): readonly T[] {
  const ids = asked.split(',');
  const unknown = ids.find((id) => !list.some((each) => idOf(each) === id));
  if (unknown !== undefined) {
    throw new RangeError(`There is no "${unknown}". There are: ${list.map(idOf).join(', ')}.`);
  }
  return list.filter((each) => ids.includes(idOf(each)));
}

interface Wanted {
  readonly mix: Mix;
  readonly contender: Contender;
  readonly seed: number;
}

/** Repetition by repetition, so that whatever changes with time meets all alike. */
function wantedRuns(): readonly Wanted[] {
  const repetitions = Number(values.repetitions);
  if (!Number.isInteger(repetitions) || repetitions < 2) {
    throw new RangeError(
      '--repetitions takes a whole number from 2 on: one is predicted by others.',
    );
  }
  const chosenMixes = chosen(mixes, ({ id }) => id, values.mixes);
  const deciding = chosen(contenders, ({ name }) => name, values.algorithms);
  return Array.from({ length: repetitions }, (_, i) => i + 1).flatMap((seed) =>
    chosenMixes.flatMap((mix) => deciding.map((contender) => ({ mix, contender, seed }))),
  );
}

function isSame({ mix, contender, seed }: Wanted, run: MeasuredRun): boolean {
  return run.mix === mix.id && run.contender === contender.name && run.seed === seed;
}

function readMeasured(path: string | undefined): Measured | null {
  if (path === undefined || !existsSync(path)) return null;
  try {
    return measuredSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(`${path} was not written by this command: ${why}`, { cause: error });
  }
}

async function measure(wanted: readonly Wanted[], known: Measured | null): Promise<Measured> {
  const runs = [...(known?.runs ?? [])];
  const missing = wanted.filter((each) => !runs.some((run) => isSame(each, run)));
  if (known !== null && missing.length === 0) return known;
  const cpu = cpus();
  const machine = `${cpu.length} × ${cpu[0]?.model ?? 'unknown processor'}, Node ${process.version}`;
  console.error(`${machine}, load before ${loadavg()[0]!.toFixed(2)}; ${missing.length} runs`);
  const head = known ?? { calibration: 1 as const, machine, ...(await probe(halt.signal)) };
  const { turnsPerSecond } = head;
  for (const each of missing) {
    try {
      const run = await runReal({ ...each, turnsPerSecond, halt: halt.signal });
      tell(run);
      runs.push(run);
      if (values.measured !== undefined) keep(values.measured, { ...head, runs });
    } catch (error) {
      if (!halt.signal.aborted || runs.length === 0) throw error;
      break;
    }
  }
  return { ...head, runs };
}

function keep(path: string, measured: Measured): void {
  writeFileSync(path, `${JSON.stringify(measured, null, 1)}\n`);
}

function tell({ mix, contender, seed, makespanSeconds, tasks, during }: MeasuredRun): void {
  const speeds = during.map((each) => each?.speed.toFixed(4) ?? '–');
  console.error(
    `${mix} ${contender} ${seed}: ${makespanSeconds.toFixed(2)} s, tasks ${tasks.join(' ')}, speeds ${speeds.join(' ')}`,
  );
}

async function main(): Promise<void> {
  const measured = await measure(wantedRuns(), readMeasured(values.measured));
  const runs = await compareAll(measured);
  const rows = rowsOf(runs);
  if (values.out !== undefined) writeFileSync(values.out, markdownTable(rows));
  console.log(values.json ? JSON.stringify({ rows, runs }, null, 1) : textTable(rows));
}

try {
  await main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
