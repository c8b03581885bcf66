// `muster release JOB`: a job that was held goes on.

import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { namedText } from '../handles.ts';
import { declareJobAct } from './act.ts';

export function declareRelease(program: Command, context: Context): void {
  declareJobAct(program, context, {
    name: 'release',
    description: 'let a held job go on',
    act: (client, id) => client.release(id),
    told: (job) =>
      job.completed_at === null
        ? `${namedText(job)} goes on`
        : `${namedText(job)} has ended (${job.status}): there is nothing to release`,
  });
}
