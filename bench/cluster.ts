// A real cluster for measurements: the coordinator and its local workers as processes of their own,
// on a fresh database in a temporary folder. Their CPU time and memory is read from the operating system.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect, type MusterClient } from '../src/client/index.ts';
import { children } from './processes.ts';

const main = join(import.meta.dirname, '../src/cli/main.ts');
/** Clock ticks per second of `/proc`, fixed on Linux. */
const ticksPerSecond = 100;

export interface Cluster {
  readonly url: string;
  /** As its admin. */
  readonly client: MusterClient;
  readonly pid: number;
  readonly folder: string;
  /** Process ids of the workers and of their sandbox children. */
  workerPids(): number[];
  stop(): Promise<void>;
}

export async function startCluster(
  workers: number,
  flags: string[] = [],
  nodeFlags: string[] = [],
  variables: NodeJS.ProcessEnv = {},
  withTokens = false,
): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const token = withTokens ? adminToken(folder) : undefined;
  const given = ['--port', '0', '--data-dir', folder, '--workers', String(workers), ...flags];
  const args = [...process.execArgv, ...nodeFlags, main, 'serve', ...given];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...variables },
  });
  const { url, pid, pin } = await readyLine(child);
  const client = connect(url, {
    ...(token === undefined ? {} : { token }),
    ...(pin === undefined ? {} : { pin }),
  });
  await untilOnline(client, workers);
  return {
    url,
    client,
    pid,
    folder,
    workerPids: () => descendants(pid),
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Makes the first token of this data folder. */
function adminToken(folder: string): string {
  const args = [main, 'token', 'create', '--kind', 'admin', '--data-dir', folder];
  return execFileSync(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
    .toString()
    .trim();
}

interface ReadyLine {
  readonly url: string;
  readonly pid: number;
  /** Only under TLS. */
  readonly pin?: string;
}

async function readyLine(child: ChildProcess): Promise<ReadyLine> {
  for await (const line of createInterface({ input: child.stdout! })) {
    return JSON.parse(line) as ReadyLine;
  }
  throw new Error('The coordinator ended before it was ready.');
}

async function untilOnline(client: MusterClient, workers: number): Promise<void> {
  for (;;) {
    const { online_workers: online } = await client.stats();
    if (online >= workers) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Processor time of a process in seconds, user and system, null where the system does not say. */
export function cpuSeconds(pid: number): number | null {
  const stat = readProc(pid, 'stat');
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Processor time in seconds, of the coordinator and of all with it. */
export function usage(cluster: Cluster): { coordinator: number; all: number } {
  const coordinator = cpuSeconds(cluster.pid) ?? 0;
  const others = cluster.workerPids().map((pid) => cpuSeconds(pid) ?? 0);
  return { coordinator, all: others.reduce((sum, each) => sum + each, coordinator) };
}

/** Processor time in seconds of the coordinator, of its workers, of what they have started, and of this process. */
export interface UsageByKind {
  readonly coordinator: number;
  readonly workers: number;
  readonly sandboxes: number;
  readonly client: number;
}

export function usageByKind({ pid }: Pick<Cluster, 'pid'>): UsageByKind {
  const workers = children().get(pid) ?? [];
  const sum = (pids: readonly number[]) =>
    pids.reduce((total, each) => total + (cpuSeconds(each) ?? 0), 0);
  const { user, system } = process.cpuUsage();
  return {
    coordinator: sum([pid]),
    workers: sum(workers),
    sandboxes: sum(workers.flatMap(descendants)),
    client: (user + system) / 1e6,
  };
}

/** Resident memory in MB: now, and the most since the start. */
export function memoryMb(pid: number): { now: number; peak: number } | null {
  const status = readProc(pid, 'status');
  if (status === null) return null;
  const kilobytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  return { now: kilobytes('VmRSS') / 1024, peak: kilobytes('VmHWM') / 1024 };
}

/** Children, their children, and so on. */
export function descendants(root: number): number[] {
  const known = children();
  const found = [...(known.get(root) ?? [])];
  // Grows while it is gone through.
  for (const pid of found) found.push(...(known.get(pid) ?? []));
  return found;
}

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null;
  }
}
