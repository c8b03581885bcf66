// `muster hold JOB`: nothing new of the job starts; what runs goes on.

import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { namedText } from '../handles.ts';
import { declareJobAct } from './act.ts';

export function declareHold(program: Command, context: Context): void {
  declareJobAct(program, context, {
    name: 'hold',
    description: 'start nothing more of a job; what runs goes on',
    act: (client, id) => client.hold(id),
    told: (job) =>
      `${namedText(job)} is held: nothing more of it starts before \`muster release ${job.id}\``,
  });
}
