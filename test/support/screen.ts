// A program on a terminal, as a person has it before them: a pseudo-terminal, and an emulator that turns
// what is written to it (colours, lines that are erased and drawn again) into what can be seen.

import { type IPty, spawn } from '@lydell/node-pty';
import xterm, { type Terminal } from '@xterm/headless';
import { commandFiles } from './built-command.ts';

export interface ScreenOptions {
  /** Where the program is started; also its HOME and its folder for temporary files. */
  readonly folder: string;
  readonly columns?: number;
  readonly rows?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

interface Wait {
  readonly isThere: () => boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class Screen {
  readonly terminal: Terminal;
  /** The exit code, when all that was written can be seen. A signal counts as 128 and its number. */
  readonly ended: Promise<number>;
  readonly #pty: IPty;
  readonly #waits = new Set<Wait>();
  #isOver = false;

  constructor(command: readonly string[], options: ScreenOptions) {
    const { folder, columns = 100, rows = 30, environment = {} } = options;
    const [file = '', ...args] = command;
    this.terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
    this.#pty = spawn(file, args, {
      name: 'xterm-256color',
      cols: columns,
      rows,
      cwd: folder,
      // What is set around it must not reach it.
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        TMPDIR: folder,
        NODE_COMPILE_CACHE: commandFiles().compiled,
        ...environment,
      },
    });
    this.#pty.onData((text) => this.terminal.write(text, () => this.#look()));
    // What the emulator has to say to the program: the answer to "where is the cursor?", for one.
    this.terminal.onData((text) => this.#pty.write(text));
    this.ended = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode, signal }) => {
        this.terminal.write('', () => {
          this.#isOver = true;
          this.#look();
          resolve(signal ? 128 + signal : exitCode);
        });
      });
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** What can be seen, and what has been scrolled out of it; without blanks at the ends of lines. */
  get lines(): readonly string[] {
    const { active } = this.terminal.buffer;
    const lines = Array.from(
      { length: active.length },
      (_, row) => active.getLine(row)?.translateToString(true) ?? '',
    );
    return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
  }

  get text(): string {
    return this.lines.join('\n');
  }

  /** Waits until it can be seen; fails when the program ends without. */
  until(wanted: RegExp | string): Promise<void> {
    const isThere = () =>
      typeof wanted === 'string' ? this.text.includes(wanted) : wanted.test(this.text);
    return new Promise((resolve, reject) => {
      this.#waits.add({ isThere, resolve, reject });
      this.#look();
    });
  }

  /** As from the keyboard: `\r` is the return key, `\u0003` is Ctrl-C. */
  press(keys: string): void {
    this.#pty.write(keys);
  }

  /** The window is made wider or narrower. */
  resize(columns: number): void {
    this.terminal.resize(columns, this.terminal.rows);
    this.#pty.resize(columns, this.terminal.rows);
  }

  async kill(): Promise<void> {
    if (!this.#isOver) this.#pty.kill('SIGKILL');
    await this.ended;
  }

  #look(): void {
    for (const wait of this.#waits) {
      if (wait.isThere()) wait.resolve();
      else if (this.#isOver) wait.reject(new Error(`It ended without. Its screen:\n${this.text}`));
      else continue;
      this.#waits.delete(wait);
    }
  }
}
