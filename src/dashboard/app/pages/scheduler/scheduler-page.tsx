// Why work goes where it goes, and where it would go under another algorithm or other weights. What is tried is
// nowhere but in the address before it is applied.

import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SchedulerConfigResource } from '../../../../client/scheduler.ts';
import type { CriterionDescription, SchedulerPreview } from '../../../../protocol/explanations.ts';
import type { SchedulingInfo } from '../../../../protocol/scheduling-info.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { KeptHeight } from '../../parts/kept-height.tsx';
import { Empty, Panel, PartOfPage } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { query, setQuery } from '../../shell/address.ts';
import { jobList, usePartOfCluster, workerList } from '../../store/cluster.ts';
import { change, read, sentenceOf } from '../../store/endpoint.ts';
import { isHere } from '../../store/presence.ts';
import { usePart } from '../../store/resource.ts';
import { session } from '../../store/session.ts';
import { schedulerChanges } from '../../store/stream.ts';
import { applyDraft, openJobs } from './apply-draft.tsx';
import { grouped, roughly, withUnit } from '../../text/numbers.ts';
import { nameOf as nameOfWorker, shortId } from '../../text/words.ts';
import { ChangesPanel } from './changes-panel.tsx';
import { ComparePanel } from './compare-panel.tsx';
import { DecisionPanel } from './decision-panel.tsx';
import { decisionColumns } from './decision-story.ts';
import { addressOf, changeTo, draftOf, isSame, type Setting } from './draft.ts';
import { MethodPanel } from './method-panel.tsx';
import { algorithmIds, methodOf } from './methods.ts';
import { countOf, usualCount } from './next-tasks.ts';
import { nextJob, waitingJobs } from './next-job.ts';
import { NextTasksPanel } from './next-tasks-panel.tsx';
import { SettingPanel } from './setting-panel.tsx';
import { usePreviews } from './use-previews.ts';

const infoEveryMs = 2_000;

