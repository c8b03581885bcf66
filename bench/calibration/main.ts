// `npm run calibrate -- [--repetitions N] [--mixes A,B] [--algorithms A,B] [--out FILE.md] [--json]`: the same
// jobs on a real cluster of throttled workers and in the lab, side by side. It takes half an hour and wants a
// machine with two cores that do nothing else. Ctrl-C ends it with what was measured until then.

import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { type ComparedRun, rowsOf } from './calibration.ts';
import { type Contender, contenders, equalWeights } from './contenders.ts';
import { devices } from './devices.ts';
import { type Mix, mixes } from './mixes.ts';
import { playRun } from './played-run.ts';
import { type Probe, probe } from './probe.ts';
import { runReal } from './real-run.ts';
import { inHindsight, sizesOf } from './scenario-of.ts';
import { markdownTable, textTable } from './table.ts';

const { values } = parseArgs({
  options: {
    repetitions: { type: 'string', default: '5' },
    mixes: { type: 'string', default: mixes.map(({ id }) => id).join(',') },
    algorithms: { type: 'string', default: contenders.map(({ name }) => name).join(',') },
    out: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

const halt = new AbortController();
process.on('SIGINT', () => halt.abort(new Error('It was ended.')));

/** Those that were asked for, in the order of the list. Undefined when one is unknown. */
function chosen<T>(list: readonly T[], idOf: (each: T) => string, asked: string): readonly T[] {
  const ids = asked.split(',');
  const unknown = ids.find((id) => !list.some((each) => idOf(each) === id));
  if (unknown !== undefined) {
    throw new RangeError(`There is no "${unknown}". There are: ${list.map(idOf).join(', ')}.`);
  }
  return list.filter((each) => ids.includes(idOf(each)));
}

interface Asked {
  readonly repetitions: number;
  readonly mixes: readonly Mix[];
  readonly contenders: readonly Contender[];
}

function readAsked(): Asked {
  const repetitions = Number(values.repetitions);
  if (!Number.isInteger(repetitions) || repetitions < 1) {
    throw new RangeError('--repetitions takes a whole number from 1 on.');
  }
  return {
    repetitions,
    mixes: chosen(mixes, ({ id }) => id, values.mixes),
    contenders: chosen([...contenders, equalWeights], ({ name }) => name, values.algorithms),
  };
}

/** Repetition by repetition, so that whatever changes with time meets all alike. */
async function* measure(asked: Asked, measured: Probe): AsyncGenerator<ComparedRun> {
  for (let seed = 1; seed <= asked.repetitions; seed++) {
    for (const mix of asked.mixes) {
      const sizes = sizesOf(mix, seed);
      for (const contender of asked.contenders) {
        const options = { contender, mix, sizes, probe: measured, halt: halt.signal };
        const real = await runReal(options);
        const simulated = await playRun(contender, mix, real, seed);
        const cluster = inHindsight(real.cluster, real.during);
        const hindsight = await playRun(contender, mix, { ...real, cluster }, seed);
        const names = { mix: mix.id, contender: contender.name, seed };
        yield { ...names, real, simulated, inHindsight: hindsight };
      }
    }
  }
}

function tell({
  mix,
  contender,
  seed,
  real,
  simulated,
  inHindsight: hindsight,
}: ComparedRun): void {
  const error = (of: number) => `${(100 * (of / real.makespanSeconds - 1)).toFixed(1)} %`;
  const { speeds } = real.cluster;
  console.error(
    `${mix} ${contender} ${seed}: real ${real.makespanSeconds.toFixed(2)} s (${real.tasks.join(' ')}), ` +
      `simulated ${simulated.makespanSeconds.toFixed(2)} s (${simulated.tasks.join(' ')}), ` +
      `${error(simulated.makespanSeconds)}, in hindsight ${error(hindsight.makespanSeconds)}; ` +
      `speeds ${speeds.map((each) => each.toFixed(4)).join(' ')}`,
  );
}

function tellProbe(measured: Probe): void {
  const { turnsPerSecond, latencyMs, commitMs, speeds, startMs } = measured;
  const list = (numbers: readonly number[], digits: number) =>
    numbers.map((each) => each.toFixed(digits)).join(' ');
  console.error(
    `One core: ${(turnsPerSecond / 1e6).toFixed(1)} million turns a second. ` +
      `Devices: ${devices.map(({ name }) => name).join(' ')}; speeds ${list(speeds, 4)}. ` +
      `Latency ${latencyMs.toFixed(2)} ms, commit ${commitMs.toFixed(2)} ms.`,
  );
  for (const [kb, each] of startMs)
    console.error(`To begin a task with ${kb} KB: ${list(each, 1)} ms.`);
}

async function main(): Promise<void> {
  const asked = readAsked();
  const cpu = cpus();
  const machine = `${cpu.length} × ${cpu[0]?.model ?? 'unknown processor'}, Node ${process.version}`;
  console.error(`${machine}, load before ${loadavg()[0]!.toFixed(2)}`);
  const runs: ComparedRun[] = [];
  const measured = await probe(
    asked.mixes.map(({ payloadKb }) => payloadKb),
    halt.signal,
  );
  tellProbe(measured);
  try {
    for await (const run of measure(asked, measured)) {
      tell(run);
      runs.push(run);
    }
  } catch (error) {
    if (!halt.signal.aborted) throw error;
  } finally {
    const rows = rowsOf(runs);
    if (values.out !== undefined) writeFileSync(values.out, markdownTable(rows));
    const probed = { ...measured, startMs: Object.fromEntries(measured.startMs) };
    const all = { machine, devices, probe: probed, rows, runs };
    console.log(values.json ? JSON.stringify(all, null, 1) : textTable(rows));
  }
}

try {
  await main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
