// One worker: all that is known of it.

import { useEffect } from 'preact/hooks';
import type { WorkerDetail } from '../../../../protocol/workers.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { Empty, Panel, PartOfPage } from '../../parts/panel.tsx';
import { KindGlyph, State } from '../../look/glyphs.tsx';
import { deviceKindOf, kindNames } from '../../look/states.ts';
import { stateOf } from '../../text/worker-states.ts';
import { go } from '../../shell/address.ts';
import { usePageTitle } from '../../shell/page-title.ts';
import {
  load,
  partErrors,
  usePartOfCluster,
  type Worker,
  workerList,
  workersHeardToMs,
} from '../../store/cluster.ts';
import { codeOf, pathOfWorker, read, sentenceOf } from '../../store/endpoint.ts';
import { usePart } from '../../store/resource.ts';
import { isAdmin, mayInspectWorkers, session } from '../../store/session.ts';
import { nameOf } from '../../text/words.ts';
import { Failures } from '../workers/failures.tsx';
import { Slots } from '../workers/slots.tsx';
import { failing, outcomesOf } from '../workers/trouble.ts';
import { isOwnDrain } from '../workers/worker-actions.tsx';
import { WorkerButtons } from '../workers/worker-buttons.tsx';
import { reasonOf } from '../workers/worker-reason.ts';
import { About } from './about.tsx';
import { Figures } from './figures.tsx';
import { LastAttempts } from './last-attempts.tsx';
import { RunningNow } from './running-now.tsx';
import { TelemetryCharts } from './telemetry-charts.tsx';
import { workerSentence } from './worker-sentence.ts';

const everyMs = 2_000;
const seriesEveryMs = 5_000;
const shownFailures = 50;

/** `worker`: its id, of the address. */
export function Page({ worker: id = '' }: Readonly<Record<string, string>>) {
  useEffect(() => usePartOfCluster('workers'), []);
  const mayInspect = mayInspectWorkers.value;
  const part = usePart(
    `worker page ${id}`,
    (signal) => read<WorkerDetail>(pathOfWorker(id), {}, signal),
    { everyMs, isOff: !mayInspect },
  );
  const all = workerList.value;
  const listed = all?.find((worker) => worker.id === id) ?? null;
  const shown = mayInspect ? part.value : listed;
  const isMissing = all !== null && listed === null;
  const isGone = mayInspect ? codeOf(part.error) === 'unknown_worker' : isMissing;
  usePageTitle(shown === null ? null : nameOf(shown));
  // Who it is for is not known before the session is.
  if (isGone && session.value !== null) return <Gone />;
  const list = { error: partErrors.value.workers, again: () => void load('workers') };
  return (
    <>
      {shown === null ? <h1 class="unseen">Worker</h1> : null}
      {mayInspect || session.value === null ? (
        <PartOfPage part={part} what="this worker" sentenceOf={sentenceOf}>
          {(detail) => <All detail={detail} />}
        </PartOfPage>
      ) : (
        <PartOfPage part={{ ...list, value: listed }} what="this worker" sentenceOf={sentenceOf}>
          {(worker) => <ForClients worker={worker} />}
        </PartOfPage>
      )}
    </>
  );
}

function Gone() {
  return (
    <>
      <h1 class="lede">
        <b>No worker has this id.</b> It was removed, or never was here.
      </h1>
      <section class="panel">
        <div class="body">
          <Empty actions={<ButtonLink href="/workers">To the workers</ButtonLink>}>
            What a removed worker completed and failed stays in its tasks.
          </Empty>
        </div>
      </section>
    </>
  );
}

/** Owners share devices: each sees what is its own, and what all may know. */
function ForClients({ worker }: { readonly worker: Worker }) {
  const reason = reasonOf({
    worker,
    all: outcomesOf(workerList.value ?? [worker]),
    quarantinedUntil: null,
    nowMs: workersHeardToMs.value,
    isOwnDrain: isOwnDrain(worker),
  });
  const { name, does } = workerSentence(worker, worker.active_tasks, reason);
  return (
    <>
      <Head worker={worker} name={name} does={does} isTrouble={reason.isTrouble} />
      <div class="grid">
        <Panel title={reason.title} span={5} class={reason.isTrouble ? 'worker-trouble' : ''}>
          <div class="stack">
            <p class="soft">{reason.text}</p>
            <p class="mute">
              What it measures, and what it runs of others, is told to those who operate the cluster
              or look on.
            </p>
          </div>
        </Panel>
        <Panel title="About it" span={7}>
          <About worker={worker} />
        </Panel>
        <Panel title="What it did last for you" isFlush>
          <LastAttempts worker={worker.id} />
        </Panel>
      </div>
    </>
  );
}

