// `npm run bench -- [NAME…]` runs the named measurements, all of them without a name.

import { cpus } from 'node:os';
import { benchEndToEnd } from './end-to-end.bench.ts';
import { benchExecutor } from './executor.bench.ts';
import { benchFlood } from './flood.bench.ts';
import { benchHostile } from './hostile.bench.ts';
import { benchReads } from './reads.bench.ts';
import { benchRecovery } from './recovery.bench.ts';
import { benchScheduling } from './scheduling.bench.ts';
import { benchSmallJobs } from './small-jobs.bench.ts';
import { benchStore } from './store.bench.ts';

const print = (line: string) => console.log(line);

const benches: Readonly<Record<string, () => void | Promise<void>>> = {
  'end-to-end': () => benchEndToEnd(print),
  reads: () => benchReads(print),
  store: () => benchStore(print),
  executor: () => benchExecutor(print),
  'small-jobs': () => benchSmallJobs(print),
  scheduling: () => benchScheduling(print),
  recovery: () => benchRecovery(print),
  hostile: () => benchHostile(print),
  flood: () => benchFlood(print),
};

const named = process.argv.slice(2);
const unknown = named.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(
    `"${unknown[0]}" is not a measurement. There are: ${Object.keys(benches).join(', ')}.`,
  );
  process.exitCode = 2;
} else {
  const cpu = cpus();
  print(`${cpu.length} × ${cpu[0]?.model ?? 'unknown processor'}, Node ${process.version}`);
  for (const name of named.length > 0 ? named : Object.keys(benches)) {
    print(`\n# ${name}`);
    await benches[name]!();
  }
}
