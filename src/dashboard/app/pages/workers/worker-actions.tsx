// What an operator does with workers: one, or many at once. Nothing is shown as done before the coordinator says so.

import type { WorkerResource } from '../../../../protocol/workers.ts';
import { ask, attempt, tell } from '../../shell/asking.tsx';
import {
  type JobHead,
  noteWorker,
  noteWorkerGone,
  type Worker,
  workerList,
} from '../../store/cluster.ts';
import { change, pathOfWorker, read, sentenceOf } from '../../store/endpoint.ts';
import { grouped } from '../../text/numbers.ts';
import { counted, nameOf } from '../../text/words.ts';
import { aloneSentence, jobsLeftAlone } from './sole-devices.ts';

type Step = 'drain' | 'resume' | 'approve';

const atOnce = 4;
const mostJobs = 200;

/** Drains of this page, by worker: since when. */
const ownDrains = new Map<string, string | null>();

/** Whoever looks has drained it, and nobody else since. */
export function isOwnDrain({ id, draining }: Worker): boolean {
  return draining !== null && draining.since !== null && ownDrains.get(id) === draining.since;
}

async function take(step: Step, id: string): Promise<void> {
  const worker = await change<WorkerResource>('POST', `${pathOfWorker(id)}/${step}`);
  if (step === 'drain') ownDrains.set(id, worker.draining?.since ?? null);
  noteWorker(worker);
}

async function remove(id: string): Promise<void> {
  await change('DELETE', pathOfWorker(id));
  noteWorkerGone(id, true);
}

async function refuse(id: string): Promise<void> {
  await change('POST', `${pathOfWorker(id)}/refuse`);
  noteWorkerGone(id, true);
}

/** All are tried; what failed is told with the first reason. */
async function each(
  workers: readonly Worker[],
  act: (id: string) => Promise<void>,
): Promise<readonly Worker[]> {
  const left = [...workers];
  const done: Worker[] = [];
  const faults: unknown[] = [];
  const go = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      try {
        await act(next.id);
        done.push(next);
      } catch (error) {
        faults.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, go));
  if (faults.length > 0) {
    const some = workers.length === 1 ? '' : `${faults.length} of ${workers.length}: `;
    throw new Error(`${some}${sentenceOf(faults[0])}`);
  }
  return done;
}

/** `atlas`, or `3 workers`. */
function named(workers: readonly Worker[]): string {
  return workers.length === 1 ? nameOf(workers[0]!) : counted(workers.length, 'worker');
}

/** Asks first where an open job has nobody else. */
export async function drainWorkers(workers: readonly Worker[]): Promise<void> {
  const alone = await leftAlone(workers);
  if (alone.length === 0) return drain(workers);
  ask({
    title: `Drain ${named(workers)}?`,
    body: <p>{aloneSentence(alone)}</p>,
    action: 'Drain',
    keep: workers.length === 1 ? 'Keep it at work' : 'Keep them at work',
    onAction: () => drain(workers),
  });
}

async function leftAlone(workers: readonly Worker[]): Promise<readonly JobHead[]> {
  try {
    const open = { heads: true, limit: mostJobs, status: 'pending,running' };
    const jobs = await read<readonly JobHead[]>('/api/jobs', open);
    return jobsLeftAlone(workers, workerList.value ?? [], jobs);
  } catch {
    // A drain can be undone: it does not wait for a word about it.
    return [];
  }
}

async function drain(workers: readonly Worker[]): Promise<void> {
  const isDone = await attempt('Not drained', () => each(workers, (id) => take('drain', id)));
  if (!isDone) return;
  tell({
    text: `${named(workers)} ${workers.length === 1 ? 'takes' : 'take'} nothing new.`,
    undo: { text: 'Undo', onUndo: () => each(workers, (id) => take('resume', id)) },
  });
}

/** Takes back a drain, and a quarantine. */
export async function resumeWorkers(workers: readonly Worker[]): Promise<void> {
  const drained = workers.filter(({ draining }) => draining !== null);
  const isDone = await attempt('Not resumed', () => each(workers, (id) => take('resume', id)));
  if (!isDone) return;
  const text = `${named(workers)} ${workers.length === 1 ? 'gets' : 'get'} work again.`;
  const onUndo = () => each(drained, (id) => take('drain', id));
  tell(drained.length === 0 ? { text } : { text, undo: { text: 'Undo', onUndo } });
}

export async function letIn(worker: Worker): Promise<void> {
  const isDone = await attempt('Not let in', () => take('approve', worker.id));
  if (isDone) tell({ text: `${nameOf(worker)} is let in.` });
}

export function askToRefuse(worker: Worker): void {
  ask({
    title: `Refuse ${nameOf(worker)}?`,
    body: (
      <p>It is removed, and cannot come back by itself. With a new link its owner can ask again.</p>
    ),
    action: 'Refuse the device',
    keep: 'Let it wait',
    onAction: () => refuse(worker.id),
  });
}

export function askToRemove(workers: readonly Worker[], onRemoved?: () => void): void {
  const active = workers.reduce((sum, { active_tasks: count }) => sum + count, 0);
  const completed = workers.reduce((sum, { total_completed: count }) => sum + count, 0);
  const isOne = workers.length === 1;
  ask({
    title: `Remove ${named(workers)}?`,
    body: (
      <>
        <p>
          {active === 0
            ? `${isOne ? 'It has' : 'They have'} nothing to do now: no work is lost.`
            : `${counted(active, 'task goes', 'tasks go')} back to the queue, and on from the last checkpoint elsewhere. What was done since is lost.`}
        </p>
        <p>
          {`What ${isOne ? 'it' : 'they'} completed stays (${counted(completed, 'task')}). ${isOne ? 'It' : 'They'} cannot come back without joining anew.`}
        </p>
      </>
    ),
    action: isOne ? 'Remove the worker' : `Remove ${grouped(workers.length)} workers`,
    keep: isOne ? 'Keep it' : 'Keep them',
    onAction: async () => {
      await each(workers, remove);
      onRemoved?.();
    },
  });
}

export async function renameWorker(worker: Worker, name: string): Promise<void> {
  noteWorker(await change<WorkerResource>('PUT', `${pathOfWorker(worker.id)}/name`, { name }));
}