export function Page() {
  useEffect(() => usePartOfCluster('workers'), []);
  useEffect(() => usePartOfCluster('jobs'), []);
  const { config, isNews, onSeen, apply } = useConfig();
  const criteria = usePart('scheduler-criteria', (signal) =>
    read<readonly CriterionDescription[]>('/api/scheduler/criteria', {}, signal),
  );
  const [isSliding, setSliding] = useState(false);
  const info = usePart(
    'scheduling-info',
    (signal) => read<SchedulingInfo>('/api/scheduling-info', {}, signal),
    { everyMs: infoEveryMs, isOff: isSliding },
  );
  useEffect(() => {
    if (!isSliding) return;
    // A finger may leave the slider before it is lifted.
    const end = (): void => setSliding(false);
    addEventListener('pointerup', end);
    return () => removeEventListener('pointerup', end);
  }, [isSliding]);

  const inForce = config.value;
  const draft = inForce === null ? null : draftOf(query.value, inForce);
  const workers = workerList.value;
  const here = (workers ?? []).filter(isHere);
  const slots = here.reduce((sum, worker) => sum + worker.slots, 0);
  const tasks = countOf(query.value.get('tasks')) ?? usualCount(slots);
  const assume = query.value.get('assume') === 'idle' ? 'idle' : 'now';
  // Who tries another algorithm wants to see what becomes of the ranking.
  const wanted = query.value.get('compare') ?? inForce?.algorithm;
  const compared = algorithmIds.find((id) => id === wanted && id !== draft?.algorithm);
  const waiting = waitingJobs(jobList.value ?? []);
  const job = nextJob(waiting, query.value.get('job'));
  const requirements = job?.options?.requirements ?? null;
  const pictures = useRef<HTMLDivElement>(null);
  const previews = usePreviews(
    draft === null || inForce === null || workers === null
      ? null
      : {
          draft,
          inForce: changeTo(inForce),
          compared: compared ?? null,
          tasks,
          assume,
          requirements,
        },
    () => isSliding || isLookedAt(pictures.current),
  );
  const names = new Map(workers?.map((worker) => [worker.id, nameOfWorker(worker)]));
  const nameOf = (id: string): string => names.get(id) ?? shortId(id);
  const onChange = (next: Setting): void => setQuery(addressOf(next, inForce!));
  const draftPreview = previews.value?.draft ?? null;
  // As it is drawn, which is what was asked for a moment ago.
  const drawn = previews.value;
  const isTried = drawn?.draft !== drawn?.inForce;
  const shownAs = `${drawn?.draft.algorithm} ${drawn?.compared?.algorithm} ${isTried} ${tasks} ${assume} ${job?.id}`;

  return (
    <>
      <Sentence config={config.value} info={info.value} />
      {config.value !== null && isNews ? (
        <p class="scheduler-news" role="status">
          <span>
            {`Changed by ${config.value.by ?? 'somebody else'} to ${config.value.algorithm} at `}
            <Time at={config.value.updated_at} />
            {isSame(draft!, inForce!) ? '.' : '. What you try is kept.'}
          </span>
          <Button isSmall onPress={onSeen}>
            OK
          </Button>
        </p>
      ) : null}
      <div class="scheduler">
        <PartOfPage part={config} what="the configuration" sentenceOf={sentenceOf} lines={8}>
          {() => (
            <PartOfPage part={criteria} what="the criteria" sentenceOf={sentenceOf} lines={8}>
              {(list) => (
                <SettingPanel
                  draft={draft!}
                  inForce={inForce!}
                  criteria={list}
                  effective={draftPreview?.effective_weights ?? null}
                  leftOut={leftOutOf(draftPreview)}
                  asksFirst={openJobs() > 0}
                  onChange={onChange}
                  onHold={setSliding}
                  onApply={() => applyDraft(draft!, inForce!, waiting, apply)}
                />
              )}
            </PartOfPage>
          )}
        </PartOfPage>
        <div class="scheduler-main" ref={pictures}>
          {workers !== null && draftPreview?.worker_count === 0 ? (
            <NoWorkers />
          ) : (
            <PreviewParts part={previews}>
              {(value) => (
                <>
                  <MethodPanel
                    preview={value.draft}
                    isIdle={assume === 'idle'}
                    criteria={criteria.value ?? []}
                    nameOf={nameOf}
                  />
                  <KeptHeight subject={shownAs}>
                    <NextTasksPanel
                      draft={value.draft}
                      inForce={value.inForce}
                      isCompared={value.draft !== value.inForce}
                      count={tasks}
                      slots={slots}
                      assume={assume}
                      waiting={waiting}
                      job={job}
                      onJob={(id) => setQuery({ job: id })}
                      onCount={(count) => setQuery({ tasks: String(count) })}
                      onAssume={(which) => setQuery({ assume: which === 'idle' ? which : null })}
                      nameOf={nameOf}
                    />
                  </KeptHeight>
                  <KeptHeight subject={shownAs}>
                    <ComparePanel
                      // From what is in force to what is tried.
                      from={
                        value.compared?.algorithm === inForce?.algorithm
                          ? value.compared
                          : value.compared && value.draft
                      }
                      to={
                        value.compared?.algorithm === inForce?.algorithm
                          ? value.compared && value.draft
                          : value.compared
                      }
                      draft={value.draft}
                      chosen={compared ?? null}
                      onChoose={(algorithm) => setQuery({ compare: algorithm ?? 'nothing' })}
                      nameOf={nameOf}
                    />
                  </KeptHeight>
                </>
              )}
            </PreviewParts>
          )}
          <ChangesPanel />
          <DecisionPanel part={info} nameOf={nameOf} isOfOwn={session.value?.kind === 'client'} />
        </div>
      </div>
    </>
  );
}

