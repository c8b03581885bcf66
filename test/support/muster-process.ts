// The real command line as a process of its own, for tests: its output line by line, its end, and the
// certainty that it is gone when the test is over, however that ended.

import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import type { Readable } from 'node:stream';
import { commandFiles } from './built-command.ts';
import { layOutCode } from './warm-machine.ts';
import { whenOver } from './when-over.ts';

/** Also when the tests are broken off: nothing runs after them then. Linux has a word for it. */
const endsWithThisProcess =
  process.platform === 'linux' && spawnSync('setpriv', ['--version']).status === 0
    ? ['setpriv', '--pdeathsig', 'KILL']
    : [];

export interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface MusterProcessOptions {
  /** Where it is started. */
  readonly folder: string;
  /** No file that it writes may grow beyond this, as on a disk that is full. */
  readonly fileSizeLimitKb?: number;
  /** What is taken from the permissions of files that it makes, in octal. */
  readonly umask?: string;
  /** What starts it, and becomes it: the words before its command line. */
  readonly around?: readonly string[];
}

export class MusterProcess {
  readonly pid: number;
  readonly ended: Promise<End>;
  stdout = '';
  stderr = '';
  readonly #process: ChildProcessByStdio<null, Readable, Readable>;
  readonly #waiting = new Set<() => void>();
  #end: End | undefined;

  constructor(args: readonly string[], options: MusterProcessOptions) {
    const { folder, fileSizeLimitKb, umask, around = [] } = options;
    // Who looks at permissions wants to see those of files that it has made itself.
    if (umask === undefined) layOutCode(folder, args);
    const { main, compiled } = commandFiles();
    const command = [...endsWithThisProcess, ...around, process.execPath, main, ...args];
    const before = [
      ...(fileSizeLimitKb === undefined ? [] : [`ulimit -f ${fileSizeLimitKb}`]),
      ...(umask === undefined ? [] : [`umask ${umask}`]),
      'exec "$@"',
    ].join(' && ');
    const [file = '', ...rest] =
      before === 'exec "$@"' ? command : ['bash', '-c', before, 'bash', ...command];
    this.#process = spawn(file, rest, {
      cwd: folder,
      // What is set around the test must not reach it.
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        TMPDIR: folder,
        NO_COLOR: '1',
        NODE_COMPILE_CACHE: compiled,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.pid = this.#process.pid!;
    this.#listen();
    this.ended = new Promise((resolve) => {
      this.#process.once('close', (code, signal) => {
        this.#end = { code, signal };
        this.#notify();
        resolve(this.#end);
      });
    });
    whenOver(() => this.kill());
  }

  /** The first line on stdout that the function finds something in; fails when the process ends. */
  async line<T>(find: (line: string) => T | undefined): Promise<T> {
    for (let from = 0; ; ) {
      const to = this.stdout.indexOf('\n', from);
      if (to === -1) {
        if (this.#end !== undefined) throw new Error(`it ended first: ${this.#story()}`);
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
        continue;
      }
      const found = find(this.stdout.slice(from, to));
      if (found !== undefined) return found;
      from = to + 1;
    }
  }

  /** From now on nobody reads what it says: each write of it fails. */
  stopReading(): void {
    this.#process.stdout.destroy();
    this.#process.stderr.destroy();
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** At once; resolves when it is gone. */
  async kill(): Promise<void> {
    if (this.#end === undefined) this.#process.kill('SIGKILL');
    await this.ended;
  }

  #listen(): void {
    const { stdout, stderr } = this.#process;
    stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.#notify();
    });
    stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
  }

  #notify(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  #story(): string {
    return JSON.stringify({ ...this.#end, stdout: this.stdout, stderr: this.stderr });
  }
}

/**
 * Asks until the answer is as wanted; the time limit of the test ends it otherwise. To ask is work for whoever is asked:
 * what does not come at once is asked for less often.
 */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  isThere: (value: T) => boolean,
): Promise<T> {
  for (let pauseMs = 10; ; pauseMs = Math.min(1.2 * pauseMs, longestPauseMs)) {
    const value = await ask();
    if (isThere(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

const longestPauseMs = 50;
