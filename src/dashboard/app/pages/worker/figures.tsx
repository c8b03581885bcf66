// What a worker has done so far, in numbers.

import type { WorkerPerformance } from '../../../../protocol/evaluation.ts';
import { NotTold } from '../../parts/time.tsx';
import type { Worker } from '../../store/cluster.ts';
import { read } from '../../store/endpoint.ts';
import { usePart } from '../../store/resource.ts';
import { grouped, measured, percentOf, withUnit } from '../../text/numbers.ts';
import { duration } from '../../text/times.ts';
import { counted } from '../../text/words.ts';

const everyMs = 10_000;

export function Figures({ worker }: { readonly worker: Worker }) {
  const { total_completed: completed, total_failed: failed, score, id } = worker;
  const performance = usePart(
    'worker-performance',
    (signal) =>
      read<readonly WorkerPerformance[]>('/api/evaluation/worker-performance', {}, signal),
    { everyMs },
  );
  const own = performance.value?.find(({ worker_id: of }) => of === id);
  const without = performance.error === null ? 'nothing was completed yet' : 'it was not told';
  return (
    <dl class="figures">
      <Figure name="tasks done" text={grouped(completed)} />
      <Figure
        name="failed"
        text={completed + failed === 0 ? null : percentOf(failed, completed + failed)}
        why="nothing has ended here yet"
        note={failed === 0 ? undefined : counted(failed, 'attempt')}
      />
      <Figure
        name="tasks/s a slot, of its jobs"
        text={own === undefined || own.throughput === 0 ? null : measured(own.throughput)}
        why={without}
      />
      <Figure
        name="a task, on average"
        text={
          typeof own?.average_task_time_seconds === 'number'
            ? duration(own.average_task_time_seconds)
            : null
        }
        why={without}
      />
      <Figure
        name="energy a task"
        text={
          typeof own?.energy_joules_per_task === 'number'
            ? withUnit(measured(own.energy_joules_per_task), 'J')
            : null
        }
        why="neither reported nor known for devices of its kind"
      />
      <Figure
        name="score, last decision"
        text={score === null ? null : score.toFixed(2)}
        why="it had no score in the last decision"
      />
    </dl>
  );
}

interface FigureProps {
  readonly name: string;
  /** Null: it cannot be told. */
  readonly text: string | null;
  readonly why?: string;
  readonly note?: string | undefined;
}

function Figure({ name, text, why, note }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {text ?? <NotTold why={why} />} {note === undefined ? null : <small>{note}</small>}
      </dd>
    </div>
  );
}
