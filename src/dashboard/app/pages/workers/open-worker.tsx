// What stands below an open row: why it is so, what can be done, what it measured, and what failed.

import type { WorkerDetail } from '../../../../protocol/workers.ts';
import { type Worker, workersHeardToMs } from '../../store/cluster.ts';
import { pathOfWorker, read } from '../../store/endpoint.ts';
import { usePart } from '../../store/resource.ts';
import { mayInspectWorkers } from '../../store/session.ts';
import { counted } from '../../text/words.ts';
import { Failures } from './failures.tsx';
import { Telemetry } from './telemetry.tsx';
import type { Outcomes } from './trouble.ts';
import { isOwnDrain } from './worker-actions.tsx';
import { WorkerButtons } from './worker-buttons.tsx';
import { reasonOf } from './worker-reason.ts';

const shownFailures = 4;

interface OpenWorkerProps {
  readonly worker: Worker;
  readonly all: Outcomes;
}

export function OpenWorker({ worker, all }: OpenWorkerProps) {
  const { id, total_failed: failed, total_completed: completed } = worker;
  const mayInspect = mayInspectWorkers.value;
  const isQuarantined = worker.status === 'quarantined';
  const detail = usePart(
    `worker ${id}`,
    (signal) => read<WorkerDetail>(pathOfWorker(id), {}, signal),
    { isOff: !isQuarantined || !mayInspect, everyMs: 10_000 },
  );
  const reason = reasonOf({
    worker,
    all,
    quarantinedUntil: detail.value?.quarantined_until ?? null,
    nowMs: workersHeardToMs.value,
    isOwnDrain: isOwnDrain(worker),
  });
  const page = `/workers/${encodeURIComponent(id)}`;
  return (
    <div class={reason.isTrouble ? 'workers-open in-trouble' : 'workers-open'}>
      <section class="stack">
        <h3>{reason.title}</h3>
        <p class="soft">{reason.text}</p>
        <WorkerButtons worker={worker} isSmall />
        <p>
          <a class="link" href={page}>
            All about this worker
          </a>
        </p>
      </section>
      {mayInspect ? (
        <>
          <section>
            <h3>Telemetry, last 5 min</h3>
            <Telemetry worker={worker} />
          </section>
          <section>
            <h3>
              Failures{' '}
              <span class="mute">{`${counted(failed, 'attempt')} of ${completed + failed}`}</span>
            </h3>
            <Failures worker={id} limit={shownFailures} />
            {failed > shownFailures ? (
              <a class="link" href={`${page}#failures`}>
                All of them
              </a>
            ) : null}
          </section>
        </>
      ) : (
        <p class="mute">
          What it measures and what failed here is told to those who operate the cluster or look on.
        </p>
      )}
    </div>
  );
}
