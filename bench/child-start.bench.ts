// The phases of the start of a sandbox child, from the start of the process to its message `ready`.
// Run: node bench/child-start.bench.ts

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFilter } from '../src/worker/node/confinement/filter-file.ts';
import { chooseConfinement, type Confinement } from '../src/worker/node/confinement.ts';
import { BuiltCode } from '../src/worker/node/built-code.ts';
import { narrowingFlags } from '../src/worker/node/confinement/node-flags.ts';
import { type ChildCode, childSources, sesPath } from '../src/worker/node/entry-points.ts';
import type { ChildSettings } from '../src/worker/sandbox/messages.ts';

const starts = 9;
const heapMb = 512;
const positionFd = 4;

type Stages = Readonly<Record<string, number>>;

export async function benchChildStart(print: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-start-'));
  try {
    const codes = {
      'from its sources': childSources(),
      'from its built code': await build(folder),
    };
    for (const use of ['off', 'auto'] as const) {
      const confinement = chooseConfinement(process.execPath, use);
      for (const [name, code] of Object.entries(codes)) {
        const all: Stages[] = [];
        for (let i = 0; i < starts; i++) all.push(await startOnce(confinement, code, folder));
        print(`${confinement.isolation}, ${name}, medians of ${starts} in ms:`);
        for (const stage of Object.keys(all[0]!)) {
          const took = all.map((stages) => stages[stage]!).toSorted((a, b) => a - b);
          print(`  ${stage.padEnd(42)} ${took[(starts - 1) / 2]!.toFixed(0).padStart(5)}`);
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function build(folder: string): Promise<ChildCode> {
  const node = process.execPath;
  const code = new BuiltCode(folder, node, narrowingFlags(node));
  await code.build();
  if (code.found === null) throw new Error('the code of a child cannot be built');
  return code.found;
}

/** Prints the performance marks and the CPU time of the child before its message `ready`. */
const reporter = `
  const { send } = process;
  process.send = (message) => {
    if (message[0] === 'ready') {
      const marks = performance.getEntriesByType('mark').map(({ name, startTime }) => [name, startTime]);
      const { user, system } = process.cpuUsage();
      send.call(process, ['marks', performance.timeOrigin, marks, (user + system) / 1000]);
    }
    send.call(process, message);
  };`;

async function startOnce(
  confinement: Confinement,
  code: ChildCode,
  folder: string,
): Promise<Stages> {
  const settings: ChildSettings = {
    sesPath,
    resultLimitBytes: 1000,
    outputLimitBytes: 1000,
    stateLimitBytes: 1000,
    outputMessagesPerSecond: 100,
    positionFd,
  };
  const { file, args } = confinement.command(JSON.stringify(settings), heapMb, code);
  const { filter } = confinement;
  const position = openSync(join(folder, 'position'), 'w+');
  const filterFile = filter === null ? null : openFilter(folder, filter);
  const preload = ['--import', `data:text/javascript,${encodeURIComponent(reporter)}`];
  const beganAt = performance.timeOrigin + performance.now();
  const child = spawn(file, [...args.slice(0, -2), ...preload, ...args.slice(-2)], {
    env: {},
    cwd: folder,
    // As in sandbox-child.ts.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc', position, filterFile ?? 'ignore'],
    detached: true,
  });
  if (filterFile !== null) closeSync(filterFile);
  let told: readonly unknown[] = [];
  await new Promise<void>((resolve) => {
    child.on('message', (message: readonly unknown[]) => {
      if (message[0] === 'ready') resolve();
      else told = message;
    });
  });
  const readyAt = performance.timeOrigin + performance.now();
  const [, origin, marks, cpuMs] = told as [string, number, [string, number][], number];
  child.kill('SIGKILL');
  await once(child, 'close');
  closeSync(position);
  const at = new Map(marks.map(([name, time]) => [name, origin + time]));
  const [imported, hardened, checked] = ['imported', 'hardened', 'checked'].map(
    (name) => at.get(name)!,
  );
  return {
    'commands around Node': origin - beganAt,
    'Node, and the code of the child': imported! - origin,
    'hardening the realm': hardened! - imported!,
    'checking the realm': checked! - hardened!,
    'saying that it is ready': readyAt - checked!,
    'all of it': readyAt - beganAt,
    'CPU of the child until it is ready': cpuMs,
  };
}

if (import.meta.main) await benchChildStart(console.log);
