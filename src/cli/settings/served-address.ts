// Which coordinator a command means when nobody has named one: the one that serves the data folder here, at
// whatever address and with whatever certificate, or else the usual address.

import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { readAddress } from '../process/access-files.ts';
import { dataDirOf } from './token-flags.ts';

/** Fills in the address of a command that takes one, before it runs. */
export function fillInAddress(
  command: Command,
  context: Context,
  config: Readonly<Record<string, unknown>>,
): void {
  if (command.getOptionValueSource('url') !== 'default') return;
  const served = readAddress(dataDirOf(command, context, config));
  if (served !== undefined) command.setOptionValueWithSource('url', served, 'implied');
}
