// `muster resume WORKER`: a worker that was drained gets tasks again.

import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { namedText } from '../handles.ts';
import { declareWorkerAct } from './act.ts';

export function declareResume(program: Command, context: Context): void {
  declareWorkerAct(program, context, {
    name: 'resume',
    description: 'give a drained worker tasks again',
    act: (client, id) => client.resume(id),
    told: (worker) => `${namedText(worker)} takes tasks again`,
  });
}
