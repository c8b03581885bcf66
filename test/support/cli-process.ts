// The command line as a process, as a person or a script runs it, with its output and its exit code.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { commandFiles } from './built-command.ts';
import { layOutCode } from './warm-machine.ts';

export interface CliOptions {
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

export interface CliEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts `muster ARGS`; nothing of the surroundings but PATH and HOME (the folder) reaches it. */
export function startCli(args: readonly string[], options: CliOptions): ChildProcess {
  const { folder, environment = {} } = options;
  layOutCode(folder, args);
  const { main, compiled } = commandFiles();
  const own = { PATH: process.env['PATH'] ?? '', HOME: folder, NODE_COMPILE_CACHE: compiled };
  return spawn(process.execPath, [main, ...args], {
    cwd: folder,
    env: { ...own, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

export async function runCli(args: readonly string[], options: CliOptions): Promise<CliEnd> {
  const child = startCli(args, options);
  child.stdin?.on('error', () => {}); // It may end without reading.
  child.stdin?.end(options.stdin ?? '');
  return endOf(child);
}

/** Collects what it says until it ends. */
export async function endOf(child: ChildProcess): Promise<CliEnd> {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...texts };
}

export interface ServingCli {
  readonly url: string;
  /** Of its certificate; empty without TLS. */
  readonly pin: string;
  readonly child: ChildProcess;
  /** Returns the output on stderr so far. */
  readonly said: () => string;
  /** Sends SIGTERM and returns the exit code. */
  readonly stop: () => Promise<number | null>;
}

/** `muster serve` on a free port, ready. */
export async function serveCli(args: readonly string[], options: CliOptions): Promise<ServingCli> {
  const child = startCli(['serve', '--port', '0', ...args], options);
  let notes = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    notes += text;
  });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const lines = createInterface({ input: child.stdout! });
  const line = await Promise.race([
    once(lines, 'line').then(([text]) => String(text)),
    ended.then(([code]) => {
      throw new Error(`serve ended with ${code}: ${notes}`);
    }),
  ]);
  const told = JSON.parse(line) as { url: string; pid: number; pin?: string };
  const { url, pid, pin = '' } = told;
  if (pid !== child.pid) throw new Error(`serve names process ${pid}, but is ${child.pid}`);
  return {
    url,
    pin,
    child,
    said: () => notes,
    async stop() {
      child.kill('SIGTERM');
      const [code] = await ended;
      return code;
    },
  };
}
