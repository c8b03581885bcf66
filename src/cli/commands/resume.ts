// `muster resume WORKER`: a worker that was drained gets tasks again.

import type { Command } from 'commander';
import type { WorkerDetail, WorkerResource } from '../../client/index.ts';
import type { Context } from '../context.ts';
import { namedText } from '../handles.ts';
import { declareWorkerAct } from './act.ts';

interface Resumed {
  readonly before: WorkerDetail;
  readonly worker: WorkerResource;
}

export function declareResume(program: Command, context: Context): void {
  declareWorkerAct<Resumed>(program, context, {
    name: 'resume',
    description: 'give a drained worker tasks again',
    act: async (client, id) => ({
      before: await client.worker(id),
      worker: await client.resume(id),
    }),
    printed: ({ worker }) => worker,
    told: ({ before, worker }) => `${namedText(worker)} ${outcomeOf(before)}`,
  });
}

function outcomeOf({ draining, quarantined_until: until, leaving }: WorkerDetail): string {
  if (draining === null && until === null) return 'was not drained: nothing has changed';
  return leaving ? 'is not drained any more, but it is leaving' : 'takes tasks again';
}
