// A job in which nobody has run anything yet: what it reaches is what every job may reach.

import { CheckpointCost } from '../../../../src/worker/sandbox/checkpoint-schedule.ts';
import { Program } from '../../../../src/worker/sandbox/program.ts';
import { ProgramText } from '../../../../src/worker/sandbox/program-texts.ts';
import { nodeHost } from '../../../../src/worker/node/sandbox/node-host.ts';
import type { Roots } from './object-graph.ts';
import { hiddenIntrinsics } from './vocabulary-walk.ts';

const unmeasured = new CheckpointCost(null, 0);

/** The task of a module, loaded as that of any job. */
export async function loadTask(id: string, source: string): Promise<() => unknown> {
  const program = new Program(id, new ProgramText(source), unmeasured, nodeHost);
  await program.load();
  const { task } = program;
  if (task === null) throw new Error(`the program of ${id} has no task`);
  return () => task(null, {});
}

/** The global object under the name `globalThis`, and what only syntax makes under its source. */
export async function sampleRoots(id: string): Promise<Roots> {
  const hidden = hiddenIntrinsics.map((source) => `[${JSON.stringify(source)}, ${source}]`);
  const source = `export default () => [['globalThis', globalThis], ${hidden.join(', ')}]`;
  return (await loadTask(id, source))() as Roots;
}