interface HeadProps {
  readonly worker: Worker;
  readonly name: string;
  /** Follows the name. */
  readonly does: string;
  readonly isTrouble: boolean;
}

function Head({ worker, name, does, isTrouble }: HeadProps) {
  const kind = deviceKindOf(worker.type);
  return (
    <div class="worker-head">
      <h1 class="lede">
        <b>{name}</b> <span class={isTrouble ? 'warn' : ''}>{does}</span>
      </h1>
      <p class="row">
        <State name={stateOf(worker)} />
        <span class="state soft">
          <KindGlyph kind={kind} />
          {`${kindNames[kind].one}, ${worker.platform}`}
        </span>
        <Slots worker={worker} />
      </p>
    </div>
  );
}

/** What it measured in the last minutes: of this worker alone, the list of all is long. */
function useSeries(id: string): Worker['series'] {
  const asked = { handle: id, series: 'cpu,ram,battery', points: 40 };
  const part = usePart(
    `series of ${id}`,
    (signal) => read<readonly Worker[]>('/api/workers', asked, signal),
    { everyMs: seriesEveryMs },
  );
  return part.value?.find((worker) => worker.id === id)?.series;
}

function All({ detail }: { readonly detail: WorkerDetail }) {
  const all = workerList.value;
  const inList = all?.find(({ id }) => id === detail.id);
  const series = useSeries(detail.id);
  // What the list was told later counts.
  const worker: Worker = { ...detail, ...inList, ...(series === undefined ? {} : { series }) };
  const outcomes = outcomesOf(all ?? [worker]);
  const reason = reasonOf({
    worker,
    all: outcomes,
    quarantinedUntil: detail.quarantined_until,
    nowMs: workersHeardToMs.value,
    isOwnDrain: isOwnDrain(worker),
  });
  const isFailing = failing(worker, outcomes) !== null;
  const { name, does } = workerSentence(worker, detail.attempts.length, reason);
  return (
    <>
      <Head worker={worker} name={name} does={does} isTrouble={reason.isTrouble} />
      <div class="grid">
        <Panel title={reason.title} span={5} class={reason.isTrouble ? 'worker-trouble' : ''}>
          <div class="stack">
            <p class="soft">{reason.text}</p>
            {worker.total_failed > 0 && (reason.isTrouble || isFailing) ? (
              <Failures worker={worker.id} limit={1} />
            ) : null}
            <WorkerButtons worker={worker} onRemoved={() => go('/workers')} />
            {isAdmin.value && worker.draining === null && worker.status !== 'waiting' ? (
              <p class="mute">
                Drained, it is given nothing new until you give it work again, also after a restart;
                what it runs is handed over or ends. Removed, it has to join anew.
              </p>
            ) : null}
          </div>
        </Panel>
        <Panel title="So far" span={7}>
          <Figures worker={worker} />
        </Panel>
        <Panel
          title="What it runs now"
          note={detail.attempts.length === 0 ? undefined : String(detail.attempts.length)}
          isFlush
        >
          <RunningNow attempts={detail.attempts} status={worker.status} />
        </Panel>
        <Panel title="Telemetry" note="last minutes" span={7}>
          <TelemetryCharts worker={worker} />
        </Panel>
        <Panel title="About it" span={5}>
          <About worker={worker} />
        </Panel>
        <Panel title="What it did last" isFlush>
          <LastAttempts worker={worker.id} />
        </Panel>
        <Panel title="Failures" note={`the newest, at most ${shownFailures}`} id="failures">
          <Failures worker={worker.id} limit={shownFailures} />
        </Panel>
      </div>
    </>
  );
}
