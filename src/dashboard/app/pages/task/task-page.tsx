// One task: why it is where it is, what was tried, and what came of it.

import { useEffect, useMemo } from 'preact/hooks';
import type { TaskExplanation } from '../../../../protocol/explanations.ts';
import type { TaskDetail } from '../../../../protocol/resources.ts';
import { requestText } from '../../../../client/request.ts';
import { State } from '../../look/glyphs.tsx';
import { ButtonLink } from '../../parts/button.tsx';
import { Bones, Empty, Panel, PartOfPage } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { query } from '../../shell/address.ts';
import { useCrumbOfJob, usePageTitle } from '../../shell/page-title.ts';
import { now } from '../../store/clock.ts';
import { usePartOfCluster, workerList } from '../../store/cluster.ts';
import { codeOf, endpoint, pathOfJob, read, sentenceOf } from '../../store/endpoint.ts';
import { useJobWatch } from '../../store/job-watch.ts';
import { type Part, usePart } from '../../store/resource.ts';
import { mayReadPayloads } from '../../store/session.ts';
import { grouped, percent } from '../../text/numbers.ts';
import { nameOf, shortId } from '../../text/words.ts';
import { useAgain } from '../job/job-reads.ts';
import { DecisionPanel, WaitingPanel } from './decision-panel.tsx';
import { textOfValue } from './payload.ts';
import { PayloadPanel } from './payload-panel.tsx';
import { TaskAttempts } from './task-attempts.tsx';

export function Page({ job = '', index: given = '' }: Readonly<Record<string, string>>) {
  const index = /^\d{1,9}$/.test(given) ? Number(given) : null;
  usePageTitle(index === null ? given : `Task ${grouped(index)}`);
  if (index === null) return <NoTask job={job} why={`“${given}” is no number of a task.`} />;
  return <TaskView key={`${job} ${index}`} job={job} index={index} />;
}

function NoTask({ job, why }: { readonly job: string; readonly why: string }) {
  return (
    <>
      <h1 class="lede">This task is not here.</h1>
      <Empty
        actions={
          <>
            <ButtonLink href={`/jobs/${encodeURIComponent(job)}`}>To its job</ButtonLink>
            <ButtonLink href="/jobs">To all jobs</ButtonLink>
          </>
        }
      >
        {why}
      </Empty>
    </>
  );
}

function TaskView({ job, index }: { readonly job: string; readonly index: number }) {
  const watch = useJobWatch(job, { task: index });
  const changes = watch.changes.value;
  const path = `${pathOfJob(job)}/tasks/${index}`;
  const attempt = attemptIn('attempt');
  const mayRead = mayReadPayloads.value;
  useEffect(() => usePartOfCluster('workers'), []);
  const explanation = usePart(`why ${job} ${index} ${attempt}`, (signal) =>
    read<TaskExplanation>(`${path}/explain`, attempt === null ? {} : { attempt }, signal),
  );
  const detail = usePart(`task ${job} ${index}`, (signal) => read<TaskDetail>(path, {}, signal), {
    isOff: !mayRead,
  });
  useAgain(changes, 0, explanation);
  useAgain(changes, 0, detail);
  const names = useMemo(
    () => new Map((workerList.value ?? []).map(({ id, name }) => [id, name ?? shortId(id)])),
    [workerList.value],
  );
  const nameOfWorker = (id: string): string => names.get(id) ?? shortId(id);
  const head = watch.head.value;
  useCrumbOfJob(head === null ? shortId(job) : nameOf(head), `/jobs/${encodeURIComponent(job)}`);
  const told = explanation.value;
  const { error } = explanation;
  if (told === null && error === null) return <Bones lines={8} />;
  // The coordinator may have begun anew without it.
  const code = codeOf(error);
  if (code === 'unknown_job' || code === 'unknown_task') {
    return <NoTask job={job} why={sentenceOf(error)} />;
  }
  const task = detail.value;
  return (
    <>
      <header class="task-head">
        <p class="task-meta">
          {told === null ? null : <State name={told.status} />}
          <span>
            task <b class="strong">{grouped(index)}</b>
            {head === null ? null : ` of ${grouped(head.task_count)}`} in{' '}
            <a class="link reach" href={`/jobs/${encodeURIComponent(job)}`}>
              {head === null ? shortId(job) : nameOf(head)}
            </a>
          </span>
          {task === null ? null : <span>priority {grouped(task.priority)}</span>}
          <span class="row">
            {index > 0 ? <StepLink job={job} index={index - 1} text="Previous" /> : null}
            {head !== null && index + 1 < head.task_count ? (
              <StepLink job={job} index={index + 1} text="Next" />
            ) : null}
          </span>
        </p>
        <h1 class="lede">
          <b>{`Task ${grouped(index)}.`}</b> {told?.summary}
        </h1>
        {task?.progress !== null && task?.progress !== undefined && task.status === 'running' ? (
          <Progress share={task.progress} message={task.progress_message} />
        ) : null}
      </header>
      <div class="grid">
        <PartOfPage part={explanation} what="why it is there" sentenceOf={sentenceOf} lines={5}>
          {(value) => (
            <>
              {value.waiting === null ? (
                <DecisionPanel explanation={value} nameOfWorker={nameOfWorker} />
              ) : (
                <WaitingPanel explanation={value} />
              )}
              <Story explanation={value} />
            </>
          )}
        </PartOfPage>
      </div>
      {mayRead ? (
        <PartOfPage
          part={detail}
          what="its attempts, its input and its result"
          sentenceOf={sentenceOf}
        >
          {(value) => (
            <>
              <TaskAttempts
                attempts={value.attempts}
                nameOfWorker={nameOfWorker}
                nowMs={now.value}
                withoutDecision={told?.decision === null ? (attempt ?? told.attempt) : 0}
              />
              <div class="grid">
                <PayloadPanel
                  title="Input"
                  label="the input"
                  text={value.input_problem ?? textOfValue(value.input)}
                />
                <Outcome task={value} />
              </div>
              <Output path={path} task={value} changes={changes} />
            </>
          )}
        </PartOfPage>
      ) : (
        <p class="mute">You look on: its input, its result and what it printed are not shown.</p>
      )}
    </>
  );
}

