// What one worker does, as the heading of its page.

import type { Worker } from '../../store/cluster.ts';
import { counted, inWords, nameOf } from '../../text/words.ts';
import type { WorkerReason } from '../workers/worker-reason.ts';

export interface WorkerSentence {
  readonly name: string;
  /** Follows the name. */
  readonly does: string;
}

/** `running`: attempts that it has now. */
export function workerSentence(
  worker: Worker,
  running: number,
  { title, isTrouble }: Pick<WorkerReason, 'title' | 'isTrouble'>,
): WorkerSentence {
  const name = nameOf(worker);
  if (isTrouble || worker.status === 'offline') return { name, does: afterName(title) };
  if (running === 0) return { name, does: afterName(title) };
  const tasks = inWords(running, 'task');
  const slots = `on ${running} of ${counted(worker.slots, 'slot')}`;
  const more = worker.draining === null ? '' : ', and takes nothing new';
  return { name, does: `works on ${tasks}, ${slots}${more}.` };
}

/** `It is away` follows the name as `is away.` */
function afterName(title: string): string {
  return `${title.replace(/^It /, '')}.`;
}
