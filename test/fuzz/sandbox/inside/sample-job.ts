// A job in which nobody has run anything yet: what it reaches is what every job may reach.

import { CheckpointCost } from '../../../../src/worker/sandbox/checkpoint-schedule.ts';
import { Program } from '../../../../src/worker/sandbox/program.ts';
import { ProgramShells } from '../../../../src/worker/sandbox/program-shells.ts';
import { ProgramText } from '../../../../src/worker/sandbox/program-texts.ts';
import type { Roots } from './object-graph.ts';
import { host } from './platform.ts';
import { hiddenIntrinsics } from './vocabulary-walk.ts';

const unmeasured = new CheckpointCost(null, 0);

/** The task of a module, loaded as that of any job. */
export async function loadTask(id: string, source: string): Promise<() => unknown> {
  const program = new Program(id, new ProgramText(source), unmeasured, new ProgramShells(host));
  await program.load();
  const { task } = program;
  if (task === null) throw new Error(`the program of ${id} has no task`);
  return () => task(null, {});
}

/**
 * The global object under the name `globalThis`, and what only syntax makes under its source. Globals that are
 * made when somebody first asks for them are made here, since they are a change that nobody else caused.
 */
export async function sampleRoots(id: string): Promise<Roots> {
  const hidden = hiddenIntrinsics.map((source) => `[${JSON.stringify(source)}, ${source}]`);
  const source = `for (const name of Object.getOwnPropertyNames(globalThis)) globalThis[name];
    export default () => [['globalThis', globalThis], ${hidden.join(', ')}]`;
  return (await loadTask(id, source))() as Roots;
}
