// `muster drain WORKER`: the worker is freed of its tasks and gets no new ones.

import { type Command, Option } from 'commander';
import type { WorkerResource } from '../../client/index.ts';
import { longestDrainSeconds } from '../../protocol/leaving.ts';
import type { ClientFlags, Context } from '../context.ts';
import { namedText } from '../handles.ts';
import { timeSpan } from '../settings/flag-values.ts';
import { ahead, counted } from '../text/wording.ts';
import { declareWorkerAct } from './act.ts';

/** Not null, which the parser of flags takes for a value that is missing. */
const never = 'none';
const secondsOf = (given: number | typeof never) => (given === never ? null : given);

interface Flags extends ClientFlags {
  readonly deadline?: number | typeof never;
}

export function declareDrain(program: Command, context: Context): void {
  declareWorkerAct<WorkerResource, Flags>(program, context, {
    name: 'drain',
    description: 'free a worker of its tasks, at their next checkpoints, and give it nothing new',
    option: new Option(
      '--deadline <time>',
      'after so long, like 90s, 30m or 2h, what it still runs goes to others as it is; none: never ' +
        '(default: as it is, at first never)',
    ).argParser(deadline),
    act: (client, id, { deadline: given }) =>
      client.drain(id, given === undefined ? {} : { deadlineSeconds: secondsOf(given) }),
    told: (worker) => `${namedText(worker)} is draining: ${outlook(worker)}`,
  });
}

function deadline(text: string): number | typeof never {
  return text.trim() === never ? never : timeSpan(1, longestDrainSeconds)(text);
}

function outlook({ active_tasks: tasks, draining }: WorkerResource): string {
  if (tasks === 0) return 'it has no tasks';
  const until = draining?.deadline ?? null;
  const left = `${counted(tasks, 'task')} to hand over at the next checkpoint, or to finish`;
  return until === null ? left : `${left}; over ${ahead(until, Date.now())}`;
}
