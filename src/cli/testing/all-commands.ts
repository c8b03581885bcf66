// The tree of commands as tests look at it, and a walk over all of it.

import type { Command } from 'commander';
import { createCommandTree } from '../command-tree.ts';
import { createTerminal } from '../text/terminal.ts';

/** It writes nowhere. */
export function declaredCommands(): Command {
  const sink = { write: () => true, once: () => undefined };
  return createCommandTree({
    terminal: createTerminal(sink, sink, {}),
    folder: '.',
    environment: {},
    version: '0.0.0',
    exit: () => {},
    outliveReader: () => {},
  });
}

/** Each command behind its path, like `muster scheduler set`; a command before those that it has. */
export function pathsOf(command: Command, parent = ''): readonly (readonly [string, Command])[] {
  const path = `${parent}${command.name()}`;
  return [[path, command], ...command.commands.flatMap((each) => pathsOf(each, `${path} `))];
}
