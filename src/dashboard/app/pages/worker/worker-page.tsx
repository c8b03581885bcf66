// One worker: all that is known of it.

import { useEffect } from 'preact/hooks';
import type { WorkerDetail } from '../../../../protocol/workers.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { Empty, Panel, PartOfPage } from '../../parts/panel.tsx';
import { KindGlyph, State } from '../../look/glyphs.tsx';
import { deviceKindOf, kindNames } from '../../look/states.ts';
import { go } from '../../shell/address.ts';
import { usePageTitle } from '../../shell/page-title.ts';
import { now } from '../../store/clock.ts';
import { usePartOfCluster, type Worker, workerList } from '../../store/cluster.ts';
import { codeOf, pathOfWorker, read, sentenceOf } from '../../store/endpoint.ts';
import { usePart } from '../../store/resource.ts';
import { nameOf } from '../../text/words.ts';
import { Failures } from '../workers/failures.tsx';
import { Slots } from '../workers/slots.tsx';
import { outcomesOf } from '../workers/trouble.ts';
import { WorkerButtons } from '../workers/worker-buttons.tsx';
import { reasonOf } from '../workers/worker-reason.ts';
import { About } from './about.tsx';
import { Figures } from './figures.tsx';
import { LastAttempts } from './last-attempts.tsx';
import { RunningNow } from './running-now.tsx';
import { TelemetryCharts } from './telemetry-charts.tsx';
import { workerSentence } from './worker-sentence.ts';

const everyMs = 2_000;
const shownFailures = 50;

/** `worker`: its id, of the address. */
export function Page({ worker: id = '' }: Readonly<Record<string, string>>) {
  useEffect(() => usePartOfCluster('workers'), []);
  const part = usePart(
    `worker page ${id}`,
    (signal) => read<WorkerDetail>(pathOfWorker(id), {}, signal),
    { everyMs },
  );
  const isGone = codeOf(part.error) === 'unknown_worker';
  usePageTitle(part.value === null ? null : nameOf(part.value));
  if (isGone) return <Gone />;
  return (
    <>
      {part.value === null ? <h1 class="unseen">Worker</h1> : null}
      <PartOfPage part={part} what="this worker" sentenceOf={sentenceOf}>
        {(detail) => <All detail={detail} />}
      </PartOfPage>
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

function All({ detail }: { readonly detail: WorkerDetail }) {
  const all = workerList.value;
  const inList = all?.find(({ id }) => id === detail.id);
  // What the list was told later counts; the series are in it alone.
  const worker: Worker = { ...detail, ...inList };
  const outcomes = outcomesOf(all ?? [worker]);
  const reason = reasonOf({
    worker,
    all: outcomes,
    quarantinedUntil: detail.quarantined_until,
    nowMs: now.value,
  });
  const kind = deviceKindOf(worker.type);
  const { name, does } = workerSentence(worker, detail.attempts.length, reason);
  return (
    <>
      <div class="worker-head">
        <h1 class="lede">
          <b>{name}</b> <span class={reason.isTrouble ? 'warn' : ''}>{does}</span>
        </h1>
        <p class="row">
          <State name={worker.status} />
          <span class="state soft">
            <KindGlyph kind={kind} />
            {`${kindNames[kind].one}, ${worker.platform}`}
          </span>
          <Slots worker={worker} />
        </p>
      </div>
      <div class="grid">
        <Panel title={reason.title} span={5} class={reason.isTrouble ? 'worker-trouble' : ''}>
          <div class="stack">
            <p class="soft">{reason.text}</p>
            <WorkerButtons worker={worker} onRemoved={() => go('/workers')} />
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