/** The configuration in force. What others change is read, and told; what is tried stays. */
function useConfig() {
  const [version, setVersion] = useState(0);
  const seen = useRef<string | null>(null);
  const isApplying = useRef(false);
  const config = usePart(`scheduler-config`, (signal) =>
    read<SchedulerConfigResource>('/api/scheduler/config', {}, signal),
  );
  const latest = useRef(config);
  latest.current = config;
  const shown = useRef<SchedulerConfigResource | null>(null);
  if (config.value !== null && newerThan(config.value, shown.current)) shown.current = config.value;
  const value = shown.current;
  if (seen.current === null || isApplying.current) seen.current = value?.updated_at ?? null;
  const readAt = useRef(schedulerChanges.value);
  useSignalEffect(() => {
    if (schedulerChanges.value > readAt.current) latest.current.again();
    readAt.current = schedulerChanges.value;
  });
  const apply = async (setting: Setting): Promise<void> => {
    isApplying.current = true;
    try {
      const now = await change<SchedulerConfigResource>(
        'PUT',
        '/api/scheduler/config',
        changeTo(setting),
      );
      shown.current = now;
      seen.current = now.updated_at;
      setVersion(version + 1);
    } finally {
      isApplying.current = false;
    }
  };
  return {
    config: { ...config, value },
    isNews: value !== null && seen.current !== value.updated_at,
    onSeen: () => {
      seen.current = value?.updated_at ?? null;
      setVersion(version + 1);
    },
    apply,
  };
}

function newerThan(a: SchedulerConfigResource, b: SchedulerConfigResource | null): boolean {
  return b === null || a.updated_at >= b.updated_at;
}

/** Nothing moves under the pointer, nor under whoever reads a table. */
function isLookedAt(element: HTMLElement | null): boolean {
  const seen = 'svg:hover, .table-box:hover, .table-box:focus-within';
  return (element?.querySelector(seen) ?? null) !== null;
}

/** Criteria that tell nobody apart, and why. */
function leftOutOf(preview: SchedulerPreview | null): ReadonlyMap<string, string> {
  if (preview === null || preview.workers.length < 2) return new Map();
  const columns = decisionColumns(preview.workers, preview.effective_weights);
  return new Map(
    columns.flatMap(({ id, leftOut }) => (leftOut === null ? [] : [[id, leftOut] as const])),
  );
}

interface SentenceProps {
  readonly config: SchedulerConfigResource | null;
  readonly info: SchedulingInfo | null;
}

function Sentence({ config, info }: SentenceProps) {
  if (config === null) return <h1 class="lede">The scheduler is being read.</h1>;
  const micros = info?.last_decision?.duration_microseconds;
  return (
    <h1 class="lede">
      <b>{config.algorithm}</b> {methodOf(config.algorithm).does}. In force{' '}
      <b>
        since <Time at={config.updated_at} />
      </b>
      {micros === undefined
        ? '.'
        : `; the last decision took about ${withUnit(roughly(micros), 'µs')}.`}
      {info !== null && info.pending_tasks > 0 ? ` ${grouped(info.pending_tasks)} tasks wait.` : ''}
    </h1>
  );
}

function NoWorkers() {
  return (
    <Panel title="No device is here">
      <Empty
        actions={
          <ButtonLink href="/connect" kind="primary">
            Connect a device
          </ButtonLink>
        }
      >
        There is nobody to give work to, and so nothing to rank. What you choose counts from the
        first device on.
      </Empty>
    </Panel>
  );
}

interface PreviewPartsProps {
  readonly part: ReturnType<typeof usePreviews>;
  readonly children: (
    value: NonNullable<ReturnType<typeof usePreviews>['value']>,
  ) => preact.ComponentChildren;
}

/** An answer of before stays when a draft is refused; why is told above it. */
function PreviewParts({ part, children }: PreviewPartsProps) {
  if (part.value === null) {
    return (
      <Panel title="How the devices rank">
        <PartOfPage
          part={{ ...part, value: null }}
          what="the preview"
          sentenceOf={sentenceOf}
          lines={8}
        >
          {() => null}
        </PartOfPage>
      </Panel>
    );
  }
  return (
    <>
      {part.error === null ? null : (
        <p class="bad" role="alert">
          {`Not shown: what you try. ${sentenceOf(part.error)}`}
        </p>
      )}
      {children(part.value)}
    </>
  );
}
