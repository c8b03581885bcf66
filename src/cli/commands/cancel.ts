// `muster cancel JOB`: running tasks are stopped, waiting ones never start; results so far stay.

import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { namedText } from '../handles.ts';
import { declareJobAct } from './act.ts';

export function declareCancel(program: Command, context: Context): void {
  declareJobAct(program, context, {
    name: 'cancel',
    description: 'cancel a job; the results it has so far stay',
    act: (client, id) => client.cancel(id),
    told: (job) => `${namedText(job)} is cancelled`,
  });
}
