// `muster approve WORKER` and `muster refuse WORKER`: a person answers for a device that waits to be let in.

import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { namedText } from '../handles.ts';
import { declareWorkerAct } from './act.ts';

export function declareApprove(program: Command, context: Context): void {
  declareWorkerAct(program, context, {
    name: 'approve',
    description: 'let in a worker that waits for it (`muster workers --status waiting`)',
    act: (client, id) => client.approve(id),
    told: (worker) => `${namedText(worker)} is let in, and is given work from now on`,
  });
  declareWorkerAct(program, context, {
    name: 'refuse',
    description: 'do not let in a worker that waits for it; it stays away',
    prints: 'print what the coordinator answers',
    act: (client, id) => client.refuse(id),
    told: ({ worker_id: id }) => `${id} is not let in; it is removed, and its token is revoked`,
  });
}
