// The output of a command: data on stdout, everything else on stderr. Colours are used on terminals, as
// far as they are wanted (`NO_COLOR`, `FORCE_COLOR`). This is the only place that writes, so no text from
// outside reaches a terminal with control characters in it.

import { type Colors, createColors, unsealed } from './colors.ts';
import { widthOf, cutToWidth } from './text-width.ts';
import { plainLines, plainText } from './foreign-text.ts';

/** The part of a stream that a command needs. */
export interface Sink {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): boolean;
  once(event: 'drain', listener: () => void): unknown;
}

export interface Terminal {
  readonly isInteractive: boolean;
  /** Stdout is a terminal: a person reads the data. */
  readonly isWatched: boolean;
  readonly columns: number;
  /** For stdout. */
  readonly colors: Colors;
  /** For stderr. */
  readonly noteColors: Colors;
  /**
   * Writes JSON text: as it is to a file or a pipe, with escapes to a terminal. Resolves when there
   * is room.
   */
  data(json: string): Promise<void>;
  /** Writes a value as one line of JSON. */
  json(value: unknown): void;
  /** Writes lines for a person. Resolves when there is room for more. */
  write(text: string): Promise<void>;
  print(line: string): void;
  /** Writes a line for a person to stderr. */
  note(line: string): void;
  /** Writes a line of JSON for the log to stderr. */
  log(json: string): void;
  /** Replaces the status line at the bottom of stderr; an empty text removes it. Only on a terminal. */
  status(text: string): void;
}

/** Ctrl-C is shown as `^C` behind the status line; a line that it breaks in two would not be erased. */
const ROOM_FOR_KEYS = 3;

export function createTerminal(
  stdout: Sink,
  stderr: Sink,
  environment: Readonly<Record<string, string | undefined>>,
): Terminal {
  let status = '';
  /** What of it stands on the terminal now. */
  let shownStatus = '';
  /** Whether what stdout shows on the same terminal ends in the middle of a line. */
  let isInLine = false;
  const eraseStatus = () => {
    if (shownStatus === '') return;
    // In a window that has been made narrower since, it has become several lines.
    const linesAbove = Math.ceil(widthOf(shownStatus) / (stderr.columns || 80)) - 1;
    stderr.write(`\r\u001b[2K${'\u001b[1A\u001b[2K'.repeat(linesAbove)}`);
    shownStatus = '';
  };
  const showStatus = () => {
    if (status === '' || isInLine) return;
    const room = (stderr.columns || 80) - ROOM_FOR_KEYS;
    shownStatus = cutToWidth(plainText(status), room, '');
    stderr.write(`\r${shownStatus}`);
  };
  /** The status line stays the last one of the terminal. Returns whether there is room for more. */
  const above = (sink: Sink, text: string): boolean => {
    if (sink.isTTY !== true) return sink.write(text);
    eraseStatus();
    const hasRoom = sink.write(text);
    if (text !== '') isInLine = !text.endsWith('\n');
    showStatus();
    return hasRoom;
  };
  const write = (text: string): Promise<void> => {
    if (above(stdout, text)) return Promise.resolve();
    return new Promise((resolve) => void stdout.once('drain', () => resolve()));
  };
  const dataFor = (sink: Sink, json: string) => (sink.isTTY === true ? plainLines(json) : json);
  return {
    isInteractive: stderr.isTTY === true && environment['TERM'] !== 'dumb',
    isWatched: stdout.isTTY === true,
    columns: stdout.columns || 80,
    colors: createColors(wantsColor(stdout, environment)),
    noteColors: createColors(wantsColor(stderr, environment)),
    data: (json) => write(dataFor(stdout, json)),
    json: (value) => void above(stdout, dataFor(stdout, `${JSON.stringify(value)}\n`)),
    write: (text) => write(unsealed(plainLines(text))),
    print: (line) => void above(stdout, `${unsealed(plainText(line))}\n`),
    note: (line) => void above(stderr, `${unsealed(plainText(line))}\n`),
    log: (json) => void above(stderr, dataFor(stderr, json)),
    status(text) {
      if (stderr.isTTY !== true) return;
      eraseStatus();
      status = text;
      showStatus();
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
