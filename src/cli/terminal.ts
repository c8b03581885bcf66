// Where a command speaks: data on stdout, everything else on stderr. Colours only where they are
// seen and wanted (`NO_COLOR`, `FORCE_COLOR`).

import pico from 'picocolors';

export type Colors = ReturnType<typeof pico.createColors>;

/** The part of a stream that a command needs. */
export interface Sink {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): boolean;
  once(event: 'drain', listener: () => void): unknown;
}

export interface Terminal {
  readonly isInteractive: boolean;
  readonly columns: number;
  /** For stdout. */
  readonly colors: Colors;
  /** For stderr. */
  readonly noteColors: Colors;
  /** Data. Resolves when there is room for more. */
  write(text: string): Promise<void>;
  print(line: string): void;
  /** A line for the person. */
  note(line: string): void;
  /** Replaces the line at the bottom of stderr; empty text takes it away. Only on a terminal. */
  status(text: string): void;
}

export function createTerminal(
  stdout: Sink,
  stderr: Sink,
  environment: Readonly<Record<string, string | undefined>>,
): Terminal {
  let hasStatus = false;
  const clearStatus = () => {
    if (hasStatus) stderr.write('\r\u001b[2K');
    hasStatus = false;
  };
  return {
    isInteractive: stderr.isTTY === true && environment['TERM'] !== 'dumb',
    columns: stdout.columns || 80,
    colors: pico.createColors(wantsColor(stdout, environment)),
    noteColors: pico.createColors(wantsColor(stderr, environment)),
    write(text) {
      if (stdout.write(text)) return Promise.resolve();
      return new Promise((resolve) => void stdout.once('drain', () => resolve()));
    },
    print(line) {
      clearStatus();
      stdout.write(`${line}\n`);
    },
    note(line) {
      clearStatus();
      stderr.write(`${line}\n`);
    },
    status(text) {
      if (stderr.isTTY !== true) return;
      clearStatus();
      if (text === '') return;
      stderr.write(`\r${text.slice(0, (stderr.columns || 80) - 1)}`);
      hasStatus = true;
    },
  };
}

function wantsColor(
  sink: Sink,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  if ((environment['NO_COLOR'] ?? '') !== '') return false;
  const forced = environment['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0';
  return sink.isTTY === true && environment['TERM'] !== 'dumb';
}
