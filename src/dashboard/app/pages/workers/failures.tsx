// The newest attempts that failed on a worker, or were lost with it.

import type { WorkerFailure } from '../../../../protocol/workers.ts';
import { PartOfPage } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { pathOfWorker, read, sentenceOf } from '../../store/endpoint.ts';
import { usePart } from '../../store/resource.ts';
import { indexOfTask, pageOfTask } from './task-place.ts';

const everyMs = 10_000;

interface FailuresProps {
  readonly worker: string;
  readonly limit: number;
}

export function Failures({ worker, limit }: FailuresProps) {
  const part = usePart(
    `failures ${worker} ${limit}`,
    (signal) =>
      read<readonly WorkerFailure[]>(`${pathOfWorker(worker)}/failures`, { limit }, signal),
    { everyMs },
  );
  return (
    <PartOfPage part={part} what="its failures" sentenceOf={sentenceOf}>
      {(failures) =>
        failures.length === 0 ? (
          <p class="mute">Nothing has failed here.</p>
        ) : (
          <ol class="failures">
            {failures.map((failure) => (
              <li key={`${failure.task_id} ${failure.failed_at}`}>
                <span class="mute number">
                  <Time at={failure.failed_at} />
                </span>
                <span class="failure" title={failure.error_message}>
                  <a class="link" href={pageOfTask(failure.job_id, indexOfTask(failure.task_id))}>
                    {`task ${indexOfTask(failure.task_id)}`}
                  </a>{' '}
                  {failure.error_type === failure.error_message
                    ? failure.error_type
                    : `${failure.error_type}: ${failure.error_message}`}
                </span>
              </li>
            ))}
          </ol>
        )
      }
    </PartOfPage>
  );
}
