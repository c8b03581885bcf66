// Who did what when in this job: attempts by device, checkpoints, and what went on from what.

import { useMemo, useState } from 'preact/hooks';
import type { CheckpointRecord, RecoveryEvent } from '../../../../protocol/resources.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/choices.tsx';
import { Gantt } from '../../parts/gantt.tsx';
import { Panel, PartOfPage } from '../../parts/panel.tsx';
import type { Span } from '../../parts/time-scale.ts';
import { go, query, setQuery } from '../../shell/address.ts';
import type { AttemptHistory } from '../../store/attempts.ts';
import { now } from '../../store/clock.ts';
import type { JobHead } from '../../store/cluster.ts';
import { sentenceOf } from '../../store/endpoint.ts';
import type { Part } from '../../store/resource.ts';
import { grouped } from '../../text/numbers.ts';
import { clock } from '../../text/times.ts';
import { counted } from '../../text/words.ts';
import { attemptPicture } from './attempt-rows.ts';
import { pathOfTask } from './hold-ups.ts';
import { isOpen } from './job-sentences.ts';

interface AttemptsPanelProps {
  readonly head: JobHead;
  readonly attempts: Part<AttemptHistory>;
  readonly checkpoints: Part<readonly CheckpointRecord[]>;
  readonly recoveries: Part<readonly RecoveryEvent[]>;
  readonly nameOfWorker: (id: string) => string;
}

const fewGroups = 12;
const windows = [
  { value: '1', text: '1 min' },
  { value: '4', text: '4 min' },
  { value: '15', text: '15 min' },
  { value: '60', text: '1 h' },
] as const;
const usual = '4';
const edgeMs = 2_000;
const minuteMs = 60_000;

export function AttemptsPanel(props: AttemptsPanelProps) {
  const { head, attempts, checkpoints, recoveries, nameOfWorker } = props;
  const [span, setSpan] = useState<Span | null>(null);
  const [areAll, setAll] = useState(false);
  const minutes = windows.find(({ value }) => value === query.value.get('minutes'))?.value ?? usual;
  // What has ended stands still, with its end at the right edge.
  const nowMs =
    isOpen(head) || head.completed_at === null ? now.value : Date.parse(head.completed_at) + edgeMs;
  const live = { from: nowMs - Number(minutes) * minuteMs, to: nowMs };
  const shown = span ?? live;
  const second = Math.floor(nowMs / 1_000);
  const picture = useMemo(
    () =>
      attemptPicture(
        {
          attempts: attempts.value?.attempts ?? [],
          checkpoints: checkpoints.value ?? [],
          recoveries: recoveries.value ?? [],
          nameOfWorker,
          pathOf: ({ index }) => pathOfTask(head.id, index),
        },
        { span: shown, nowMs, mostGroups: areAll ? Number.POSITIVE_INFINITY : fewGroups },
      ),
    [
      attempts.value,
      checkpoints.value,
      recoveries.value,
      nameOfWorker,
      areAll,
      second,
      span,
      minutes,
    ],
  );
  const shownOf = counted(picture.groups.length + picture.hidden, 'device');
  const note =
    span === null
      ? `${isOpen(head) ? 'last' : 'its last'} ${minutes === '60' ? 'hour' : counted(Number(minutes), 'minute')}, ${grouped(picture.groups.length)} of ${shownOf}`
      : `${clock(new Date(span.from))} to ${clock(new Date(span.to))}`;
  return (
    <Panel
      id="attempts"
      title="Attempts by device"
      note={note}
      actions={
        <>
          <span class="key wide-only">
            <Key name="completed" />
            <Key name="running" />
            <Key name="failed" />
            <span>
              <i class="job-lost" />
              lost
            </span>
            <span>
              <i class="job-checkpoint" />
              checkpoint
            </span>
          </span>
          {span === null ? (
            <Choice
              label="Length of time"
              options={windows}
              chosen={minutes}
              onChoose={(value) => setQuery({ minutes: value === usual ? null : value })}
            />
          ) : (
            <Button isSmall onPress={() => setSpan(null)}>
              {isOpen(head) ? 'Go live' : 'Back'}
            </Button>
          )}
        </>
      }
    >
      <PartOfPage part={attempts} what="the attempts" sentenceOf={sentenceOf} lines={6}>
        {({ kept_since: since, left_out: left }) =>
          picture.groups.length === 0 ? (
            <p class="soft">
              {head.task_count === 0
                ? 'There are no tasks, so there are no attempts.'
                : `No attempt of this job was live in this time. What ended is kept since ${clock(new Date(since))}.`}
            </p>
          ) : (
            <>
              <Gantt
                label={findingOf(picture.groups.length, picture.arrows.length)}
                groups={picture.groups}
                arrows={picture.arrows}
                span={shown}
                nowMs={nowMs}
                onSpan={setSpan}
                onOpen={go}
              />
              <p class="job-more">
                {picture.hidden > 0 ? (
                  <Button isSmall onPress={() => setAll(true)}>
                    {`${grouped(picture.hidden)} more`}
                  </Button>
                ) : null}
                {left > 0 ? (
                  <span class="mute">{`The newest attempts; ${counted(left, 'older one')} left out.`}</span>
                ) : null}
              </p>
            </>
          )
        }
      </PartOfPage>
    </Panel>
  );
}

function findingOf(devices: number, arrows: number): string {
  const recovered =
    arrows === 0 ? '' : `; ${counted(arrows, 'attempt')} went on from one that was lost`;
  return `Attempts on ${counted(devices, 'device')}${recovered}.`;
}

function Key({ name }: { readonly name: 'completed' | 'running' | 'failed' }) {
  return (
    <span>
      <i class={`fill-${name}`} />
      {name}
    </span>
  );
}
