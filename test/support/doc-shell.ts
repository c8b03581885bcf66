// One terminal in which the examples of a document are run in order, as a reader would: what the
// first sets or starts is there for the next.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { commandFiles } from './built-command.ts';
import { compileCacheDir } from './compiled-code.ts';
import { layOutCode } from './warm-machine.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const GONE_MS = 5_000;

export class DocShell {
  readonly folder = mkdtempSync(join(tmpdir(), 'muster-docs-'));
  readonly #bash: ChildProcess;
  readonly #wake = new Set<() => void>();
  #said = '';
  #count = 0;
  #hasEnded = false;

  /**
   * `port`: where `muster serve` listens and `muster` looks for it, if not told otherwise. `muster` is the command of
   * the checkout, or what other tests start.
   */
  constructor(port: number, muster: 'of the checkout' | 'built' = 'of the checkout') {
    for (const command of ['serve', 'worker']) layOutCode(this.folder, [command]);
    const bin = join(this.folder, '.bin');
    mkdirSync(bin);
    symlinkSync(process.execPath, join(bin, 'node'));
    if (muster === 'built') writeFileSync(join(bin, 'muster'), startOfCommand(), { mode: 0o755 });
    // As after `npm install`; the packed packages have tests of their own.
    const modules = join(this.folder, 'node_modules');
    mkdirSync(join(modules, 'muster-client'), { recursive: true });
    symlinkSync(ROOT, join(modules, 'muster'));
    this.write('node_modules/muster-client/index.mjs', "export * from 'muster/client';\n");
    const manifest = { name: 'muster-client', exports: './index.mjs' };
    this.write('node_modules/muster-client/package.json', JSON.stringify(manifest));
    this.#bash = spawn('bash', ['--noprofile', '--norc'], {
      cwd: this.folder,
      env: {
        // As the first page has it: the folder of the checkout in PATH.
        PATH: [bin, join(ROOT, 'bin'), process.env['PATH']].join(delimiter),
        HOME: this.folder,
        NO_COLOR: '1',
        TZ: 'UTC',
        // Programs of the pages find the SDK in the sources, which are read without their types once.
        NODE_COMPILE_CACHE: compileCacheDir,
        // As on a terminal.
        MUSTER_LOG_FORMAT: 'text',
        MUSTER_PORT: String(port),
        MUSTER_URL: `http://127.0.0.1:${port}`,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own, so that what was left in the background ends with it.
      detached: true,
    });
    this.#bash.stdout?.setEncoding('utf8').on('data', (text: string) => this.#hear(text));
    this.#bash.stdin?.write('exec 2>&1\n');
    this.#bash.once('exit', () => {
      this.#hasEnded = true;
      this.#hear('');
    });
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  /** Runs it to its end; what it leaves in the background goes on. */
  async run(command: string): Promise<{ readonly code: number; readonly output: string }> {
    const number = ++this.#count;
    const from = this.#said.length;
    this.write(`.block-${number}`, command);
    this.#bash.stdin?.write(`. ./.block-${number} </dev/null; echo "<<${number}:$?>>"\n`);
    const end = new RegExp(`<<${number}:(\\d+)>>\\n`);
    const match = await this.#until(() => end.exec(this.#said.slice(from)));
    const output = this.#said.slice(from, from + match.index);
    // The end of one command is not the beginning of the next one's output.
    this.#said = this.#said.slice(0, from) + this.#said.slice(from).replace(end, '');
    return { code: Number(match[1]), output };
  }

  /** What was said since the beginning, once it fits. */
  until<T>(find: (said: string) => T | null | undefined | false): Promise<T> {
    return this.#until(() => find(this.#said));
  }

  get said(): string {
    return this.#said;
  }

  async close(): Promise<void> {
    const { pid } = this.#bash;
    const signal = (name: NodeJS.Signals) => {
      try {
        process.kill(-pid!, name);
      } catch {
        // Everything has ended.
      }
    };
    const closed = once(this.#bash, 'close');
    signal('SIGTERM');
    this.#bash.stdin?.end();
    const timer = setTimeout(() => signal('SIGKILL'), GONE_MS);
    // `close`: nobody holds its output any more, background processes included.
    await closed;
    clearTimeout(timer);
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #until<T>(find: () => T | null | undefined | false): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== null && found !== undefined && found !== false) return found;
      if (this.#hasEnded) throw new Error(`the shell has ended: ${this.#said}`);
      await new Promise<void>((resolve) => this.#wake.add(resolve));
    }
  }

  #hear(text: string): void {
    this.#said += text;
    for (const wake of this.#wake) wake();
    this.#wake.clear();
  }
}

/** It becomes Muster, as `bin/muster` does. */
function startOfCommand(): string {
  const { main, compiled } = commandFiles();
  return `#!/bin/sh
export NODE_COMPILE_CACHE='${compiled}'
exec '${process.execPath}' --disable-sigusr1 '${main}' "$@"
`;
}
