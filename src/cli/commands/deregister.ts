// `muster deregister WORKER`: removes a worker; its tasks go to other workers at once.

import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { counted } from '../text/wording.ts';
import { declareWorkerAct } from './act.ts';

export function declareDeregister(program: Command, context: Context): void {
  declareWorkerAct(program, context, {
    name: 'deregister',
    description: 'remove a worker at once; its tasks go to others, and it stays away',
    prints: 'print what the coordinator answers',
    act: (client, id) => client.deregister(id),
    told: ({ worker_id: id, requeued_tasks: requeued }) => {
      const wait = `${counted(requeued, 'task')} ${requeued === 1 ? 'waits' : 'wait'} again`;
      const tasks = requeued === 0 ? 'it had no tasks' : wait;
      return `${id} is removed; ${tasks}. Its token is revoked: it comes back only by a new link`;
    },
  });
}