/** A number of an attempt in the address, or null. */
function attemptIn(name: string): number | null {
  const text = query.value.get(name);
  return text !== null && /^[1-9]\d{0,6}$/.test(text) ? Number(text) : null;
}

function StepLink({
  job,
  index,
  text,
}: {
  readonly job: string;
  readonly index: number;
  readonly text: string;
}) {
  return (
    <a class="link reach" href={`/jobs/${encodeURIComponent(job)}/tasks/${index}`}>
      {text}
    </a>
  );
}

function Progress({ share, message }: { readonly share: number; readonly message: string | null }) {
  return (
    <p class="task-progress">
      <span class="bar large" role="img" aria-label={`${percent(share)} done`}>
        <i class="fill-running" style={{ width: `${100 * share}%` }} />
      </span>
      <span class="soft">
        {percent(share)}
        {message === null ? '' : `: ${message}`}
      </span>
    </p>
  );
}

function Story({ explanation: { story } }: { readonly explanation: TaskExplanation }) {
  return (
    <Panel title="What happened" span={5}>
      <ol class="task-story">
        {story.map(({ at, text }, place) => (
          <li key={place}>
            <span class="mute number">{at === null ? null : <Time at={at} />}</span>
            <span>{text}</span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function Outcome({ task }: { readonly task: TaskDetail }) {
  if (task.error !== null) {
    const { type, message, stack } = task.error;
    return (
      <PayloadPanel
        title="Error"
        label="the error"
        note={type}
        text={stack === undefined ? `${type}: ${message}` : `${type}: ${message}\n${stack}`}
      />
    );
  }
  if (task.result_available) {
    return <PayloadPanel title="Result" label="the result" text={textOfValue(task.result)} />;
  }
  return (
    <Panel title="Result" span={6}>
      <p class="soft">
        {task.status === 'cancelled' ? 'It was cancelled: there is none.' : 'There is none yet.'}
      </p>
    </Panel>
  );
}

interface OutputProps {
  readonly path: string;
  readonly task: TaskDetail;
  readonly changes: number;
}

/** What it printed, as far as that was kept. */
function Output({ path, task, changes }: OutputProps) {
  const kept = task.attempts.filter(({ output_available: has }) => has === true);
  const attempt = attemptIn('output') ?? kept.at(-1)?.attempt ?? null;
  const output: Part<string> = usePart(
    `output ${path} ${attempt}`,
    async (signal) => {
      let text = '';
      for await (const piece of requestText(endpoint, `${path}/output`, {
        query: attempt === null ? {} : { attempt },
        signal,
      }))
        text += piece;
      return text;
    },
    { isOff: kept.length === 0 },
  );
  useAgain(changes, 2_000, output);
  if (kept.length === 0) {
    return (
      <p class="mute">
        Nothing is kept of what it printed. Jobs say by keep_output when it is: on failure, always
        or never.
      </p>
    );
  }
  return (
    <PartOfPage part={output} what="what it printed" sentenceOf={sentenceOf}>
      {(text) => (
        <PayloadPanel
          title="What it printed"
          label="what it printed"
          note={attempt === null ? undefined : `attempt ${grouped(attempt)}`}
          text={text}
          span={12}
        />
      )}
    </PartOfPage>
  );
}
