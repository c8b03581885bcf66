#!/usr/bin/env node
// The command line. Everything that it says goes through here: a sentence, never a stack trace.

import { readFileSync } from 'node:fs';
import inspector from 'node:inspector';
import { CommanderError } from 'commander';
import { explain } from './command-failure.ts';
import { createCommandTree } from './command-tree.ts';
import type { Context } from './context.ts';
import { manifestFile } from './entry-points.ts';
import { exitCodes } from './exit-codes.ts';
import { createTerminal, type Terminal } from './text/terminal.ts';

async function main(args: readonly string[]): Promise<void> {
  endQuietlyWithTheReader();
  opensNoDebugger();
  const terminal = createTerminal(process.stdout, process.stderr, process.env);
  const context: Context = {
    terminal,
    folder: process.cwd(),
    environment: process.env,
    version: readVersion(),
    exit: (code) => {
      process.exitCode = code;
    },
  };
  try {
    await createCommandTree(context).parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = told(error, terminal);
  }
}

/** `muster jobs | head`: the reader has had enough, and that is no error. */
function endQuietlyWithTheReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(process.exitCode ?? exitCodes.ok.code);
      throw error;
    });
  }
}

/**
 * Node takes this signal, which any program of the same person may send, as the wish for a debugger on
 * a port that is open to everybody on the machine. Who listens for it takes it away. A flag does that
 * from the first moment on, where one can be given; without a listener the signal would end us then.
 * A debugger that it opened while the modules were still being loaded is closed again, unless the
 * person has asked for one; and once more when the event loop has turned, because Node opens it in two
 * ways, and one of them waits for that.
 */
function opensNoDebugger(): void {
  process.on('SIGUSR1', () => {});
  const options = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ');
  if (/--inspect(-brk|-wait|=|\s|$)/.test(options)) return;
  closeDebugger();
  setImmediate(closeDebugger);
}

function closeDebugger(): void {
  if (inspector.url() !== undefined) inspector.close();
}

function told(error: unknown, terminal: Terminal): number {
  // Commander has said what it had to say.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage.code;
  const { exitCode, lines } = explain(error);
  const [sentence = '', ...advice] = lines;
  terminal.status('');
  terminal.note(`${terminal.noteColors.red('muster:')} ${sentence}`);
  for (const line of advice) terminal.note(terminal.noteColors.dim(line));
  return exitCode;
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(manifestFile(), 'utf8')) as { version: string };
  return version;
}

await main(process.argv.slice(2));
