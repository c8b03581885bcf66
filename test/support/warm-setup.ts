// Runs once before the tests that start real workers and coordinators.

import { PagesFolder } from '../../src/pages/pages-folder.ts';
import { buildCommand } from './build-command.ts';
import { buildCode } from './warm-machine.ts';

/** Pages that cannot be built are told by the tests of pages: a coordinator serves everybody else. */
export async function setup(): Promise<void> {
  await Promise.all([buildCode(), buildCommand(), new PagesFolder().build()]);
}
