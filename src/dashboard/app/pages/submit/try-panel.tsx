// One input, before all of them are sent: what came of it, or why nothing has yet.

import type { TaskExplanation } from '../../../../protocol/explanations.ts';
import { Glyph } from '../../look/glyphs.tsx';
import { Panel } from '../../parts/panel.tsx';
import { pathOfJob, read } from '../../store/endpoint.ts';
import { workerList } from '../../store/cluster.ts';
import { usePart } from '../../store/resource.ts';
import { duration } from '../../text/times.ts';
import { lineInProgram } from './refusal.ts';
import type { TryOutcome } from './sending.ts';

export type Try =
  | { readonly state: 'waiting'; readonly jobId: string | null }
  | { readonly state: 'ended'; readonly outcome: TryOutcome };

const askedEveryMs = 2_000;
const mostShown = 4_000;

export function TryPanel({ tried }: { readonly tried: Try }) {
  return (
    <Panel title="Tried on one input" class="submit-try">
      <div role="status">
        {tried.state === 'waiting' ? (
          <Waiting jobId={tried.jobId} />
        ) : (
          <Ended outcome={tried.outcome} />
        )}
      </div>
    </Panel>
  );
}

function Waiting({ jobId }: { readonly jobId: string | null }) {
  const part = usePart(
    `try ${jobId}`,
    (signal) => read<TaskExplanation>(`${pathOfJob(jobId ?? '')}/tasks/0/explain`, {}, signal),
    { everyMs: askedEveryMs, isOff: jobId === null },
  );
  return (
    <p class="row">
      <Glyph name={part.value?.status ?? 'pending'} />
      <span>{part.value?.summary ?? 'It is sent to a device.'}</span>
    </p>
  );
}

function Ended({ outcome: { jobId, result, task, printed } }: { readonly outcome: TryOutcome }) {
  const worker = workerList.value?.find(({ id }) => id === task.worker_id);
  const where = worker === undefined ? '' : ` on ${worker.name}`;
  const link = (
    <a class="link" href={`/jobs/${jobId}/tasks/0`}>
      The task
    </a>
  );
  if (result !== null) {
    const short = JSON.stringify(result.value);
    const text = short.length <= 100 ? short : JSON.stringify(result.value, null, 2);
    return (
      <div class="stack">
        <p class="row">
          <Glyph name="completed" />
          <span>{`It completed in ${duration(task.run_seconds)}${where}. Its result:`}</span>
          {link}
        </p>
        <Text text={text} label="Result" />
        <Printed text={printed} />
      </div>
    );
  }
  const { error } = task;
  const line = error === null ? null : lineInProgram(error);
  const at = line === null ? '' : ` at line ${line}`;
  const what = error === null ? 'It was cancelled' : `${error.type}${at}${where}: ${error.message}`;
  return (
    <div class="stack">
      <p class="row">
        <Glyph name={error === null ? 'cancelled' : 'failed'} />
        <span class="bad">{what}</span>
        {link}
      </p>
      <Printed text={printed} />
    </div>
  );
}

function Printed({ text }: { readonly text: string }) {
  if (text === '') return null;
  return (
    <>
      <p class="mute">It printed:</p>
      <Text text={text} label="What it printed" />
    </>
  );
}

function Text({ text, label }: { readonly text: string; readonly label: string }) {
  const shown = text.length <= mostShown ? text : `${text.slice(0, mostShown)}…`;
  return (
    <pre class="submit-text" tabIndex={0} role="region" aria-label={label}>
      {shown}
    </pre>
  );
}
