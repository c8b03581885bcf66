// What a coordinator's process says while it runs: as lines of text for a person who watches, or as lines
// of JSON for a program that collects them, never both.

import type { Logger } from 'pino';
import type { Context } from '../context.ts';
import type { Terminal } from '../text/terminal.ts';

export type LogFormat = 'text' | 'json';

export interface ServeLog {
  readonly log: Logger;
  readonly format: LogFormat;
  /** Whatever the level: what was asked for, or happened to the process as a whole. */
  readonly say: (sentence: string) => void;
  /** For a person who watches only. */
  readonly hint: (sentence: string) => void;
  /** The last words; what to do about it, a line each. */
  readonly end: (sentence: string, advice: readonly string[]) => void;
}

export interface LogSettings {
  /** By default what goes well is told as well, but not to a terminal, where somebody may be typing. */
  readonly logLevel?: string;
  /** By default text for a terminal, else JSON. */
  readonly logFormat?: LogFormat;
}

export async function createServeLog(
  settings: LogSettings,
  { terminal }: Pick<Context, 'terminal'>,
): Promise<ServeLog> {
  const { pino } = await import('pino');
  const format = settings.logFormat ?? (terminal.isInteractive ? 'text' : 'json');
  const level = settings.logLevel ?? (format === 'json' ? 'info' : 'warn');
  const write = (line: string) =>
    format === 'json' ? terminal.log(line) : writeText(line, terminal);
  const log = pino({ level }, { write });
  if (format === 'text') {
    return {
      log,
      format,
      say: (sentence) => terminal.note(sentence),
      hint: (sentence) => terminal.note(terminal.noteColors.dim(sentence)),
      end: (sentence, advice) => {
        terminal.note(`${terminal.noteColors.red('muster:')} ${sentence}`);
        for (const line of advice) terminal.note(terminal.noteColors.dim(line));
      },
    };
  }
  const always = log.child({}, { level: 'info' });
  return {
    log,
    format,
    say: (sentence) => always.info(sentence),
    hint: () => undefined,
    end: (sentence, advice) => always.fatal([sentence, ...advice].join(' ')),
  };
}

interface Line {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly url?: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
}

const warnLevel = 40;
const errorLevel = 50;

function writeText(text: string, terminal: Terminal): void {
  const { level, time, msg = '', url, err } = JSON.parse(text) as Line;
  const at = new Date(time).toTimeString().slice(0, 8);
  const { red, yellow, dim } = terminal.noteColors;
  const paint = level >= errorLevel ? red : level >= warnLevel ? yellow : String;
  const what = url === undefined ? msg : `${msg} (${url})`;
  const why = err?.message === undefined ? '' : `: ${err.message}`;
  terminal.note(`${dim(at)} ${paint(`${what}${why}`)}`);
  if (err?.stack === undefined) return;
  for (const line of err.stack.split('\n').slice(1)) terminal.note(dim(line));
}
