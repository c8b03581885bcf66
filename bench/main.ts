// `npm run bench -- [NAME…] [--tasks N] [--days N] [--workers N] [--seconds N] [--minutes N] [--rounds N]` runs the
// named measurements, all of them without a name. The tasks are for `long-run`, and a further job of `cluster`; the
// days for `history`; the workers for `many-workers`, which asks each thing for so many seconds, and the crowd of
// `cluster`; for `dashboard` the seconds for which each page is open, and the minutes for the overview; the rounds for
// `cluster` and `takeover`.

import { cpus } from 'node:os';
import { benchAccess } from './access.bench.ts';
import { benchBrowser } from './browser.bench.ts';
import { benchCluster } from './cluster.bench.ts';
import { benchClients } from './clients.bench.ts';
import { benchDamage } from './damage.bench.ts';
import { benchDashboard } from './dashboard.bench.ts';
import { parseArgs } from 'node:util';
import { benchChildStart } from './child-start.bench.ts';
import { benchEndToEnd } from './end-to-end.bench.ts';
import { benchExecutor } from './executor.bench.ts';
import { benchFlood } from './flood.bench.ts';
import { benchFrozen } from './frozen.bench.ts';
import { benchGuests } from './guests.bench.ts';
import { benchHistory } from './history.bench.ts';
import { benchHostile } from './hostile.bench.ts';
import { benchLongRun } from './long-run.bench.ts';
import { benchManyWorkers } from './many-workers.bench.ts';
import { benchPayloads } from './payloads.bench.ts';
import { benchPython } from './python.bench.ts';
import { benchReaders } from './readers.bench.ts';
import { benchReads } from './reads.bench.ts';
import { benchRecovery } from './recovery.bench.ts';
import { benchScheduling } from './scheduling.bench.ts';
import { benchSmallJobs } from './small-jobs.bench.ts';
import { benchStore } from './store.bench.ts';
import { benchStores } from './stores.bench.ts';
import { benchStrangers } from './strangers.bench.ts';
import { benchTakeover } from './takeover.bench.ts';
import { benchUrgent } from './urgent.bench.ts';

const print = (line: string) => console.log(line);
const { values, positionals: named } = parseArgs({
  options: {
    tasks: { type: 'string' },
    days: { type: 'string', default: '30' },
    workers: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '10' },
    minutes: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
  },
  allowPositionals: true,
});

const benches: Readonly<Record<string, () => void | Promise<void>>> = {
  'end-to-end': () => benchEndToEnd(print),
  clients: () => benchClients(print),
  payloads: () => benchPayloads(print),
  reads: () => benchReads(print),
  readers: () => benchReaders(print),
  store: () => benchStore(print),
  stores: () => benchStores(print),
  cluster: () =>
    benchCluster(print, {
      tasks: values.tasks === undefined ? undefined : Number(values.tasks),
      rounds: Number(values.rounds),
      workers: Number(values.workers),
      seconds: Number(values.seconds),
    }),
  takeover: () => benchTakeover(print, Number(values.rounds)),
  'child-start': () => benchChildStart(print),
  executor: () => benchExecutor(print),
  guests: () => benchGuests(print),
  python: () => benchPython(print),
  'small-jobs': () => benchSmallJobs(print),
  scheduling: () => benchScheduling(print),
  recovery: () => benchRecovery(print),
  hostile: () => benchHostile(print),
  damage: () => benchDamage(print),
  frozen: () => benchFrozen(print),
  'long-run': () => benchLongRun(print, Number(values.tasks ?? 1_000_000)),
  flood: () => benchFlood(print),
  access: () => benchAccess(print),
  browser: () => benchBrowser(print),
  'many-workers': () =>
    benchManyWorkers(print, { workers: Number(values.workers), seconds: Number(values.seconds) }),
  dashboard: () =>
    benchDashboard(print, { seconds: Number(values.seconds), minutes: Number(values.minutes) }),
  strangers: () => benchStrangers(print),
  urgent: () => benchUrgent(print),
  history: () => benchHistory(print, Number(values.days)),
};

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
