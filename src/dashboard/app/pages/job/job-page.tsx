// One job: how far it is, when it is done, what is wrong, why it is not faster.

import { useEffect, useMemo } from 'preact/hooks';
import { Glyph } from '../../look/glyphs.tsx';
import { ButtonLink } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-line.tsx';
import { Bones, Empty } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { type JobHead, usePartOfCluster, workerList } from '../../store/cluster.ts';
import { codeOf, sentenceOf } from '../../store/endpoint.ts';
import { type JobWatch, useJobWatch } from '../../store/job-watch.ts';
import { mayReadPayloads } from '../../store/session.ts';
import { isOpen } from '../../store/job-share.ts';
import { grouped } from '../../text/numbers.ts';
import { nameOf, shortId } from '../../text/words.ts';
import { AttemptsPanel } from './attempts-panel.tsx';
import { failedAttempts } from './error-verdict.ts';
import { ErrorsPanel } from './errors-panel.tsx';
import { HoldUpsPanel } from './hold-ups-panel.tsx';
import { JobActions } from './job-actions.tsx';
import { JobFigures } from './job-figures.tsx';
import { headingOf } from './job-sentences.ts';
import { ProgramPanel } from './program-panel.tsx';
import { RecoveryPanel } from './recovery-panel.tsx';
import { ResultsPanel } from './results-panel.tsx';
import { TasksPanel } from './tasks-panel.tsx';
import { useJobReads } from './job-reads.ts';

export function Page({ job = '' }: Readonly<Record<string, string>>) {
  const watch = useJobWatch(job);
  const head = watch.head.value;
  usePageTitle(head === null ? shortId(job) : nameOf(head));
  useEffect(() => usePartOfCluster('workers'), []);
  if (watch.isGone.value) {
    return <Gone>This job was removed, with its tasks and results, while you looked at it.</Gone>;
  }
  const error = watch.error.value;
  // The coordinator may have begun anew without it.
  const isUnknown = codeOf(error) === 'unknown_job';
  if (head !== null && !isUnknown) return <JobView key={job} head={head} watch={watch} />;
  if (error === null) return <Bones lines={8} />;
  if (isUnknown) {
    return (
      <Gone>
        There is no job {shortId(job)}. It was removed, its time was over, or it is not yours to
        see.
      </Gone>
    );
  }
  return <Empty>{`Not shown: the job. ${sentenceOf(error)}`}</Empty>;
}

function Gone({ children }: { readonly children: preact.ComponentChildren }) {
  return (
    <>
      <h1 class="lede">This job is not here.</h1>
      <Empty actions={<ButtonLink href="/jobs">To all jobs</ButtonLink>}>{children}</Empty>
    </>
  );
}

function JobView({ head, watch }: { readonly head: JobHead; readonly watch: JobWatch }) {
  const changes = watch.changes.value;
  const names = useMemo(
    () => new Map((workerList.value ?? []).map(({ id, name }) => [id, name ?? shortId(id)])),
    [workerList.value],
  );
  const nameOfWorker = useMemo(() => (id: string) => names.get(id) ?? shortId(id), [names]);
  const reads = useJobReads(head, changes);
  const heading = headingOf(head);
  const isAllFailed = head.counts.failed > 0 && head.counts.failed === head.task_count;
  const errors = <ErrorsPanel head={head} errors={reads.errors} />;
  return (
    <>
      <header class="job-head">
        <div class="job-names">
          <p class="job-meta">
            <span class="state strong">
              <Glyph name={head.held_since === null ? head.status : 'held'} />
              {head.held_since === null ? head.status : 'held'}
            </span>
            <span>
              {isOpen(head) ? 'since ' : 'ended '}
              <Time
                hasDay
                at={isOpen(head) ? (head.started_at ?? head.created_at) : head.completed_at}
              />
            </span>
            <span>client {head.client_id}</span>
            {head.owner === undefined ? null : <span>of {head.owner}</span>}
            <span>priority {grouped(head.priority)}</span>
            <span class="row">
              <code title={head.id}>{shortId(head.id)}</code>
              <CopyButton text={head.id} label="the id of the job" />
            </span>
          </p>
          <h1 class="lede">
            <b>{heading.strong}</b>
            {heading.rest}
          </h1>
          {head.error === null ? null : <p class="bad">First to fail, by time: {head.error}</p>}
        </div>
        <JobActions head={head} errors={reads.errors.value} onChanged={watch.again} />
      </header>
      <JobFigures head={head} attempts={reads.attempts.value} metrics={reads.metrics.value} />
      <nav class="job-parts" aria-label="Parts of this job">
        <a href="#tasks">
          Tasks <b>{grouped(head.task_count)}</b>
        </a>
        <a href="#attempts">Attempts</a>
        <a href="#errors">
          Errors{' '}
          {reads.errors.value === null ? null : (
            <b>{grouped(failedAttempts(reads.errors.value))}</b>
          )}
        </a>
        {mayReadPayloads.value ? (
          <a href="#results">
            Results <b>{grouped(head.counts.completed)}</b>
          </a>
        ) : null}
        <a href="#recovery">Checkpoints and recovery</a>
        <a href="#program">Program and settings</a>
      </nav>
      {isAllFailed ? errors : null}
      {head.task_count > 1 || isOpen(head) ? (
        <div class="grid">
          {head.task_count > 1 ? (
            <TasksPanel head={head} changes={changes} nameOfWorker={nameOfWorker} />
          ) : null}
          {isOpen(head) ? (
            <HoldUpsPanel
              head={head}
              attempts={reads.attempts}
              knownUntil={reads.knownUntil}
              nameOfWorker={nameOfWorker}
              isWide={head.task_count < 2}
            />
          ) : null}
        </div>
      ) : null}
      <AttemptsPanel
        head={head}
        attempts={reads.attempts}
        knownUntil={reads.knownUntil}
        checkpoints={reads.checkpoints}
        recoveries={reads.recoveries}
        tooMany={reads.tooMany}
        nameOfWorker={nameOfWorker}
      />
      {isAllFailed ? null : errors}
      {mayReadPayloads.value ? <ResultsPanel head={head} /> : null}
      <RecoveryPanel
        metrics={reads.metrics}
        recoveries={reads.recoveries}
        nameOfWorker={nameOfWorker}
      />
      <ProgramPanel head={head} />
    </>
  );
}
