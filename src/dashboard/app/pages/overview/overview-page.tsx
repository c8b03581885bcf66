// What the cluster does, what needs somebody, and why.

import { useEffect, useMemo } from 'preact/hooks';
import { Glyph } from '../../look/glyphs.tsx';
import { taskStates } from '../../look/states.ts';
import { stateOf } from '../../text/worker-states.ts';
import { Bones, Panel, PartOfPage } from '../../parts/panel.tsx';
import { StateBar } from '../../parts/state-bar.tsx';
import { now } from '../../store/clock.ts';
import { useSchedulerHistory } from '../../store/scheduler-history.ts';
import {
  counters,
  jobList,
  load,
  partErrors,
  usePartOfCluster,
  workerList,
} from '../../store/cluster.ts';
import { sentenceOf } from '../../store/endpoint.ts';
import { grouped } from '../../text/numbers.ts';
import { withoutAside } from './attention.ts';
import { AttentionPanel } from './attention-panel.tsx';
import { useAttention, useStart } from './attention-state.ts';
import { chartEvents } from './chart-events.ts';
import { DevicesPanel } from './devices-panel.tsx';
import { JobsPanel } from './jobs-panel.tsx';
import { useFirstSteps, useTimeline } from './late-parts.ts';
import { aside } from './put-aside.ts';
import { sentenceOf as phrasesOf } from './sentence.ts';
import { rateOfLastMinute, type Throughput } from './throughput.ts';
import { ThroughputPanel } from './throughput-panel.tsx';
import { useThroughput } from './throughput-state.ts';

export function Page() {
  useEffect(() => usePartOfCluster('jobs'), []);
  useEffect(() => usePartOfCluster('workers'), []);
  const ofHour = useThroughput({ windowMs: 3_600_000, bucketSeconds: 10 });
  const startedAtMs = useStart();
  const all = useAttention(ofHour.value, startedAtMs);
  const shown = withoutAside(all ?? [], aside.value);
  const workers = workerList.value;
  const marks = useMarks(startedAtMs);
  const timeline = useTimeline();
  const part = (of: 'jobs' | 'workers', value: typeof workers | typeof jobList.value) => ({
    value,
    error: partErrors.value[of],
    again: () => void load(of),
  });
  return (
    <div class="overview">
      <Sentence throughput={ofHour.value} needs={shown.length} />
      <div class="grid">
        <ThroughputPanel ofHour={ofHour} marks={marks} />
        <AttentionPanel all={all} shown={shown} />
        {workers?.length === 0 ? (
          <FirstDevice />
        ) : workers === null ? (
          <Panel title="Devices">
            <PartOfPage part={part('workers', null)} what="devices" sentenceOf={sentenceOf}>
              {() => null}
            </PartOfPage>
          </Panel>
        ) : (
          <DevicesPanel workers={workers} />
        )}
        {jobList.value === null && partErrors.value.jobs !== null ? (
          <Panel title="Jobs" span={8}>
            <PartOfPage part={part('jobs', null)} what="jobs" sentenceOf={sentenceOf}>
              {() => null}
            </PartOfPage>
          </Panel>
        ) : (
          <JobsPanel jobs={jobList.value} />
        )}
        <TasksPanel />
      </div>
      {timeline === null ? null : <timeline.Timeline isShort />}
    </div>
  );
}

function FirstDevice() {
  const steps = useFirstSteps();
  return steps === null ? (
    <Panel title="Devices">
      <Bones lines={3} />
    </Panel>
  ) : (
    <steps.ConnectPanel />
  );
}

interface SentenceProps {
  readonly throughput: Throughput | null;
  readonly needs: number;
}

function Sentence({ throughput, needs }: SentenceProps) {
  const told = counters.value;
  if (told === null) return <h1 class="lede">Overview</h1>;
  const rate = throughput === null ? null : rateOfLastMinute(throughput, now.value);
  const atWork = workerList.value?.filter(({ active_tasks: active }) => active > 0).length ?? null;
  const out = workerList.value?.filter((worker) => stateOf(worker) === 'out').length ?? 0;
  return (
    <h1 class="lede">
      {phrasesOf({ counters: told, rate, needs, atWork, out }).map(({ text, weight }, place) =>
        weight === 'strong' ? (
          <b key={place}>{text}</b>
        ) : (
          <span key={place} class={weight ?? ''}>
            {text}
          </span>
        ),
      )}
    </h1>
  );
}

function useMarks(startedAtMs: number | null) {
  const { value: changes } = useSchedulerHistory();
  const workers = workerList.value;
  return useMemo(
    () => chartEvents({ changes: changes ?? [], workers: workers ?? [], startedAtMs }),
    [changes, workers, startedAtMs],
  );
}

function TasksPanel() {
  const told = counters.value;
  return (
    <Panel title="Tasks by state" note="open jobs" span={4}>
      {told === null ? (
        <Bones lines={6} />
      ) : (
        <>
          <StateBar counts={told.tasks} isLarge />
          <dl class="overview-states">
            {taskStates.map((state) => (
              <div key={state}>
                <dt class="state">
                  <Glyph name={state} />
                  {state}
                </dt>
                <dd>{grouped(told.tasks[state])}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </Panel>
  );
}
