#!/usr/bin/env node
// The command line. Every error ends here and becomes a sentence, never a bare stack trace.

import inspector from 'node:inspector';
import { CommanderError } from 'commander';
import { explain } from './command-failure.ts';
import { createCommandTree } from './command-tree.ts';
import type { Context } from './context.ts';
import { manifestFile } from './entry-points.ts';
import { exitCodes } from './exit-codes.ts';
import { type Asked, foreignAnswer } from './foreign-answer.ts';
import { endWithLauncher } from './process/launcher.ts';
import { createTerminal, type Terminal } from './text/terminal.ts';
import { readVersion } from './version.ts';

async function main(args: readonly string[]): Promise<void> {
  const reader = endQuietlyWithTheReader();
  opensNoDebugger();
  endWithLauncher(process.env);
  const terminal = createTerminal(process.stdout, process.stderr, process.env);
  const context: Context = {
    terminal,
    folder: process.cwd(),
    environment: process.env,
    version: readVersion(manifestFile()),
    exit: (code) => {
      process.exitCode = code;
    },
    outliveReader: () => {
      reader.isNeeded = false;
    },
  };
  const program = createCommandTree(context);
  let asked: Asked = {};
  program.hook('preAction', (_program, command) => {
    asked = command.opts<Asked>();
  });
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = told(await foreignAnswer(error, asked), terminal);
  }
}

/** In `muster jobs | head` the reader stops early; that is no error. */
function endQuietlyWithTheReader(): { isNeeded: boolean } {
  const reader = { isNeeded: true };
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (!reader.isNeeded) return;
      if (error.code !== 'EPIPE') endWithoutOutput(stream, error);
      process.exit(process.exitCode ?? exitCodes.ok.code);
    });
  }
  return reader;
}

/** The file that the shell has opened for the output takes no more: nobody would read what is still to be said. */
function endWithoutOutput(stream: NodeJS.WriteStream, error: NodeJS.ErrnoException): never {
  const why = error.code === 'ENOSPC' ? 'the disk is full' : error.message;
  if (stream === process.stdout)
    process.stderr.write(`muster: the output cannot be written: ${why}.\n`);
  process.exit(exitCodes.usage.code);
}

/**
 * At SIGUSR1, which any program of the same user may send, Node opens a debugger on a port that everybody
 * on the machine can reach. A listener for the signal prevents that. Where Node was started with
 * `--disable-sigusr1` the signal opens none from the beginning, but without a listener it would end the
 * process. A debugger that was opened while the modules were still loading is closed, unless the user has
 * asked for one. It is closed once more after a turn of the event loop, because one of the ways in which
 * Node opens it takes effect only then.
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
  // Commander has printed its message already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage.code;
  const { exitCode, lines } = explain(error);
  const [sentence = '', ...advice] = lines;
  terminal.status('');
  terminal.note(`${terminal.noteColors.red('muster:')} ${sentence}`);
  for (const line of advice) terminal.note(terminal.noteColors.dim(line));
  return exitCode;
}

await main(process.argv.slice(2));
