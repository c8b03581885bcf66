// What a worker's process says while it runs: by default as text for a person, at a terminal or not; as lines
// of JSON with the fields of the coordinator's log; or as bare events for a program that has started it.

import type { WorkerLogEntry } from '../../worker/node/index.ts';
import type { Context } from '../context.ts';
import { createServeLog, type LogFormat } from './serve-log.ts';

export interface WorkerLog {
  readonly tell: (entry: WorkerLogEntry) => void;
  /** The last words, of a worker that could not go on; what to do about it, a line each. */
  readonly end: (sentence: string, advice?: readonly string[]) => void;
}

export interface WorkerLogSettings {
  readonly logLevel: string;
  readonly logFormat?: LogFormat;
  /** The events alone, on stdout. */
  readonly json?: boolean;
  /** As the lists show it. */
  readonly name: string;
}

const levels = ['debug', 'info', 'warn', 'error', 'silent'];

export async function createWorkerLog(
  { logLevel, logFormat = 'text', json = false, name }: WorkerLogSettings,
  { terminal }: Pick<Context, 'terminal'>,
): Promise<WorkerLog> {
  const isTold = ({ level }: WorkerLogEntry) => levels.indexOf(level) >= levels.indexOf(logLevel);
  if (logFormat === 'json' && !json) {
    const { log, end } = await createServeLog({ logLevel, logFormat }, { terminal });
    const own = log.child({ worker_name: name });
    return {
      tell: ({ level, event, detail }) => own[level]({ event }, detail),
      end: (sentence, advice = []) => end(sentence, advice),
    };
  }
  const { red, yellow, dim } = terminal.noteColors;
  const paint = { info: String, warn: yellow, error: red };
  return {
    tell: (entry) => {
      if (!isTold(entry)) return;
      if (json) terminal.json(entry);
      else terminal.note(paint[entry.level](entry.detail));
    },
    end: (sentence, advice = []) => {
      terminal.note(`${red('muster:')} ${sentence}`);
      for (const line of advice) terminal.note(dim(line));
    },
  };
}
